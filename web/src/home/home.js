// The front page: a first game for visitors; for those who come back their own games first. Then
// games that wait for an opponent, and games to watch.

import { catalogue, loadCatalogue } from "../net/catalogue.js";
import { html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { playComputer } from "../ui/house.js";
import { storage } from "../strings/storage.js";
import { strings } from "../strings/strings.js";
import { GameCards } from "./cards.js";
import { FinishedGames } from "./finished.js";
import { LevelPicker } from "../set_up/choices.js";
import { Lobby, OpenGames } from "./open_games.js";
import { OwnGames } from "./own_games.js";
import { SetUp } from "../set_up/set_up.js";
import { Waiting } from "./waiting.js";
import { Watching } from "./watching.js";

/** @import {App, View} from "../app.js" */
/** @import {Opponent} from "../set_up/set_up.js" */
/** @import {GameCatalogue} from "../wire.js" */

const t = strings.home;

/** @implements {View} */
export class HomePage {
  element = html("div", { class: "home" });
  #app;
  #heading = html("div");
  #level = new LevelPicker(storage, "card-level", strings.house.legend);
  #cards = new GameCards((rules, against) => this.#play(rules, against));
  /** The catalogue that the cards were drawn from. @type {GameCatalogue | undefined} */
  #catalogue;
  #setUp;
  #watching;
  #parts;
  #unsubscribe;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    const [lobby, ownGames, finished] = [new Lobby(app), new OwnGames(app), new FinishedGames(app)];
    const waiting = new Waiting(app, lobby);
    this.#setUp = new SetUp(app, () => waiting.load());
    const bots = html("p", { class: "soft" }, html("a", { href: "/bots" }, strings.bots.link));
    const openGames = new OpenGames(app, lobby, () => this.#setUp.open({ against: "person" }));
    this.#watching = new Watching(app);
    this.#parts = [lobby, ownGames, waiting, finished, this.#watching];
    this.element.append(
      this.#heading,
      waiting.element,
      ownGames.element,
      html("section", { class: "quick-play" }, html("div", { class: "heading" }, html("h2", {}, t.newGame), this.#level.element), this.#cards.element, bots),
      html("div", { class: "columns" }, html("div", {}, openGames.element, finished.element), this.#watching.element),
      this.#setUp.element,
    );
    app.setTitle(t.title);
    const known = catalogue();
    if (known !== undefined) this.#showGames(known);
    this.#unsubscribe = app.connection.onSession(() => this.#load());
    this.#greet();
  }

  close() {
    this.#unsubscribe();
    for (const part of this.#parts) part.close();
  }

  /** Greets visitors. Those who come back want to play. */
  #greet() {
    const { welcome } = this.#app.connection;
    const isVisitor = welcome === undefined ? this.#app.identity.auth() === undefined : welcome.user === null;
    this.element.classList.toggle("visitor", isVisitor);
    update(
      this.#heading,
      isVisitor
        ? html("section", { class: "hero", "data-key": "hero" }, html("h1", {}, t.heading), html("p", { class: "lead" }, t.lead), html("p", {}, html("a", { href: "/learn" }, strings.learn.inAMinute)))
        : html("h1", { class: "visually-hidden", "data-key": "play" }, t.welcome),
    );
  }

  async #load() {
    this.#greet();
    try {
      const known = await loadCatalogue(this.#app.connection);
      this.#showGames(known);
      await this.#watching.follow(known.games.map(({ rules }) => strings.kind(rules)));
    } catch {
      // The next welcome requests it again.
    }
  }

  /**
   * Draws what depends on the catalogue. The dialog keeps its input while the catalogue stays.
   * @param {GameCatalogue} known
   */
  #showGames(known) {
    if (known === this.#catalogue) return;
    this.#catalogue = known;
    this.#cards.show(known.games.map(({ rules }) => strings.kind(rules)));
    this.#setUp.setCatalogue(known.games, known.house ?? []);
  }

  /**
   * @param {string} rules
   * @param {Opponent} against
   */
  async #play(rules, against) {
    if (against !== "computer") return this.#setUp.open({ rules, against });
    try {
      const { house = [] } = await loadCatalogue(this.#app.connection);
      // Without the server's own bots there are still people.
      if (!(await playComputer(this.#app, { rules }, house, this.#level.level))) this.#setUp.open({ rules, against: "person" });
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
    return undefined;
  }
}
