// Buttons below the moves of an analysis.

import { copyText } from "../game/share.js";
import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { writeRecord } from "./record_text.js";

/** @import {App} from "../app.js" */
/** @import {Options} from "../wire.js" */

const t = strings.analysis;

/**
 * A button: its key, its text, what it does, and whether that is possible now.
 * @typedef {[key: string, text: string, onclick: () => void, disabled?: boolean]} Tool
 */

export class ToolRow {
  element = html("div", { class: "analysis-tools", role: "group", "aria-label": strings.game.tools });

  /** @param {...(Tool | HTMLElement | false)} tools */
  show(...tools) {
    update(this.element, ...tools.map((tool) => (Array.isArray(tool) ? button(tool) : tool)));
  }
}

/** @param {Tool} tool */
function button([key, text, onclick, disabled = false]) {
  return html("button", { class: "quiet", "data-key": key, disabled, onclick }, text);
}

/**
 * Copies an address of this page.
 * @param {App} app
 * @param {{ path: string, isWhole: boolean }} address
 */
export async function copyAddress(app, { path, isWhole }) {
  if (isWhole) await copyText(app, location.origin + path, t.copied);
  else app.showToast(t.addressTooLong);
}

/**
 * Saves a game as a text file.
 * @param {{ rules: string, options: Options, users: readonly string[], moves: readonly string[] }} game
 */
export function saveRecord(game) {
  const url = URL.createObjectURL(new Blob([writeRecord(game)], { type: "text/plain" }));
  html("a", { href: url, download: `${strings.kind(game.rules)}.txt` }).click();
  URL.revokeObjectURL(url);
}
