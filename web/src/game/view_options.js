// What a visitor switches on or off for every game: it is remembered by this browser.

import { html } from "../ui/element.js";

/** Something that is on or off, with its button. */
export class Switch {
  element;
  #storage;
  #key;

  /**
   * @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} storage
   * @param {string} name under which it is remembered
   * @param {{ text: string, title: string }} words
   * @param {() => void} heard
   */
  constructor(storage, name, { text, title }, heard) {
    this.#storage = storage;
    this.#key = `adamant.${name}`;
    this.heard = heard;
    this.on = storage.getItem(this.#key) !== null;
    this.element = html("button", { class: "quiet switch", title, onclick: () => this.turn() }, text);
    this.#show();
  }

  turn() {
    this.on = !this.on;
    if (this.on) this.#storage.setItem(this.#key, "1");
    else this.#storage.removeItem(this.#key);
    this.#show();
    this.heard();
  }

  #show() {
    this.element.setAttribute("aria-pressed", String(this.on));
  }
}
