"use strict";
// Charts take the page's own inks through CSS variables, so that dark mode and print need no redrawing.
(function () {
  const specs = JSON.parse(document.getElementById("specs").textContent);
  const ink = "var(--ink)", soft = "var(--soft)", line = "var(--line)";
  const config = {
    background: "transparent",
    font: "system-ui, sans-serif",
    view: { stroke: null },
    padding: { left: 5, top: 5, right: 16, bottom: 5 },  // half of the last label stands beyond the axis
    axis: {
      labelColor: soft, titleColor: soft, domainColor: line, tickColor: line, gridColor: line,
      titleFontWeight: "normal", labelFontSize: 11.5, titleFontSize: 12, labelLimit: 150, titlePadding: 8,
      labelFlush: false, labelSeparation: 6,
    },
    axisY: { titleLimit: 290 },
    legend: { labelColor: ink, titleColor: soft, titleFontWeight: "normal", labelFontSize: 11.5 },
  };
  const views = {};
  for (const element of document.querySelectorAll(".scripted")) element.hidden = false;
  if (matchMedia("(max-width: 640px)").matches) foldSections();
  switchMetrics();
  moveThreshold(JSON.parse(document.getElementById("operating").textContent));
  for (const element of document.querySelectorAll("[data-chart]")) {
    const folded = element.closest("details:not([open])");
    if (folded === null) { show(element); continue; }
    element.setAttribute("data-drawn", "when opened");  // what is folded has no width to be drawn to
    folded.addEventListener("toggle", () => show(element), { once: true });
  }
  function show(element) {
    draw(element, specs[element.dataset.chart]).then(
      (drawn) => {
        views[element.dataset.chart] = drawn.view;
        if ("middle" in element.dataset) element.scrollLeft = (element.scrollWidth - element.clientWidth) / 2;  // the root of a wide tree
        element.setAttribute("data-drawn", "yes");
      },
      (error) => { element.textContent = "This chart could not be drawn: " + error.message; },
    );
  }
  window.venireDraw = draw;  // pages that get further charts later draw them the same way
  function draw(element, spec) {
    // On a narrow screen a legend beside the chart would leave no room for the chart.
    const legend = element.clientWidth < 460 ? { orient: "bottom", columns: 2 } : {};
    const axisX = { titleLimit: Math.min(element.clientWidth - 60, 340) };  // a long name ends in "…"
    const options = {
      actions: false, renderer: "svg", ast: true, mode: "vega-lite",
      config: { ...config, axisX, legend: { ...config.legend, ...legend } },
    };
    if (legend.orient) dropLegendSides(spec, element.clientWidth < 380 ? 1 : 2);
    return window.vegaEmbed(element, spec, options);
  }
  // On a phone the page is its head, the leaderboard and the threshold; the rest is a list of headings to open.
  function foldSections() {
    for (const id of ["pairs", "pictures", "columns", "asked", "learning", "worst", "curves", "read", "how"]) {
      const section = document.getElementById(id);
      if (section !== null) fold(section.querySelector("h2"), [...section.children].slice(1));
    }
    const key = document.querySelector("dl.key"), title = document.createElement("span");
    title.textContent = "What the columns mean";
    if (key !== null) { key.before(title); fold(title, [key]); }
    const open = () => location.hash && document.querySelector(location.hash + " > details.fold")?.setAttribute("open", "");
    addEventListener("hashchange", open);
    addEventListener("beforeprint", () => document.querySelectorAll("details.fold").forEach((each) => { each.open = true; }));
    open();
  }
  function fold(title, parts) {
    const details = document.createElement("details"), summary = document.createElement("summary");
    details.className = "fold";
    title.before(details);
    summary.append(title);
    details.append(summary, ...parts);
  }
  // The leaderboard by another metric: its cells are there already, hidden.
  function switchMetrics() {
    const choice = document.getElementById("metric");
    if (choice === null) return;
    choice.addEventListener("change", () => {
      for (const cell of document.querySelectorAll("[data-by]")) cell.hidden = cell.dataset.by !== choice.value;
    });
  }
  // One slider for the threshold and one for the costs: all pictures, the matrix and the sentence follow.
  function moveThreshold(facts) {
    if (facts === null) return;
    const byId = (id) => document.getElementById(id);
    const at = byId("at"), power = byId("ratio"), rows = facts.positives + facts.negatives;
    let moved = false;  // until then the ratio is the exact one, which a slider's step may miss
    const ratioNow = () => (moved ? Math.pow(10, Number(power.value)) : facts.ratio);
    const costOf = (point, ratio) => 1000 * (ratio * (facts.positives - point.found) + point.alarms) / rows;
    const cheapest = (ratio) => facts.points.reduce(
      (best, point, place) => (costOf(point, ratio) < costOf(facts.points[best], ratio) ? place : best), 0);
    function follow() {
      const place = Number(at.value), point = facts.points[place], ratio = ratioNow();
      const missed = facts.positives - point.found, flagged = point.found + point.alarms;
      const cells = { found: point.found, missed, alarms: point.alarms, passed: facts.negatives - point.alarms };
      for (const [name, number] of Object.entries(cells)) byId("cell-" + name).textContent = number.toLocaleString("en");
      byId("said").textContent = facts.sentences[place];
      byId("cost").textContent = "1,000 rows cost " + costOf(point, ratio).toFixed(1) + " false alarms here; at the least, "
        + costOf(facts.points[cheapest(ratio)], ratio).toFixed(1) + ".";
      const named = (place === facts.decided ? " (as decided)" : "");
      byId("at-value").textContent = Number(point.threshold.toPrecision(3)) + named;
      at.setAttribute("aria-valuetext", "threshold " + Number(point.threshold.toPrecision(3)) + named);
      byId("ratio-value").textContent = String(Number(ratio.toPrecision(2)));
      power.setAttribute("aria-valuetext", Number(ratio.toPrecision(2)) + " false alarms");
      const signals = {
        here_fpr: point.alarms / facts.negatives, here_tpr: point.found / facts.positives,
        iso_slope: facts.negatives / (facts.positives * ratio),
        here_recall: point.found / facts.positives, here_precision: flagged ? point.found / flagged : null,
        cost_ratio: ratio, here_threshold: point.threshold, here_missed: missed, here_alarms: point.alarms,
        here_balance: ratio * facts.positives / (ratio * facts.positives + facts.negatives),
      };
      for (const name of ["roc", "precision_recall", "threshold_cost", "cost_curve"]) tell(views[name], signals);
    }
    function tell(view, signals) {
      if (view === undefined) return;
      const known = view.getState({ signals: (name) => name in signals, data: () => false }).signals;
      for (const name of Object.keys(known)) view.signal(name, signals[name]);
      view.runAsync();
    }
    at.addEventListener("input", follow);
    power.addEventListener("input", () => { moved = true; follow(); });
    byId("to-decided").addEventListener("click", () => { at.value = facts.decided; follow(); });
    byId("to-cheapest").addEventListener("click", () => { at.value = cheapest(ratioNow()); follow(); });
    follow();
  }
  function dropLegendSides(node, columns) {
    if (node === null || typeof node !== "object") return;
    if (node.legend && node.legend.orient === "right") {
      delete node.legend.orient;
      node.legend.columns = columns;
    }
    for (const child of Object.values(node)) dropLegendSides(child, columns);
  }
})();
