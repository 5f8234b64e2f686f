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
  for (const element of document.querySelectorAll("[data-chart]")) {
    const spec = specs[element.dataset.chart];
    // On a narrow screen a legend beside the chart would leave no room for the chart.
    const legend = element.clientWidth < 460 ? { orient: "bottom", columns: 2 } : {};
    const axisX = { titleLimit: Math.min(element.clientWidth - 60, 340) };  // a long name ends in "…"
    const options = {
      actions: false, renderer: "svg", ast: true, mode: "vega-lite",
      config: { ...config, axisX, legend: { ...config.legend, ...legend } },
    };
    if (legend.orient) dropLegendSides(spec, element.clientWidth < 380 ? 1 : 2);
    window.vegaEmbed(element, spec, options).then(
      () => element.setAttribute("data-drawn", "yes"),
      (error) => { element.textContent = "This chart could not be drawn: " + error.message; },
    );
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
