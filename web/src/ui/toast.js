// A sentence that has no place of its own: shown over the page for a moment.

import { fill, html } from "./element.js";

/** How long a sentence stays, in milliseconds. */
const SHOWN_MS = 7_000;

export class Toast {
  element = html("div", { class: "toast", role: "status" });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {string} text */
  show(text) {
    clearTimeout(this.#timer);
    fill(this.element, text);
    this.#timer = setTimeout(() => fill(this.element), SHOWN_MS);
  }
}
