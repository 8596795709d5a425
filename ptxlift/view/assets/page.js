"use strict";
// Shows three listings and lights up what belongs together. Lines are [text, PTX line, class, cost, runs].
const data = JSON.parse(document.getElementById("data").textContent);
const NAMES = ["ptx", "ir", "assembly"];
const byId = (name) => document.getElementById(name);
const rows = {}, groups = new Map(), current = { ptx: -1, ir: -1, assembly: -1 };
let pinned = 0, lit = 0;

const element = (tag, className, text) => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};
const figure = (value) => value.toLocaleString("en", { maximumFractionDigits: 1 });

// What each listing colours, in order: the first that matches at a place wins.
const TOKENS = {
  ptx: /(?<c>\/\/.*|\/\*.*?\*\/)|(?<l>^\s*[$\w]+:(?!:))|(?<d>(?<![\w%.])\.[a-z]\w*)|(?<r>%[\w$]+(?:\.[xyzw])?)|(?<n>\b0[fdxFDX][0-9a-fA-F]+\b|(?<![\w$])-?\d+(?:\.\d+)?\b)|(?<o>(?<=^\s*(?:@!?%\w+\s+)?)[a-z][\w.:]*)/g,
  ir: /(?<r>%\d+)|(?<d>\bi\d+\b)|(?<n>(?<==)-?\d+\b)|(?<l>^[\w.$]+(?=[(:])|@[\w.$]+)|(?<o>(?<=(?:= |^ +))[a-z]\w*)/g,
  assembly: /(?<l>^\S+:$|\.LBB\w+)|(?<o>(?<=^ +|:: )[a-z]\w*)|(?<r>\b(?:[vsa]\d+|[vsa]\[\d+:\d+\]|vcc\w*|exec\w*|scc|m0)(?!\w))|(?<n>\b(?:0x[0-9a-f]+|\d+(?:\.\d+)?)\b)/g,
};

function coloured(text, name) {
  const made = element("span", "text");
  let at = 0;
  for (const match of text.matchAll(TOKENS[name])) {
    const kind = Object.keys(match.groups).find((key) => match.groups[key] !== undefined);
    made.append(text.slice(at, match.index), element("span", kind, match[0]));
    at = match.index + match[0].length;
  }
  made.append(text.slice(at) || (at ? "" : " "));
  return made;
}

const costOf = (row) => (row.length < 4 ? 0 : row[3] * (row.length > 4 ? row[4] : 1));

function addCosts() {
  const total = new Map();
  for (const row of data.assembly) total.set(row[1], (total.get(row[1]) || 0) + costOf(row));
  return total;
}

function build(name, costs) {
  const pane = byId(name), most = Math.max(1e-9, ...costs), ran = Boolean(data.ran);
  const made = document.createDocumentFragment();
  rows[name] = data[name].map((row, index) => {
    const line = element("div", "line");
    line.id = `${name}-${index}`;
    line.setAttribute("role", "option");
    line.setAttribute("aria-selected", "false");
    const at = element("span", "at", name === "ptx" ? String(row[1]) : row[1] ? String(row[1]) : "");
    if (costs[index] > 0) {
      const heat = element("span", "heat");
      heat.style.opacity = String(0.12 + 0.88 * (costs[index] / most));
      at.append(heat);
      at.title = `cost ${figure(costs[index])}`;
    }
    line.append(at);
    if (name === "assembly" && ran) {
      line.append(element("span", "runs", row.length > 4 ? figure(row[4]) : ""));
      if (row.length > 4 && row[4] === 0) line.classList.add("cold");
    }
    line.append(coloured(row[0], name));
    if (name !== "ptx" && row[1]) group(row[1]).push(line);
    line.dataset.line = String(row[1]);
    made.append(line);
    return line;
  });
  pane.append(made);
}

function group(line) {
  if (!groups.has(line)) groups.set(line, []);
  return groups.get(line);
}

function mark(line, className, on) {
  const lines = groups.get(line);
  if (!lines) return;
  for (const one of lines) {
    one.classList.toggle(className, on);
    if (className === "pinned") one.setAttribute("aria-selected", String(on));
  }
}

function light(line) {
  if (line === lit) return;
  mark(lit, "lit", false);
  lit = line;
  mark(lit, "lit", true);
}

function pin(line, from) {
  mark(pinned, "pinned", false);
  pinned = line === pinned && from === "click" ? 0 : line;
  mark(pinned, "pinned", true);
  say(pinned);
}

function say(line) {
  if (!line || !groups.has(line)) return;
  const lines = groups.get(line), count = (name) => lines.filter((one) => one.id.startsWith(name)).length;
  const rowsOf = data.assembly.filter((row) => row[1] === line);
  const cost = rowsOf.reduce((sum, row) => sum + costOf(row), 0);
  const remarks = data.remarks.filter((remark) => remark.line === line).map((remark) => remark.text);
  const what = [`PTX line ${line}: ${count("ir")} IR, ${count("assembly")} assembly lines, cost ${figure(cost)}`, ...remarks];
  byId("said").textContent = what.join(" — ");
}

function reveal(line, except) {
  for (const name of NAMES) {
    if (name === except) continue;
    const first = rows[name].find((one) => one.dataset.line === String(line));
    if (!first) continue;
    const pane = byId(name);
    pane.classList.add("glide");
    pane.scrollTop = first.offsetTop - pane.offsetTop - pane.clientHeight / 3;
  }
}

function goTo(name, index) {
  const list = rows[name];
  if (!list.length) return;
  const old = list[current[name]], at = Math.max(0, Math.min(list.length - 1, index));
  if (old) old.classList.remove("current");
  current[name] = at;
  list[at].classList.add("current");
  list[at].scrollIntoView({ block: "nearest" });
  byId(name).setAttribute("aria-activedescendant", list[at].id);
  light(Number(list[at].dataset.line));
}

function choose(name, how) {
  const line = Number(rows[name][current[name]].dataset.line);
  if (!line || !groups.has(line)) return;
  pin(line, how);
  if (pinned) reveal(pinned, name);
}

const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 };

