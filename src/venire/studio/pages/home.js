// The first page: choose a table, watch jobs, open runs.
import { ask, carryOut, say } from "./asking.js";
import { ago, byId, count, digits, h, option, size } from "./building.js";
import { jobCard } from "./job_cards.js";
import { setUp } from "./setting_up.js";
const STATES = { budget: "out of time" };

const choices = await ask("GET", "/api/choices");
const chosen = new Set();
const cards = byId("job-cards");
await refresh();
document.body.dataset.ready = "yes";

byId("file").addEventListener("change", (event) => { if (event.target.files.length) send(event.target.files[0]); });
const drop = byId("drop");
for (const name of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(name, (event) => { event.preventDefault(); drop.classList.toggle("over", name === "dragover"); });
}
document.addEventListener("drop", (event) => { if (event.dataTransfer.files.length) send(event.dataTransfer.files[0]); });
byId("by-path").addEventListener("submit", (event) => {
  event.preventDefault();
  const path = byId("path").value.trim().replace(/^\.\//, "");
  if (path) carryOut(byId("open-path"), () => open(path));
});
byId("compare-two").addEventListener("click", () => { const [one, other] = [...chosen]; location.href = "/compare/" + one + "/" + other; });

async function send(file) {
  byId("working").textContent = "Reading " + file.name + " …";
  await carryOut(drop, async () => {
    const { file: name } = await ask("POST", "/api/uploads?name=" + encodeURIComponent(file.name), file);
    await open(name);
  });
  byId("working").textContent = "";
  byId("file").value = "";
}
async function open(name) {
  byId("setup").hidden = true;
  await setUp(byId("setup"), name, choices, (job) => {
    byId("jobs").hidden = false;
    const card = addCard(job);
    cards.prepend(card);
    card.tabIndex = -1;
    card.focus();
  });
}
function addCard(job) {
  return jobCard(job, {
    ended: (now, card) => { const mine = card.contains(document.activeElement) || document.activeElement === document.body; if (mine) card.querySelector("[data-does=open]")?.focus(); refresh(true); },
    forgotten: () => { byId("jobs").hidden = cards.children.length === 0; },
  });
}
async function refresh(lists = false) {
  let now;
  try { now = await ask("GET", "/api/state"); } catch (error) { say(error); return; }
  byId("tables").replaceChildren(...now.tables.map((table) => h("li", {}, h("button", { type: "button", class: "file", onclick: (event) => carryOut(event.currentTarget, () => open(table.path)) },
    h("span", {}, table.path), h("span", { class: "soft" }, size(table.bytes))))));
  byId("paths").replaceChildren(...now.tables.map((table) => option(table.path)));
  byId("no-tables").hidden = now.tables.length > 0;
  if (!lists) cards.replaceChildren(...now.jobs.reverse().filter((job) => job.state !== "done").map(addCard));
  byId("jobs").hidden = cards.children.length === 0;
  byId("runs").hidden = now.runs.length === 0;
  byId("run-table").tBodies[0].replaceChildren(...now.runs.map(row));
  choiceChanged();
}
function row(run) {
  const box = h("input", { type: "checkbox", "aria-label": "choose " + run.name, disabled: !run.comparison || run.error === undefined, checked: chosen.has(run.key),
    onchange: (event) => { if (event.target.checked) chosen.add(run.key); else chosen.delete(run.key); choiceChanged(); } });
  const shown = run.error === undefined || run.error === null ? "–" : run.higher_is_better ? digits(1 - run.error) : digits(run.error);
  const name = run.comparison && run.error !== undefined ? h("a", { href: "/runs/" + run.key }, run.name) : run.name;
  return h("tr", {}, h("td", {}, box), h("th", { scope: "row", class: "w" }, name, h("span", { class: "soft key8" }, " " + run.key.slice(0, 8))), h("td", { class: "w far" }, run.target),
    h("td", { class: "n far" }, count(run.rows)), h("td", {}, h("span", { class: "soft metric" }, shown === "–" ? "" : run.metric_label + " "), shown), h("td", {}, run.chosen || "–"), h("td", {}, STATES[run.state] || run.state), h("td", { class: "soft" }, ago(run.last_run)),
    h("td", {}, h("button", { type: "button", class: "quiet", "aria-label": "Delete " + run.name, onclick: (event) => erase(run, event.currentTarget) }, "Delete")));
}
async function erase(run, control) {
  if (control.dataset.sure !== "yes") {
    named("yes", "Really?", "Really delete " + run.name);
    setTimeout(() => named("no", "Delete", "Delete " + run.name), 4000);
    return;
  }
  await carryOut(control, () => ask("DELETE", "/api/runs/" + run.key));
  chosen.delete(run.key);
  await refresh(true);
  byId("runs-title").focus();

  function named(sure, text, label) { control.dataset.sure = sure; control.textContent = text; control.setAttribute("aria-label", label); }
}
function choiceChanged() { byId("compare-two").disabled = chosen.size !== 2; }
