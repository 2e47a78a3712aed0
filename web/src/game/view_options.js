// View options that this browser remembers for all games.

import { html } from "../ui/element.js";

/** A setting that is on or off, with its button. */
export class ViewOption {
  element;
  #storage;
  #key;

  /**
   * @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} storage
   * @param {string} name the storage key, without its prefix
   * @param {{ text: string, title: string }} label
   * @param {() => void} onChange
   */
  constructor(storage, name, { text, title }, onChange) {
    this.#storage = storage;
    this.#key = `adamant.${name}`;
    this.onChange = onChange;
    this.on = storage.getItem(this.#key) !== null;
    this.element = html("button", { class: "quiet view-option", title, onclick: () => this.toggle() }, text);
    this.#show();
  }

  toggle() {
    this.on = !this.on;
    if (this.on) this.#storage.setItem(this.#key, "1");
    else this.#storage.removeItem(this.#key);
    this.#show();
    this.onChange();
  }

  #show() {
    this.element.setAttribute("aria-pressed", String(this.on));
  }
}