function onKey(event, name) {
  const side = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.key in STEPS) goTo(name, current[name] + STEPS[event.key]);
  else if (side) {
    const next = NAMES[(NAMES.indexOf(name) + side + 3) % 3];
    const same = rows[next].findIndex((one) => one.dataset.line === String(lit));
    byId(next).focus();
    goTo(next, same >= 0 ? same : Math.max(0, current[next]));
  } else if (event.key === "Enter" || event.key === " ") choose(name, "click");
  else if (event.key === "Escape") { pin(0, "key"); light(0); }
  else return;
  event.preventDefault();
}

function listen(name) {
  const pane = byId(name);
  const lineOf = (event) => event.target.closest(".line");
  pane.addEventListener("pointerover", (event) => { const line = lineOf(event); if (line) light(Number(line.dataset.line)); });
  pane.addEventListener("pointerleave", () => light(0));
  pane.addEventListener("click", (event) => {
    const line = lineOf(event);
    if (!line || String(getSelection())) return;
    goTo(name, rows[name].indexOf(line));
    choose(name, "click");
  });
  pane.addEventListener("focus", () => { if (current[name] < 0) goTo(name, 0); });
  pane.addEventListener("keydown", (event) => onKey(event, name));
}

function showKernels() {
  const names = data.kernels.length ? Object.keys(data.kernels[0]) : [];
  const shown = names.filter((name) => !["spills", "accumulation registers"].includes(name) || data.kernels.some((kernel) => kernel[name]));
  const table = byId("kernels"), head = table.createTHead().insertRow(), body = table.createTBody();
  for (const name of shown) { const cell = element("th", "", name === "name" ? "kernel" : name); cell.scope = "col"; head.append(cell); }
  for (const kernel of data.kernels) {
    const row = body.insertRow();
    shown.forEach((name, index) => {
      const cell = element(index ? "td" : "th", "", typeof kernel[name] === "number" ? figure(kernel[name]) : kernel[name]);
      if (!index) { cell.scope = "row"; cell.title = kernel[name]; }
      row.append(cell);
    });
  }
  byId("kernel-count").textContent = String(data.kernels.length);
}

