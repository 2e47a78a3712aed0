// A button that starts a game against the server's easiest bot.

import { loadCatalogue } from "../net/catalogue.js";
import { html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";

/** @import {App} from "../app.js" */

/** The level of a first game. */
const LEVEL = "easy";

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
      await app.identity.ensureUser();
      const bot = house.find(({ level }) => level === LEVEL)?.user;
      const me = app.connection.welcome?.user?.name;
      if (bot === undefined || me === undefined) return app.navigate("/");
      // The page shows the game when it starts.
      app.games.awaitingStart = true;
      await app.connection.request({ type: "challenge", rules: kind, seats: [me, bot] });
    } catch (error) {
      app.showToast(errorText(error));
    } finally {
      button.disabled = false;
    }
    return undefined;
  };
  return button;
}
