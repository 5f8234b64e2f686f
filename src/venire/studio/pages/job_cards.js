// A job at work: the leaderboard fills as families are complete, with the time that is left.
import { ask, carryOut } from "./asking.js";
import { count, duration, figure, h } from "./building.js";

const ENDED = ["done", "stopped", "failed", "forgotten"];
const WORDS = { waiting: "waiting for its turn", running: "running", done: "done", stopped: "stopped", failed: "failed" };

// One stream for all cards of a page: a browser keeps no more than six connections to one place, for all its pages.
const watched = new Map();
let source = null, soon = null;
document.addEventListener("visibilitychange", listen);

function watch(key, hear) {
  watched.set(key, hear);
  clearTimeout(soon);
  soon = setTimeout(listen, 0); // once for all cards that are put on the page together
}
function listen() {
  if (source) source.close();
  source = null;
  if (!watched.size || document.hidden) return;
  source = new EventSource("/api/events?jobs=" + [...watched.keys()].join(","));
  source.onmessage = (event) => {
    const now = JSON.parse(event.data), hear = watched.get(now.id);
    if (ENDED.includes(now.state)) watched.delete(now.id);
    if (!watched.size) source.close();
    if (hear) hear(now);
  };
}
export function jobCard(job, { ended, forgotten, stay = false }) {
  const card = h("article", { class: "panel job", "data-job": job.id, "aria-label": "Comparison of " + job.called });
  show(job);
  if (!ENDED.includes(job.state)) watch(job.id, heard);
  return card;

  function heard(now) {
    if (now.state === "forgotten") { leave(); return; }
    show(now);
    if (ended && ENDED.includes(now.state)) ended(now, card);
  }
  function leave() { card.remove(); if (forgotten) forgotten(); }
  function show(now) {
    card.dataset.state = now.state;
    const progress = now.progress || {};
    const focused = card.contains(document.activeElement) ? document.activeElement.dataset.does : null;
    card.replaceChildren(
      h("div", { class: "line" }, h("h3", {}, now.called, now.target ? h("span", { class: "soft" }, " → " + now.target) : ""),
        h("span", { class: "tag state-" + now.state }, WORDS[now.state]), h("span", { class: "spacer" }), ...buttons(now)),
      h("p", { class: "soft", role: "status" }, sentence(now, progress)),
      now.state === "running" ? bar(progress) : "",
      progress.errors && Object.keys(progress.errors).length && now.state !== "failed" ? board(progress.errors) : "",
    );
    if (focused) card.querySelector("[data-does=" + focused + "]")?.focus();
  }
  function buttons(now) {
    const does = (name, text, work) => h("button", { type: "button", "data-does": name, onclick: (event) => carryOut(event.target, work) }, text);
    if (now.state === "running" || now.state === "waiting") return [does("stop", "Stop", () => ask("POST", path("/stop")))];
    const made = now.run && !stay ? [h("a", { class: "button strong", "data-does": "open", href: "/runs/" + now.run }, "Open the verdict")] : [];
    if (now.state !== "done") made.push(does("resume", "Resume", async () => { show(await ask("POST", path("/resume"))); watch(job.id, heard); }));
    made.push(does("forget", "Dismiss", async () => { await ask("DELETE", path("")); leave(); }));
    return made;
  }
  function path(rest) { return "/api/jobs/" + job.id + rest; }
}
function sentence(now, progress) {
  if (now.state === "failed" && now.error) return now.error.message + (now.error.hint ? " — " + now.error.hint : "");
  if (now.state === "stopped") return "Stopped. What is finished is kept; it resumes where it stopped.";
  if (now.state === "waiting") return "It starts when the one before it has ended.";
  if (now.state === "done") return "The verdict is ready.";
  const parts = [progress.note || "starting"];
  if (progress.total) parts.push(count(progress.done) + " of " + count(progress.total, "trial"));
  if (progress.left > 1 && progress.done < progress.total) parts.push("about " + duration(Number(progress.left.toPrecision(2))) + " left");
  return parts.join(" · ");
}
function bar(progress) {
  const share = progress.total ? progress.done / progress.total : 0;
  return h("progress", { max: 1, value: share, "aria-label": "trials done" }, Math.round(100 * share) + " %");
}
function board(errors) {
  const rows = Object.entries(errors).sort((one, other) => one[1] - other[1]);
  const most = Math.max(...rows.map((row) => row[1]), 1e-12);
  return h("table", { class: "filling" }, h("caption", { class: "unseen" }, "Leaderboard so far"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "family"), h("th", { scope: "col", class: "n" }, "loss so far"), h("th", {}, ""))),
    h("tbody", {}, rows.map(([name, error]) => {
      const drawn = h("span", { class: "gauge" }, h("span", {}));
      drawn.firstChild.style.width = (100 * error / most) + "%";
      return h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "n" }, figure(error)), h("td", {}, drawn));
    })));
}
