// Live games on the front page: the featured one, and mini boards beside it.

import { Board } from "../board/board.js";
import { lastMoveHighlights } from "../board/markers.js";
import { GameSync } from "../game/game_sync.js";
import { html } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { MiniBoards, players } from "./mini_boards.js";

/** @import {Featured, GameEntry} from "../wire.js" */
/** @import {App} from "../app.js" */

const t = strings.home;

/** Number of mini boards. */
const SHOWN_MAX = 12;

export class Watching {
  element = html("section", { class: "watching", hidden: true });
  #featured;
  #miniBoards;
  #all = html("a", { href: "/live", class: "all", hidden: true }, t.all);

  /** @param {App} app */
  constructor(app) {
    this.#featured = new FeaturedGame(app, () => this.#miniBoards.update());
    const selection = { shown: SHOWN_MAX, except: () => this.#featured.game };
    this.#miniBoards = new MiniBoards(app, selection, () => this.#arrange());
    this.element.append(
      this.#featured.element,
      html("div", {}, html("h2", {}, t.live), this.#miniBoards.element, this.#all),
    );
  }

  close() {
    this.#featured.close();
    this.#miniBoards.close();
  }

  /**
   * Follows the featured games.
   * @param {string[]} kinds of games
   */
  follow(kinds) {
    return this.#featured.follow(kinds);
  }

  #arrange() {
    const { size, overflows } = this.#miniBoards;
    this.element.hidden = this.#featured.game === undefined && size === 0;
    this.element.classList.toggle("alone", size === 0);
    this.#all.hidden = !overflows;
  }
}

/** The featured game, preferably one between people. */
class FeaturedGame {
  element = html("a", { class: "featured", hidden: true });
  #app;
  #onChange;
  #unsubscribe;
  /** Featured games by kind. @type {Map<string, Featured>} */
  #choices = new Map();
  /** @type {GameSync | undefined} */
  #sync;
  #board = new Board();
  #line = html("span", { class: "players" });

  /**
   * @param {App} app
   * @param {() => void} onChange called when another game is featured
   */
  constructor(app, onChange) {
    this.#app = app;
    this.#onChange = onChange;
    this.element.append(html("h2", {}, t.featured), html("div", { class: "frame" }, this.#board), this.#line);
    const { connection } = app;
    this.#unsubscribe = [connection.on("tv", (/** @type {Featured} */ featured) => this.#onFeatured(featured))];
  }

  /** The shown game. */
  get game() {
    return this.#sync?.game;
  }

  close() {
    for (const stop of this.#unsubscribe) stop();
    this.#sync?.close();
    for (const rules of this.#choices.keys()) {
      this.#app.connection.request({ type: "tv", rules, watch: false }).catch(() => {});
    }
  }

  /** @param {string[]} kinds */
  async follow(kinds) {
    for (const rules of kinds) {
      try {
        this.#onFeatured(await this.#app.connection.request({ type: "tv", rules }));
      } catch {
        // The next welcome requests it again.
      }
    }
  }

  /** @param {Featured} featured */
  #onFeatured(featured) {
    this.#choices.set(strings.kind(featured.rules), featured);
    const choices = [...this.#choices.values()].filter((each) => each.game !== null);
    if (choices.some((each) => each.game === this.game)) return;
    const people = choices.find((each) => each.entry?.seats.every((seat) => !seat.bot));
    const choice = people ?? choices[0];
    this.#sync?.close();
    this.#sync = undefined;
    this.element.hidden = choice?.entry == null;
    if (choice?.game != null && choice.entry != null) this.#follow(choice.game, choice.entry);
    this.#onChange();
  }

  /**
   * @param {string} game
   * @param {GameEntry} entry
   */
  #follow(game, entry) {
    this.element.setAttribute("href", `/game/${game}`);
    this.#line.replaceChildren(players(entry));
    let drawn = false;
    this.#sync = new GameSync(this.#app.connection, game, {
      onChange: ({ snapshot, layout, lastMove }) => {
        if (snapshot === undefined || layout === undefined) return;
        if (!drawn) this.#board.setLayout(layout, { live: false, labels: false });
        drawn = true;
        this.#board.show({ position: snapshot.position, highlights: lastMove ? lastMoveHighlights(lastMove) : new Map() });
      },
      onEvent: () => {},
      onNotFound: () => {},
      onError: () => {},
    });
    this.#sync.open();
  }
}
