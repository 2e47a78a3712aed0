// Messages that are shown over the page: sentences for some seconds, and notices that stay until
// somebody takes them away.

import { fill, html, update } from "./element.js";

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

/** Notices, which have buttons. The oldest is on top. */
export class Notices {
  element;

  /** @param {string} label names the notices to screen readers */
  constructor(label) {
    this.element = html("section", { class: "notices", "aria-label": label, "aria-live": "polite" });
  }

  /**
   * Shows notices in place of those that are shown. One with the same `data-key` stays.
   * @param {HTMLElement[]} notices
   */
  show(notices) {
    // Nothing is announced unless it is new.
    if (notices.length > 0 || this.element.firstChild !== null) update(this.element, notices);
  }
}
