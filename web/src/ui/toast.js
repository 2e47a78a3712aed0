// A message that is shown over the page for some seconds.

import { fill, html } from "./element.js";

/** How long a message stays, in milliseconds. */
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
