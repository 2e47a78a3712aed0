// The front page: play now, find opponents, return to a game, watch others.

import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { emblem } from "./emblems.js";
import { FinishedGames } from "./finished.js";
import { HousePicker } from "./house.js";
import { Lobby } from "./lobby.js";
import { MyGames } from "./my_games.js";
import { NewGameForm } from "./new_game_form.js";
import { challenge } from "./matchmaking.js";
import { Watching } from "./watching.js";

/** @import {App, View} from "../app.js" */

const t = strings.home;

/** @implements {View} */
export class HomePage {
  element;
  #app;
  #cards = html("div", { class: "games" }, html("p", { class: "empty" }, strings.loading));
  /** The catalogue that the cards were drawn from. */
  #catalogue = "";
  #housePicker = new HousePicker(localStorage);
  #error = html("p", { class: "error", role: "alert" });
  #newGameForm;
  #watching;
  #parts;
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} [opponent] a player to challenge
   */
  constructor(app, opponent = "") {
    this.#app = app;
    this.#newGameForm = new NewGameForm(app, this.#housePicker);
    if (opponent !== "") this.#newGameForm.challenge(opponent);
    const [myGames, lobby, finished] = [new MyGames(app), new Lobby(app), new FinishedGames(app)];
    this.#watching = new Watching(app);
    this.#parts = [myGames, lobby, finished, this.#watching];
    this.element = html(
      "div",
      { class: "home" },
      html("section", { class: "hero" }, html("h1", {}, t.heading), html("p", { class: "lead" }, t.lead)),
      myGames.element,
      html("div", { class: "quick-play" }, this.#housePicker.element, this.#cards),
      this.#error,
      this.#watching.element,
      html(
        "div",
        { class: "columns" },
        html("div", {}, lobby.element, finished.element),
        this.#newGameForm.element,
      ),
    );
    app.setTitle(strings.home.title);
    this.#unsubscribe = app.connection.on("welcome", () => this.#load());
    if (app.connection.welcome !== undefined) this.#load();
  }

  close() {
    this.#unsubscribe();
    for (const part of this.#parts) part.close();
  }

  async #load() {
    try {
      const { games, house = [] } = await this.#app.connection.request({ type: "catalogue" });
      // The form keeps its input while the catalogue stays the same.
      const catalogue = JSON.stringify([games, house]);
      if (catalogue !== this.#catalogue) {
        this.#catalogue = catalogue;
        update(this.#cards, games.map(({ rules }) => this.#card(strings.kind(rules))));
        this.#housePicker.setBots(house);
        this.#newGameForm.setGames(games);
      }
      await this.#watching.follow(games.map(({ rules }) => rules));
    } catch {
      // The next welcome requests it again.
    }
  }

  /** @param {string} rules */
  #card(rules) {
    return html(
      "button",
      { class: "game", "data-rules": rules, onclick: () => this.#play(rules) },
      emblem(rules),
      html("span", { class: "name" }, strings.gameName(rules)),
      html("span", { class: "line" }, strings.gameLine(rules)),
      html("span", { class: "go" }, t.play),
    );
  }

  /** @param {string} rules */
  async #play(rules) {
    fill(this.#error);
    try {
      await challenge(this.#app, { rules }, [this.#housePicker.user], 0, { immediate: true });
    } catch (error) {
      fill(this.#error, errorText(error));
    }
  }
}
