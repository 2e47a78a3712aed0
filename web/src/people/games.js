// Finished games by kind, player, opponent and result.

import { html } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { FinishedList } from "./finished_list.js";
import { GameFilters } from "./game_filters.js";

/** @import {App, View} from "../app.js" */

const t = strings.games;

/** @implements {View} */
export class GamesPage {
  element;
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} hash of the address
   */
  constructor(app, hash) {
    app.setTitle(t.title);
    const list = new FinishedList(app);
    const show = () => list.show(filters.filter);
    const filters = new GameFilters(hash, undefined, show);
    this.element = html("section", { class: "games-page" }, html("h1", {}, t.title), filters.element, list.element);
    this.#unsubscribe = app.connection.on("welcome", show);
    if (app.connection.welcome !== undefined) show();
  }

  close() {
    this.#unsubscribe();
  }
}
