"use strict";
// Starts `ptxlift lsp` and connects it to the editor. The server knows everything about PTX.
const os = require("node:os");
const path = require("node:path");
const { execFile } = require("node:child_process");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function settings() {
  const found = vscode.workspace.getConfiguration("ptxlift");
  const [command, ...words] = found.get("command", ["ptxlift"]);
  return { command, words, target: found.get("target", "gfx942") };
}

function serverOptions() {
  const { command, words, target } = settings();
  return { command, args: [...words, "lsp", "--stdio", "--target", target], transport: TransportKind.stdio };
}

async function start() {
  client = new LanguageClient("ptxlift", "ptxlift", serverOptions(), { documentSelector: [{ language: "ptx" }] });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`ptxlift does not start (${error.message}). Install it with: pip install "ptxlift[lsp]"`);
  }
}

async function restart() {
  await deactivate();
  await start();
}

function view() {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  const { command, words, target } = settings();
  const page = path.join(os.tmpdir(), `${path.basename(editor.document.fileName)}.html`);
  const args = [...words, "view", editor.document.fileName, "--target", target, "-o", page];
  execFile(command, args, (error, _said, complaint) => {
    if (error) vscode.window.showErrorMessage(complaint || error.message);
    else vscode.env.openExternal(vscode.Uri.file(page));
  });
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("ptxlift.restart", restart),
    vscode.commands.registerCommand("ptxlift.view", view),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("ptxlift") && restart()),
  );
  await start();
}

async function deactivate() {
  const old = client;
  client = undefined;
  if (old) await old.stop();
}

module.exports = { activate, deactivate };
