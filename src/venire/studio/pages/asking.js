// Requests to the studio: JSON in, JSON out; what is refused is said on the page.
import { byId, h } from "./building.js";

export async function ask(method, path, body) {
  const json = body !== undefined && !(body instanceof Blob);
  const answer = await fetch(path, {
    method, credentials: "same-origin",
    headers: json ? { "content-type": "application/json" } : body ? { "content-type": "application/octet-stream" } : {},
    body: json ? JSON.stringify(body) : body,
  });
  const document = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const error = document.error || { message: "the studio did not answer as it should" };
    throw Object.assign(new Error(error.message), { hint: error.hint, code: error.code });
  }
  return document;
}
export function say(error) {
  const place = byId("trouble");
  place.replaceChildren(h("b", {}, error.message), error.hint ? h("span", {}, " — " + error.hint) : "",
    h("button", { type: "button", class: "quiet", onclick: () => { place.hidden = true; } }, "Close"));
  place.hidden = false;
  place.scrollIntoView({ block: "nearest" });
}
export function quietly() {
  const place = byId("trouble");
  if (place) place.hidden = true;
}
// Runs what a person asked for: errors are shown, and the control is not pressed twice meanwhile.
export async function carryOut(control, work) {
  quietly();
  if (control) control.setAttribute("aria-busy", "true");
  try { return await work(); }
  catch (error) { say(error); return undefined; }
  finally { if (control) control.removeAttribute("aria-busy"); }
}
