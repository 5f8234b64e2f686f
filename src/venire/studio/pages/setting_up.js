// What was read, and what is asked: kinds to correct, the target, what counts, and how long it may take.
import { ask, carryOut } from "./asking.js";
import { byId, count, figure, h, option } from "./building.js";

const KINDS = ["numeric", "categorical", "boolean", "date", "left out"];
const BUDGETS = [["30", "30 seconds"], ["60", "1 minute"], ["300", "5 minutes"], ["600", "10 minutes"], ["3600", "1 hour"], ["none", "as long as it takes"]];
const TASKS = { classification: "classes", regression: "a number" };
const METRICS = { error: "error rate", balanced_error: "balanced error", log_loss: "log loss", brier: "Brier score", auc: "area under the ROC curve",
  f1: "F1", cost: "cost", rmse: "root mean squared error", mae: "mean absolute error", r2: "R²" };

export async function setUp(place, file, choices, started) {
  let kinds = {};
  const seen = await ask("POST", "/api/look", { file });
  const columns = [...seen.columns.map((c) => c.from || c.name), ...seen.left_out.map((c) => c.name)].filter((name, at, all) => all.indexOf(name) === at);
  const last = seen.columns.at(-1);
  let facts = seen, target = last ? last.from || last.name : columns[0], task = "";
  const read = (known) => ask("POST", "/api/look", known ? { file, target, kinds, task } : { file, kinds });
  place.hidden = false;
  draw();
  await look();
  byId("setup-title").focus();

  // The table with another target; where that cannot be one, nothing is asked until another is chosen.
  async function look(focus) {
    const found = await carryOut(byId("target"), () => read(true));
    facts = found || { ...facts, target: null };
    draw();
    if (focus) place.querySelector(focus)?.focus();
  }
  async function correct(name, kind) {
    const before = { ...kinds };
    const column = seen.columns.find((c) => (c.from || c.name) === name);
    const original = !column ? "left out" : column.from ? "date" : column.kind;
    if (kind === original) delete kinds[name]; else kinds[name] = kind;
    const found = await carryOut(null, () => read(facts.target !== null));
    if (found) facts = found; else kinds = before;
    draw();
    place.querySelector("[data-kind-of='" + CSS.escape(name) + "']")?.focus();
  }
  function draw() {
    const keep = values();
    place.replaceChildren(
      h("h2", { id: "setup-title", tabIndex: -1 }, facts.source),
      h("p", { class: "lead" }, count(facts.rows, "row") + ", " + count(facts.columns.length, "column") + (facts.left_out.length ? ", " + facts.left_out.length + " left out" : "")
        + ". " + [facts.reading.format?.toUpperCase(), facts.reading.encoding, facts.reading.delimiter ? "fields parted by “" + facts.reading.delimiter.replace("\t", "tab") + "”" : null].filter(Boolean).join(", ") + "."),
      facts.notes.length ? h("ul", { class: "notes" }, facts.notes.slice(0, 8).map((note) => h("li", {}, note.column ? h("b", {}, note.column + ": ") : "", note.message))) : "",
      h("div", { class: "setup" }, columnTable(), question(facts.target ? facts.target.task : null)),
    );
    fill(keep);
    byId("ask-form").addEventListener("submit", start);
    byId("target").addEventListener("change", (event) => { target = event.target.value; task = ""; look("#target"); });
    byId("task").addEventListener("change", (event) => { task = event.target.value; look("#task"); });
    const toggled = () => { for (const box of place.querySelectorAll("[name=model]")) box.disabled = byId("all-models").checked; };
    byId("all-models").addEventListener("change", toggled);
    toggled();
  }
  function columnTable() {
    const shown = [...facts.columns.filter((c, at, all) => at === all.findIndex((d) => (d.from || d.name) === (c.from || c.name))).map((c) => ({ ...c, name: c.from || c.name, kind: c.from ? "date" : c.kind })),
      ...facts.left_out.map((c) => ({ ...c, kind: "left out", out: true }))];
    return h("div", { class: "scroll columns", tabIndex: 0, role: "region", "aria-label": "Columns" }, h("table", {},
      h("thead", {}, h("tr", {}, ["column", "kind", "missing", "values"].map((text, at) => h("th", { scope: "col", class: at === 2 ? "n" : "" }, text)))),
      h("tbody", {}, shown.map((c) => h("tr", {}, h("th", { scope: "row", class: "w" }, c.name),
        h("td", {}, h("select", { "aria-label": "kind of " + c.name, "data-kind-of": c.name, onchange: (event) => correct(c.name, event.target.value) },
          KINDS.map((kind) => option(kind, kind, kind === c.kind)))),
        h("td", { class: "n" }, c.out ? "" : count(c.missing)), h("td", { class: "w soft" }, c.out ? c.reason : valuesOf(c)))))));
  }
  function question(found) {
    const others = (none) => [option("", none), ...columns.filter((name) => name !== target).map((name) => option(name))];
    const classes = facts.target && facts.target.classes ? facts.target.classes : [];
    const models = choices.models.filter((m) => found === null || m.task === "both" || m.task === found);
    return h("form", { class: "panel ask", id: "ask-form" },
      field("target", "What is to be predicted?", h("select", { id: "target" }, columns.map((name) => option(name, name, name === target)))),
      facts.target ? h("p", { class: "read" }, targetWords(facts.target)) : "",
      field("task", "Taken as", h("select", { id: "task" }, found ? "" : option("", "as it looks"), Object.entries(TASKS).map(([name, text]) => option(name, text, name === found)))),
      classes.length === 2 ? field("positive", "Class of interest", h("select", { id: "positive" }, classes.map((c) => option(c.label, c.label, c.label === facts.target.positive)))) : "",
      field("metric", "What counts", h("select", { id: "metric" }, option("", found === "regression" ? "root mean squared error (default)" : "error rate, or cost where costs are given (default)"),
        (choices.metrics[found] || []).map((name) => option(name, METRICS[name] || name)))),
      classes.length === 2 ? field("costs", "Costs, false alarm : miss", h("input", { id: "costs", placeholder: "such as 1:10", pattern: "[0-9.]+:[0-9.]+" })) : "",
      h("details", {}, h("summary", {}, "Groups, time, folds and more"),
        field("groups", "Rows of one group stay together", h("select", { id: "groups" }, others("no groups"))),
        field("time", "Order in time", h("select", { id: "time" }, others("no order"))),
        field("weights", "Weight of a row", h("select", { id: "weights" }, others("all rows count the same"))),
        field("folds", "Folds", h("input", { id: "folds", type: "number", min: 2, max: 50, placeholder: "by rows and budget" })),
        field("difference", "Smallest difference that matters", h("input", { id: "difference", type: "number", min: 0, step: "any", placeholder: "1 % of the baseline’s error" })),
        field("seed", "Seed", h("input", { id: "seed", type: "number", min: 0, value: 0 }))),
      h("details", {}, h("summary", {}, "Models"), h("label", { class: "check" }, h("input", { type: "checkbox", id: "all-models", checked: true }), " all models"),
        h("fieldset", { class: "models" }, h("legend", { class: "unseen" }, "Models"), models.map((m) => h("label", { class: "check", title: m.path }, h("input", { type: "checkbox", name: "model", value: m.family }), " " + m.family)))),
      field("budget", "It may take", h("select", { id: "budget" }, BUDGETS.map(([value, text]) => option(value, text, value === "60")))),
      h("p", { class: "buttons" }, h("button", { type: "submit", class: "strong", id: "start", disabled: !facts.target }, "Compare the models")));
  }
  function values() {
    const found = {};
    for (const name of ["metric", "costs", "groups", "time", "weights", "folds", "difference", "seed", "budget"]) if (byId(name)) found[name] = byId(name).value;
    found.models = [...place.querySelectorAll("[name=model]:checked")].map((box) => box.value);
    found.all = byId("all-models") ? byId("all-models").checked : true;
    found.open = [...place.querySelectorAll("details")].map((part) => part.open);
    return found;
  }
  function fill(found) {
    for (const [name, value] of Object.entries(found)) {
      const control = typeof value === "string" ? byId(name) : null;
      if (control && (control.tagName !== "SELECT" || [...control.options].some((o) => o.value === value))) control.value = value;
    }
    byId("all-models").checked = found.all;
    for (const box of place.querySelectorAll("[name=model]")) box.checked = found.models.includes(box.value);
    place.querySelectorAll("details").forEach((part, at) => { part.open = Boolean(found.open[at]); });
  }
  async function start(event) {
    event.preventDefault();
    const given = values(), asked = { file, target, kinds, task };
    for (const name of ["metric", "costs", "groups", "time", "weights"]) if (given[name]) asked[name] = given[name];
    if (byId("positive")) asked.positive = byId("positive").value;
    if (given.folds) asked.folds = Number(given.folds);
    if (given.difference) asked.practical_difference = Number(given.difference);
    asked.seed = Number(given.seed || 0);
    asked.budget = given.budget === "none" ? "none" : Number(given.budget);
    if (!given.all && given.models.length) asked.models = given.models;
    const job = await carryOut(byId("start"), () => ask("POST", "/api/jobs", asked));
    if (job) { place.hidden = true; place.replaceChildren(); started(job); }
  }
}
const field = (id, text, control) => h("p", { class: "field" }, h("label", { htmlFor: id }, text), control);
function valuesOf(column) {
  if (column.range) return figure(column.range[0]) + " to " + figure(column.range[1]);
  if (column.examples) return column.examples.slice(0, 4).map((one) => one.value).join(", ") + (column.distinct > 4 ? ", …" : "");
  return count(column.distinct, "value");
}
function targetWords(target) {
  if (!target.classes) return "A number, from " + figure(target.range[0]) + " to " + figure(target.range[1]) + ".";
  const some = target.classes.slice(0, 6).map((c) => c.label + " (" + count(c.rows) + ")").join(", ");
  return "Classes: " + some + (target.classes.length > 6 ? ", … " + target.classes.length + " in all" : "") + ".";
}
