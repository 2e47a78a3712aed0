// Games that are being played, as moving pictures: a featured one at a size to be followed, others
// small beside it.

import { Board } from "../board/board.js";
import { Feed } from "../game/game_sync.js";
import { html } from "../ui/element.js";
import { words } from "../strings.js";
import { Thumbs, players, pointedOut } from "./mini_boards.js";

/** @import {Featured, GameEntry} from "../wire.js" */
/** @import {App} from "../main.js" */

const say = words.home;

/** Games that are shown small. */
const SHOWN_MAX = 12;

export class Watching {
  element = html("section", { class: "watching", hidden: true });
  #featured;
  #thumbs;
  #all = html("a", { href: "/live", class: "all", hidden: true }, say.all);

  /** @param {App} app */
  constructor(app) {
    this.#featured = new FeaturedGame(app, () => this.#thumbs.arrange());
    const wanted = { shown: SHOWN_MAX, except: () => this.#featured.game };
    this.#thumbs = new Thumbs(app, wanted, () => this.#arrange());
    this.element.append(
      this.#featured.element,
      html("div", {}, html("h2", {}, say.live), this.#thumbs.element, this.#all),
    );
  }

  close() {
    this.#featured.close();
    this.#thumbs.close();
  }

  /**
   * Looks at what is featured.
   * @param {string[]} kinds of games
   */
  offer(kinds) {
    return this.#featured.offer(kinds);
  }

  #arrange() {
    const { size, overflows } = this.#thumbs;
    this.element.hidden = this.#featured.game === undefined && size === 0;
    this.element.classList.toggle("alone", size === 0);
    this.#all.hidden = !overflows;
  }
}

/** The game that the server features, of whichever kind has one that people play. */
class FeaturedGame {
  element = html("a", { class: "featured", hidden: true });
  #app;
  #heard;
  #stops;
  /** By kind. @type {Map<string, Featured>} */
  #choices = new Map();
  /** @type {Feed | undefined} */
  #feed;
  #board = new Board();
  #line = html("span", { class: "players" });

  /**
   * @param {App} app
   * @param {() => void} heard told that it is another game
   */
  constructor(app, heard) {
    this.#app = app;
    this.#heard = heard;
    this.element.append(html("h2", {}, say.featured), html("div", { class: "frame" }, this.#board), this.#line);
    const { connection } = app;
    this.#stops = [connection.on("tv", (/** @type {Featured} */ featured) => this.#told(featured))];
  }

  /** The game that is shown. */
  get game() {
    return this.#feed?.game;
  }

  close() {
    for (const stop of this.#stops) stop();
    this.#feed?.close();
    for (const rules of this.#choices.keys()) {
      this.#app.connection.request({ type: "tv", rules, watch: false }).catch(() => {});
    }
  }

  /** @param {string[]} kinds */
  async offer(kinds) {
    for (const rules of kinds) {
      try {
        this.#told(await this.#app.connection.request({ type: "tv", rules }));
      } catch {
        // The next welcome asks again.
      }
    }
  }

  /** @param {Featured} featured */
  #told(featured) {
    this.#choices.set(words.kind(featured.rules), featured);
    const choices = [...this.#choices.values()].filter((each) => each.game !== null);
    if (choices.some((each) => each.game === this.game)) return;
    const people = choices.find((each) => each.entry?.seats.every((seat) => !seat.bot));
    const choice = people ?? choices[0];
    this.#feed?.close();
    this.#feed = undefined;
    this.element.hidden = choice?.entry == null;
    if (choice?.game != null && choice.entry != null) this.#follow(choice.game, choice.entry);
    this.#heard();
  }

  /**
   * @param {string} game
   * @param {GameEntry} entry
   */
  #follow(game, entry) {
    this.element.setAttribute("href", `/game/${game}`);
    this.#line.replaceChildren(players(entry));
    let drawn = false;
    this.#feed = new Feed(this.#app.connection, game, {
      changed: ({ snapshot, layout, lastMove }) => {
        if (snapshot === undefined || layout === undefined) return;
        if (!drawn) this.#board.setUp(layout, { live: false, labels: false });
        drawn = true;
        this.#board.show({ position: snapshot.position, marks: lastMove ? pointedOut(lastMove) : new Map() });
      },
      event: () => {},
      missing: () => {},
      refused: () => {},
    });
    this.#feed.open();
  }
}
