// A button that starts a game against the server's easiest bot.

import { loadCatalogue } from "../net/catalogue.js";
import { html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { playComputer } from "../ui/house.js";
import { strings } from "../strings/strings.js";

/** @import {App} from "../app.js" */

/**
 * @param {App} app
 * @param {string} kind
 */
export function playButton(app, kind) {
  const button = html("button", { onclick: () => void start() }, strings.learn.play);
  const start = async () => {
    button.disabled = true;
    try {
      const { house = [] } = await loadCatalogue(app.connection);
      if (!(await playComputer(app, { rules: kind }, house, "easy"))) app.navigate("/");
    } catch (error) {
      app.showToast(errorText(error));
    } finally {
      button.disabled = false;
    }
  };
  return button;
}
