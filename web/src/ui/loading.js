// The line of a view, or of a part of it, that waits for the server.

import { strings } from "../strings/strings.js";
import { html } from "./element.js";

/** What marks such a line while it waits. */
const MARK = "data-loading";

/** Returns such a line. */
export function loadingLine() {
  return html("p", { class: "empty", [MARK]: true }, strings.loading);
}

/**
 * Notes that what a line waited for has come.
 * @param {HTMLElement} line
 * @param {string} text what it says instead
 */
export function hasLoaded(line, text) {
  line.removeAttribute(MARK);
  if (line.textContent !== text) line.textContent = text;
}

/**
 * Tells whether something in a view still waits, and is seen.
 * @param {HTMLElement} view
 * @param {string} text what the lines say they wait for
 */
export function isLoading(view, text) {
  const lines = [...view.querySelectorAll(`[${MARK}]`)];
  for (const line of lines) if (line.textContent !== text) line.textContent = text;
  return lines.some((line) => line.getClientRects().length > 0);
}
