// The first view: play at once, find somebody, go on with one's own games, look at others'.

import { fill, html, refill } from "../ui/element.js";
import { reason } from "../ui/error_text.js";
import { words } from "../strings.js";
import { emblem } from "./emblems.js";
import { Finished } from "./finished.js";
import { House } from "./house.js";
import { Lobby } from "./lobby.js";
import { OwnGames } from "./my_games.js";
import { SetUp } from "./new_game_form.js";
import { challenge } from "./matchmaking.js";
import { Watching } from "./watching.js";

/** @import {App, View} from "../main.js" */

const say = words.home;

/** @implements {View} */
export class Home {
  element;
  #app;
  #cards = html("div", { class: "games" }, html("p", { class: "empty" }, words.loading));
  /** What the server offered last. */
  #offered = "";
  #house = new House(localStorage);
  #complaint = html("p", { class: "complaint", role: "alert" });
  #setUp;
  #watching;
  #parts;
  #stop;

  /**
   * @param {App} app
   * @param {string} [challenged] a player who is to be challenged
   */
  constructor(app, challenged = "") {
    this.#app = app;
    this.#setUp = new SetUp(app, this.#house);
    if (challenged !== "") this.#setUp.challenge(challenged);
    const [own, lobby, finished] = [new OwnGames(app), new Lobby(app), new Finished(app)];
    this.#watching = new Watching(app);
    this.#parts = [own, lobby, finished, this.#watching];
    this.element = html(
      "div",
      { class: "home" },
      html("section", { class: "hero" }, html("h1", {}, say.heading), html("p", { class: "lead" }, say.lead)),
      own.element,
      html("div", { class: "now" }, this.#house.element, this.#cards),
      this.#complaint,
      this.#watching.element,
      html(
        "div",
        { class: "halves" },
        html("div", {}, lobby.element, finished.element),
        this.#setUp.element,
      ),
    );
    app.entitle(words.home.title);
    this.#stop = app.connection.on("welcome", () => this.#ask());
    if (app.connection.welcome !== undefined) this.#ask();
  }

  close() {
    this.#stop();
    for (const part of this.#parts) part.close();
  }

  async #ask() {
    try {
      const { games, house = [] } = await this.#app.connection.request({ type: "catalogue" });
      // What was chosen and typed stays while the server offers the same.
      const offered = JSON.stringify([games, house]);
      if (offered !== this.#offered) {
        this.#offered = offered;
        refill(this.#cards, games.map(({ rules }) => this.#card(words.kind(rules))));
        this.#house.offer(house);
        this.#setUp.offer(games);
      }
      await this.#watching.offer(games.map(({ rules }) => rules));
    } catch {
      // The next welcome asks again.
    }
  }

  /** @param {string} rules */
  #card(rules) {
    return html(
      "button",
      { class: "game", "data-rules": rules, onclick: () => this.#play(rules) },
      emblem(rules),
      html("span", { class: "name" }, words.gameName(rules)),
      html("span", { class: "line" }, words.gameLine(rules)),
      html("span", { class: "go" }, say.play),
    );
  }

  /** @param {string} rules */
  async #play(rules) {
    fill(this.#complaint);
    try {
      await challenge(this.#app, { rules }, [this.#house.user], 0, { atOnce: true });
    } catch (error) {
      fill(this.#complaint, reason(error));
    }
  }
}
