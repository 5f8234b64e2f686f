// Elements and words: texts become text nodes, so that no name in a table is ever read as HTML.
export function h(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name in element && name !== "list" && name !== "form") element[name] = value;
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}
export const byId = (id) => document.getElementById(id);
export const option = (value, text = value, selected = false) => h("option", { value, selected }, text);
export function count(number, word) {
  const shown = number.toLocaleString("en");
  return word === undefined ? shown : shown + " " + word + (number === 1 ? "" : "s");
}
// Sizes, lengths of time and how long ago: in the words of the terminal (`wording.py`, `flow/listing.py`), which a test compares.
export function size(bytes) {
  if (bytes < 1000) return count(Math.trunc(bytes), "byte");
  const units = ["kB", "MB", "GB", "TB"];
  let at = 0, amount = bytes / 1000;
  while (amount >= 999.5 && at < units.length - 1) { amount /= 1000; at += 1; }
  return (amount < 9.95 ? amount.toFixed(1).replace(/\.0$/, "") : amount.toFixed(0)) + " " + units[at];
}
function two(all, each, unit, smaller) {
  const many = Math.floor(all / each), few = all % each;
  return many + " " + unit + (few ? " " + few + " " + smaller : "");
}
export function duration(seconds) {
  if (seconds < 0.05) return "<0.1 s";
  if (seconds < 59.5) return (seconds >= 9.95 || Number.isInteger(seconds) ? seconds.toFixed(0) : seconds.toFixed(1)) + " s";
  if (Math.round(seconds) < 3600) return two(Math.round(seconds), 60, "min", "s");
  if (Math.round(seconds / 60) < 24 * 60) return two(Math.round(seconds / 60), 60, "h", "min");
  return two(Math.round(seconds / 3600), 24, seconds >= 47.5 * 3600 ? "days" : "day", "h");
}
export function ago(moment) {
  const seconds = Math.max(0, (Date.now() - new Date(moment).getTime()) / 1000);
  if (seconds < 60) return "just now";
  if (seconds < 3600) return Math.floor(seconds / 60) + " min ago";
  if (seconds < 86400) return Math.floor(seconds / 3600) + " h ago";
  return count(Math.floor(seconds / 86400), "day") + " ago";
}
export const figure = (value) => (value === null || value === undefined ? "–" : Number(value.toPrecision(3)).toString());
// Three digits with their zeros, 3.40 and not 3.4, as on the leaderboard.
export const digits = (value) => (Math.abs(value) < 100 ? value.toPrecision(3) : figure(value));
export function percent(share) {
  if (share > 0 && share < 0.001) return "<0.1\u00a0%";
  if (share < 1 && share > 0.999) return ">99.9\u00a0%";
  return (100 * share).toFixed(1).replace(/\.0$/, "") + "\u00a0%";
}
