// View options that this browser remembers.

import { html } from "../ui/element.js";

/** A setting that is on or off, with its switch. */
export class ViewOption {
  element;
  #input;
  #storage;
  #key;

  /**
   * @param {Pick<Storage, "getItem" | "setItem">} storage
   * @param {string} name the storage key, without its prefix
   * @param {{ text: string, title: string }} label
   * @param {() => void} onChange
   * @param {boolean} [initial] the value until the user sets one
   */
  constructor(storage, name, { text, title }, onChange, initial = false) {
    this.#storage = storage;
    this.#key = `adamant.${name}`;
    this.onChange = onChange;
    const stored = storage.getItem(this.#key);
    this.on = stored === null ? initial : stored === "1";
    this.#input = html("input", { type: "checkbox", onchange: () => this.toggle() });
    this.#input.checked = this.on;
    this.element = html("label", { class: "view-option", title }, this.#input, html("span", {}, text));
  }

  toggle() {
    this.on = !this.on;
    this.#input.checked = this.on;
    this.#storage.setItem(this.#key, this.on ? "1" : "0");
    this.onChange();
  }
}
