// Sheets over the game: the settings of the board, and the keys. The browser remembers the settings.

import { strings } from "../strings/strings.js";
import { html } from "../ui/element.js";
import { viewSettingsPanel } from "../ui/view_settings.js";

const t = strings.game;

export class Sheet {
  element;

  /**
   * @param {string} title
   * @param {...(Node | string)} content
   */
  constructor(title, ...content) {
    const close = html("button", { class: "quiet close", onclick: () => this.element.close() }, t.close);
    const heading = html("h2", {}, title);
    this.element = html("dialog", { class: "sheet", "aria-label": title }, html("header", {}, heading, close), ...content);
    // A click beside the sheet closes it.
    this.element.addEventListener("click", ({ target }) => {
      if (target === this.element) this.element.close();
    });
  }

  open() {
    if (!this.element.open) this.element.showModal();
  }
}

/** The keys of a game. */
export function keysSheet() {
  const rows = t.keyList.map(([keys = "", what = ""]) =>
    html("tr", {}, html("th", { scope: "row" }, keys.split(" ").map((key) => html("kbd", {}, key))), html("td", {}, what)),
  );
  return new Sheet(t.keys, html("table", { class: "key-list" }, html("tbody", {}, rows)));
}

/**
 * The settings of the board.
 * @param {readonly ViewOption[]} options
 * @param {HTMLElement} downloads
 */
export function settingsSheet(options, downloads) {
  const own = html("div", { class: "view-options" }, options.map(({ element }) => element));
  return new Sheet(t.settings, own, viewSettingsPanel(), html("h3", {}, t.keepGame), downloads);
}

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
