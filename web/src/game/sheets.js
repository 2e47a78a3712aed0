// Sheets over the game: the settings of the board, and the keys.

import { html } from "../ui/element.js";
import { viewSettingsPanel } from "../ui/view_settings.js";
import { strings } from "../strings/strings.js";

/** @import {ViewOption} from "./view_options.js" */

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
