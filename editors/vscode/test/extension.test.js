"use strict";
// The extension under stand-ins for the editor and its client library; the server is the real one.
const assert = require("node:assert");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const test = require("node:test");

const folder = path.join(__dirname, "..");
const read = (name) => JSON.parse(fs.readFileSync(path.join(folder, name), "utf-8"));
const command = JSON.parse(process.env.PTXLIFT_COMMAND || '["ptxlift"]');

class LanguageClient {
  constructor(id, name, server, options) { Object.assign(this, { id, name, server, options }); LanguageClient.made.push(this); }
  async start() {
    this.process = spawn(this.server.command, this.server.args, { stdio: ["pipe", "pipe", "inherit"] });
    this.result = await this.ask("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
  }
  send(message) {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
  ask(method, params) {
    this.send({ id: 1, method, params });
    return new Promise((done, fail) => {
      let text = "";
      const look = (chunk) => {
        text += chunk;
        const at = text.indexOf("\r\n\r\n"), size = Number(/Content-Length: (\d+)/i.exec(text)?.[1]);
        if (at >= 0 && text.length >= at + 4 + size) { this.process.stdout.off("data", look); done(JSON.parse(text.slice(at + 4, at + 4 + size)).result); }
      };
      this.process.stdout.on("data", look);
      this.process.once("error", fail);
    });
  }
  async stop() { this.stopped = true; this.process.kill(); }
}
LanguageClient.made = [];

const commands = new Map();
const errors = [];
const values = { command, target: "gfx1100" };
const vscode = {
  workspace: { getConfiguration: () => ({ get: (name, otherwise) => values[name] ?? otherwise }), onDidChangeConfiguration: () => ({}) },
  commands: { registerCommand: (name, run) => { commands.set(name, run); return {}; } },
  window: { showErrorMessage: (text) => errors.push(text) },
};
const load = Module._load;
Module._load = (name, ...rest) => {
  if (name === "vscode") return vscode;
  if (name === "vscode-languageclient/node") return { LanguageClient, TransportKind: { stdio: 0 } };
  return load(name, ...rest);
};
const extension = require(path.join(folder, "extension.js"));

test("the manifest names files that exist and commands that are registered", async () => {
  const manifest = read("package.json");
  for (const language of manifest.contributes.languages) read(language.configuration);
  for (const grammar of manifest.contributes.grammars) assert.equal(read(grammar.path).scopeName, grammar.scopeName);
  assert.ok(fs.existsSync(path.join(folder, manifest.main)));
  await extension.activate({ subscriptions: [] });
  assert.deepEqual([...commands.keys()].sort(), manifest.contributes.commands.map((one) => one.command).sort());
  await extension.deactivate();
});

test("the client starts the server for PTX and stops it", async () => {
  await extension.activate({ subscriptions: [] });
  const client = LanguageClient.made.at(-1);
  assert.deepEqual(errors, []);
  assert.deepEqual(client.options.documentSelector, [{ language: "ptx" }]);
  assert.deepEqual(client.server.args.slice(-4), ["lsp", "--stdio", "--target", "gfx1100"]);
  assert.equal(client.result.serverInfo.name, "ptxlift");
  for (const able of ["hoverProvider", "definitionProvider", "completionProvider", "documentSymbolProvider"]) assert.ok(client.result.capabilities[able], able);
  await commands.get("ptxlift.restart")();
  assert.ok(client.stopped);
  await extension.deactivate();
  assert.ok(LanguageClient.made.at(-1).stopped);
});

test("a command that does not exist is told", async () => {
  values.command = ["no-such-ptxlift"];
  await extension.activate({ subscriptions: [] });
  assert.match(errors.at(-1), /pip install/);
});

test("the grammar colours each part of a statement", () => {
  const { repository } = read("syntaxes/ptx.tmLanguage.json");
  const first = (part, text) => new RegExp(repository[part].match).exec(text);
  assert.deepEqual(first("instructions", "  fma.rn.f32 %f1, %f2;").slice(1, 3), ["fma", ".rn.f32"]);
  assert.equal(first("directives", ".visible .entry k(")[0], ".visible");
  assert.equal(first("directives", "ld.global.f32"), null);
  assert.equal(first("registers", "add.s32 %r1, %tid.x, 1;")[0], "%r1");
  assert.equal(first("labels", "$L__BB0_2:")[1], "$L__BB0_2");
  assert.equal(first("numbers", "mov.f32 %f1, 0f3F800000;")[0], "0f3F800000");
});