function showCosts() {
  const kinds = new Map();
  for (const row of data.assembly) if (row.length > 3) kinds.set(row[2], (kinds.get(row[2]) || 0) + costOf(row));
  const ordered = [...kinds].filter(([, cost]) => cost > 0).sort((a, b) => b[1] - a[1]);
  const total = ordered.reduce((sum, [, cost]) => sum + cost, 0);
  for (const [kind, cost] of ordered) {
    const bar = element("span", "bar");
    bar.style.width = `${(100 * cost) / ordered[0][1]}%`;
    byId("costs").append(element("span", "", kind), bar, element("span", "number", figure(cost)));
  }
  byId("cost-total").textContent = data.ran ? `${figure(total)} as run, without memory lines and conflicts: ${data.ran}` : `${figure(total)} if every instruction runs once`;
}

function showRemarks() {
  for (const remark of data.remarks) {
    const item = element("li", remark.severity), text = `${remark.line ? `line ${remark.line}: ` : ""}${remark.text} [${remark.code}]`;
    const button = element("button", "", text);
    button.type = "button";
    button.addEventListener("click", () => { if (remark.line && groups.has(remark.line)) { pin(remark.line, "remark"); reveal(remark.line, ""); } });
    item.append(button);
    byId("remarks").append(item);
    if (remark.line) rows.ptx[remark.line - 1]?.classList.add("remarked");
  }
  byId("remark-count").textContent = String(data.remarks.length);
  byId("remark-box").hidden = !data.remarks.length;
}

function find(text) {
  const wanted = text.trim().toLowerCase();
  let count = 0, first = null;
  for (const name of NAMES) {
    rows[name].forEach((line, index) => {
      const is = Boolean(wanted) && data[name][index][0].toLowerCase().includes(wanted);
      line.querySelector(".at").classList.toggle("hit", is);
      line.style.boxShadow = is ? "inset 0 0 0 100vw color-mix(in srgb, var(--find) 55%, transparent)" : "";
      count += is;
      if (is && !first) first = [name, index];
    });
  }
  byId("found").textContent = wanted ? `${count} lines` : "";
  return first;
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try { localStorage.setItem("ptxlift-theme", theme); } catch { /* a page opened from a file may not keep anything */ }
}

function start() {
  const costs = addCosts();
  build("ptx", data.ptx.map((row) => costs.get(row[1]) || 0));
  build("ir", data.ir.map(() => 0));
  build("assembly", data.assembly.map(costOf));
  for (const line of rows.ptx) {
    const lines = groups.get(Number(line.dataset.line));
    if (lines) lines.unshift(line);
  }
  for (const lines of groups.values()) for (const line of lines) line.classList.add("linked");
  NAMES.forEach(listen);
  showKernels();
  showCosts();
  showRemarks();
  byId("ptx-note").textContent = `${data.ptx.length} lines`;
  byId("ir-note").textContent = `after rewriting, ${data.ir.length} lines`;
  const instructions = data.assembly.filter((row) => row.length > 3).length;
  byId("assembly-note").textContent = `${instructions} instructions${data.ran ? ", with how many waves ran each" : ""}`;
  byId("find").addEventListener("input", (event) => find(event.target.value));
  byId("find").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const first = find(event.target.value);
    if (first) { byId(first[0]).focus(); goTo(...first); }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && event.target.tagName !== "INPUT") { byId("find").focus(); event.preventDefault(); }
  });
  byId("theme").addEventListener("click", () => {
    const now = document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    setTheme(now === "dark" ? "light" : "dark");
  });
  try { const kept = localStorage.getItem("ptxlift-theme"); if (kept) setTheme(kept); } catch { /* as above */ }
  const first = Math.min(...groups.keys());
  if (Number.isFinite(first)) byId("ptx").scrollTop = rows.ptx[first - 1].offsetTop - byId("ptx").offsetTop - 60;
  document.documentElement.dataset.ready = "yes";
}

start();
