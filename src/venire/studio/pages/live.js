// The live parts of a verdict: a row to change, two models beside each other, boundaries, steps, a file to predict.
import { ask, carryOut, say } from "./asking.js";
import { byId, count, digits, figure, h, option, percent } from "./building.js";
import { jobCard } from "./job_cards.js";

const run = byId("actions").dataset.run;
const live = (what, given = {}) => ask("POST", "/api/runs/" + run + "/ask", { what, with: given });
const UNITS = { probability: "probability", "log-odds": "log-odds", value: "units of the target", share: "shares of votes", score: "scores" };
const facts = JSON.parse(byId("member-facts").textContent);
twoModels(facts);
for (const [name, cards, asked] of [["prepare", "job-cards", {}], ["explain", "explain-cards", { explain: true }]]) {
  if (byId(name)) byId(name).addEventListener("click", (event) => prepare(event.target, byId(cards), asked));
}
if (byId("try-parts")) begin();
else document.body.dataset.live = "yes";

async function prepare(control, cards, asked) {
  const job = await carryOut(control, () => ask("POST", "/api/runs/" + run + "/prepare", asked));
  if (!job) return;
  control.disabled = true;
  cards.replaceChildren(jobCard(job, { stay: true, ended: (now) => { if (now.state === "done") location.reload(); } }));
}
async function begin() {
  byId("live-state").textContent = "Loading the model …";
  try {
    const form = await live("form");
    tryRows(form);
    predictFiles();
    if (form.numeric.length >= 2) plane(form);
    byId("live-state").textContent = "";
  } catch (error) {
    byId("live-state").textContent = "";
    byId("try-lead").textContent = "No row can be tried: " + error.message + (error.hint ? " (" + error.hint + ")" : "") + ".";
    say(error);
  }
  document.body.dataset.live = "yes";
}
// One row: a field for each column, the prediction, and a bar for what each column adds.
function tryRows(form) {
  const fields = byId("fields");
  let waiting = null, number = 0;
  byId("try-parts").hidden = false;
  byId("row-number").max = form.rows - 1;
  fields.replaceChildren(...form.columns.map(control));
  take(form.start);
  byId("row-form").addEventListener("submit", (event) => event.preventDefault());
  byId("take-row").addEventListener("click", (event) => carryOut(event.target, async () => take(await live("row", { row: Number(byId("row-number").value) }))));
  for (const line of document.querySelectorAll("#worst tbody tr")) {
    const at = Number(line.cells[0].textContent.replaceAll(",", ""));
    line.append(h("td", {}, h("button", { type: "button", onclick: (event) => carryOut(event.target, async () => { take(await live("row", { row: at })); byId("try").scrollIntoView(); byId("row-number").focus(); }) }, "Try it")));
  }
  document.querySelector("#worst thead tr")?.append(h("th", { scope: "col" }, h("span", { class: "unseen" }, "try")));

  function control(column, at) {
    const id = "value-" + at;
    let made;
    if (column.categories) made = h("select", { id, onchange: later }, option("", "missing"), column.categories.map((name, code) => option(String(code), name)));
    else made = h("input", { id, type: "number", step: column.whole ? 1 : "any", placeholder: "missing", oninput: later });
    const range = column.range ? h("input", { type: "range", id: id + "-slide", "aria-label": column.name + ", slider", min: column.range[0], max: column.range[1], step: column.whole ? 1 : (column.range[1] - column.range[0]) / 200 || 1,
      oninput: (event) => { byId(id).value = Number(Number(event.target.value).toPrecision(6)); later(); } }) : "";
    return h("div", { class: "value" }, h("label", { htmlFor: id, title: column.name }, column.name), made, range);
  }
  function take(row) {
    number = row.row;
    byId("row-number").value = row.row;
    row.values.forEach((value, at) => {
      byId("value-" + at).value = value === null ? "" : String(form.columns[at].categories ? value : Number(value.toPrecision(8)));
      const slide = byId("value-" + at + "-slide");
      if (slide && value !== null) slide.value = value;
    });
    fields.dataset.actual = row.actual;
    show();
  }
  function later() { clearTimeout(waiting); waiting = setTimeout(show, 120); }
  async function show() {
    const values = form.columns.map((column, at) => { const text = byId("value-" + at).value; return text === "" ? null : Number(text); });
    let said;
    try { said = await live("what_if", { values }); } catch (error) { say(error); return; }
    const shown = typeof said.predicted === "number" ? figure(said.predicted) : said.predicted;
    byId("prediction").replaceChildren(form.target + ": ", h("b", {}, shown), h("span", { class: "soft" }, " (row " + number + " of the table: " + (typeof fields.dataset.actual === "string" && form.classes ? fields.dataset.actual : figure(Number(fields.dataset.actual))) + ")"));
    byId("prediction").dataset.said = shown;
    byId("shares").replaceChildren(...(said.probabilities || []).map((p, at) => share(form.classes[at], p)).slice(0, 12));
    adds(said);
  }
}
function share(label, p) {
  const gauge = h("span", { class: "gauge" }, h("span", {}));
  gauge.firstChild.style.width = (100 * p) + "%";
  return h("div", { class: "share" }, h("span", { class: "name" }, label), gauge, h("span", { class: "n" }, percent(p)));
}
function adds(said) {
  const rows = said.names.map((name, at) => [name, said.adds[at]]).sort((one, other) => Math.abs(other[1]) - Math.abs(one[1])).slice(0, 15);
  const most = Math.max(...rows.map((row) => Math.abs(row[1])), 1e-12);
  byId("adds-title").textContent = said.of === null ? "What each column adds" : "What each column adds to ‘" + said.of + "’";
  byId("adds").replaceChildren(h("table", { class: "adds" }, h("caption", { class: "unseen" }, "Shapley values"), h("tbody", {}, rows.map(([name, value]) => {
    const bar = h("span", { class: "swing " + (value < 0 ? "down" : "up") }, h("span", {}));
    bar.firstChild.style.width = (50 * Math.abs(value) / most) + "%";
    return h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, bar), h("td", { class: "n" }, (value < 0 ? "−" : "+") + figure(Math.abs(value))));
  }))));
  byId("adds-note").textContent = "Together with the usual " + figure(said.base).replace("-", "−") + " they come to what is said of this row, in " + (UNITS[said.unit] || said.unit) + "." + (said.exact ? "" : " Sampled, so the last digit may move.");
}
function predictFiles() {
  byId("file-panel").hidden = false;
  byId("predict-file").addEventListener("change", async (event) => {
    const file = event.target.files[0];
    if (!file) return;
    byId("predict-state").textContent = "Predicting " + file.name + " …";
    const found = await carryOut(byId("predict-label"), () => ask("POST", "/api/runs/" + run + "/predict?name=" + encodeURIComponent(file.name), file));
    byId("predict-state").replaceChildren(...(found ? [count(found.rows, "row") + " predicted: ", h("a", { href: "/predicted/" + found.file, download: "", id: "predicted" }, "download the predictions")] : [""]));
    event.target.value = "";
  });
}
// Two models of the leaderboard: how the folds speak, and how sure the difference is.
function twoModels(facts) {
  const members = facts.board.filter((row) => row.kind !== "procedure");
  const [first, second] = [byId("first"), byId("second")];
  if (members.length < 2) { byId("members").hidden = true; return; }
  for (const [control, at] of [[first, 0], [second, 1]]) {
    control.replaceChildren(...members.map((row, place) => option(row.family, row.family, place === at)));
    control.addEventListener("change", show);
  }
  show();
  function show() {
    const [one, other] = [first.value, second.value].map((name) => members.find((row) => row.family === name));
    const place = byId("pair-bar");
    if (one === other) { byId("pair-said").textContent = "Choose two different models."; place.replaceChildren(); byId("pair-folds").replaceChildren(); return; }
    const shown = (row) => (row.error === null ? "undefined" : digits(facts.score ? 1 - row.error : row.error));
    let chances = facts.pairs.find((p) => p.first === one.family && p.second === other.family);
    const turned = chances ? null : facts.pairs.find((p) => p.first === other.family && p.second === one.family);
    if (turned) chances = { p_better: turned.p_worse, p_worse: turned.p_better };
    byId("pair-said").textContent = one.family + " " + shown(one) + ", " + other.family + " " + shown(other) + " (" + facts.label + ")." + (chances && chances.p_better !== null
      ? " " + one.family + " is better with probability " + percent(chances.p_better) + ", worse with " + percent(chances.p_worse) + ", and the same in practice with " + percent(Math.max(0, 1 - chances.p_better - chances.p_worse)) + "." : "");
    if (chances && chances.p_better !== null) {
      const parts = [["better", chances.p_better], ["same", Math.max(0, 1 - chances.p_better - chances.p_worse)], ["worse", chances.p_worse]];
      place.replaceChildren(h("div", { class: "chances", role: "img", "aria-label": "better " + percent(parts[0][1]) + ", same " + percent(parts[1][1]) + ", worse " + percent(parts[2][1]) },
        parts.map(([name, p]) => { const part = h("span", { class: name }); part.style.width = (100 * p) + "%"; return part; })));
    } else place.replaceChildren();
    folds(one.family, other.family);
  }
  function folds(one, other) {
    const both = [facts.folds[one], facts.folds[other]];
    if (!both[0] || !both[1]) { byId("pair-folds").replaceChildren(); return; }
    const lines = both.map((list) => (Array.isArray(list) ? list : list.errors || list.values || []));
    byId("pair-folds").replaceChildren(h("details", {}, h("summary", {}, "Fold by fold"), h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": "Fold by fold" }, h("table", {}, h("thead", {}, h("tr", {}, ["fold", one, other, "difference"].map((t, at) => h("th", { scope: "col", class: at ? "n" : "" }, t)))),
      h("tbody", {}, lines[0].map((value, at) => { const b = lines[1][at]; const sign = facts.score ? -1 : 1; return h("tr", {}, h("th", { scope: "row" }, String(at + 1)), h("td", { class: "n" }, figure(facts.score ? 1 - value : value)), h("td", { class: "n" }, figure(facts.score ? 1 - b : b)), h("td", { class: "n" }, figure(sign * (value - b)))); }))))));
  }
}
// The plane of two numeric columns: where the model draws the line, and small models that learn step by step.
function plane(form) {
  byId("boundary").hidden = false;
  const [across, up] = [byId("across"), byId("up")];
  const first = [...facts.matter.filter((name) => form.numeric.includes(name)), ...form.numeric].filter((name, at, all) => all.indexOf(name) === at);
  for (const [control, at] of [[across, 0], [up, 1]]) {
    control.replaceChildren(...form.numeric.map((name) => option(name, name, name === first[at])));
    control.addEventListener("change", () => { boundary(); again(); });
  }
  let ladder = null, step = 0;
  for (const button of document.querySelectorAll("[data-ladder]")) button.addEventListener("click", () => climb(button));
  byId("ladder-again").addEventListener("click", again);
  if (!form.classes) byId("boundary-title").textContent = "What the model says there";
  boundary();

  async function boundary() {
    if (across.value === up.value) { byId("boundary-said").textContent = "Choose two different columns."; return; }
    byId("boundary-said").textContent = "";
    const found = await carryOut(across, () => live("boundary", { across: across.value, up: up.value }));
    if (!found) return;
    byId("boundary-caption").textContent = found.caption;
    await draw(byId("boundary-chart"), found.spec);
  }
  async function climb(button) {
    const kind = button.dataset.ladder;
    if (across.value === up.value) { byId("step-said").textContent = "Choose two different columns."; return; }
    step = kind === ladder ? Math.min(step + 1, form.steps[kind]) : 1;
    ladder = kind;
    const found = await carryOut(button, () => live("step", { kind, step, across: across.value, up: up.value }));
    if (!found) return;
    byId("ladder-again").disabled = false;
    byId("step-said").textContent = found.said + (step === form.steps[kind] ? " This is the last step." : "");
    if (found.spec) await draw(byId("step-chart"), found.spec);
    await draw(byId("step-errors"), errorChart(found.errors, found.classes));
    byId("step-errors").dataset.steps = String(found.errors.length);
  }
  function again() {
    ladder = null; step = 0;
    byId("ladder-again").disabled = true;
    byId("step-said").textContent = "";
    for (const id of ["step-chart", "step-errors"]) { byId(id).replaceChildren(); byId(id).classList.remove("vega-embed"); }
  }
}
async function draw(element, spec) {
  const rest = window.scrollY;
  await window.venireDraw(element, fitting(spec, Math.max(160, element.clientWidth - (element.clientWidth < 460 ? 70 : 150))));
  element.setAttribute("data-live-drawn", "yes");
  if (window.scrollY !== rest) window.scrollTo(0, rest);
}
// The picture no wider than its place: charts of a fixed size are made for paper.
function fitting(node, most) {
  if (Array.isArray(node)) return node.map((one) => fitting(one, most));
  if (node === null || typeof node !== "object") return node;
  const made = {};
  for (const [name, value] of Object.entries(node)) {
    if (name === "width" && typeof value === "number" && value > 60) made[name] = Math.min(value, most);
    else made[name] = name === "datasets" || name === "data" ? value : fitting(value, most);
  }
  return made;
}
function errorChart(errors, classes) {
  const rows = errors.flatMap((one) => [{ step: one.step, error: one.training, rows: "training" }, { step: one.step, error: one.held_out, rows: "held out" }]);
  return {
    data: { values: rows }, width: 380, height: 150,
    mark: { type: "line", point: true },
    encoding: { x: { field: "step", type: "quantitative", axis: { values: errors.length <= 12 ? errors.map((one) => one.step) : undefined, format: "d", tickMinStep: 1, title: "step" } }, y: { field: "error", type: "quantitative", axis: { title: classes ? "error rate" : "root mean squared error" }, scale: { zero: true } },
      color: { field: "rows", type: "nominal", scale: { domain: ["training", "held out"], range: ["#d2691e", "#3b7dd8"] }, legend: { title: null, orient: "bottom" } } },
  };
}
