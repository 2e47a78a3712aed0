// Games that are being played, as moving pictures: a featured one at a size to be followed, the others
// small beside it.

import { Board } from "../board/board.js";
import { changes } from "../board/changes.js";
import { Feed } from "../game/feed.js";
import { html } from "../ui/element.js";
import { words } from "../words.js";

/** @import {BoardLayout, Featured, GameEntry, LiveChange, LiveGame} from "../wire.js" */
/** @import {App} from "../main.js" */
/** @import {Mark} from "../board/signs.js" */
/** @import {LastMove} from "../game/feed.js" */

const say = words.home;

/** Games that are shown small. */
const SHOWN_MAX = 12;

export class Watching {
  element = html("section", { class: "watching", hidden: true });
  #app;
  #stops;
  #featured;
  #small = html("ul", { class: "thumbs" });
  /** Live games by id, the latest change last. @type {Map<string, LiveGame>} */
  #games = new Map();
  /** @type {Map<string, Thumb>} */
  #thumbs = new Map();
  /** Layouts by what they depend on: many games share one. @type {Map<string, Promise<BoardLayout>>} */
  #layouts = new Map();
  #frame = 0;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#featured = new FeaturedGame(app, () => this.#later());
    this.element.append(this.#featured.element, html("div", {}, html("h2", {}, say.live), this.#small));
    const { connection } = app;
    this.#stops = [
      connection.on("welcome", () => this.#ask()),
      connection.on("live", (/** @type {LiveChange} */ change) => this.#changed(change)),
    ];
    if (connection.welcome !== undefined) this.#ask();
  }

  close() {
    for (const stop of this.#stops) stop();
    cancelAnimationFrame(this.#frame);
    this.#featured.close();
    this.#app.connection.request({ type: "live", watch: false }).catch(() => {});
  }

  /**
   * Looks at what is featured.
   * @param {string[]} kinds of games
   */
  offer(kinds) {
    return this.#featured.offer(kinds);
  }

  async #ask() {
    try {
      this.#changed(await this.#app.connection.request({ type: "live" }));
    } catch {
      // The next welcome asks again.
    }
  }

  /** @param {LiveChange} change */
  #changed(change) {
    if (change.full) this.#games.clear();
    for (const game of change.remove) this.#games.delete(game);
    for (const each of [...change.add].reverse()) {
      this.#games.delete(each.entry.game);
      this.#games.set(each.entry.game, each);
    }
    this.#later();
  }

  /** Draws once before the next frame, however much comes until then. */
  #later() {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  /** Games keep their places as long as they are shown: only what is over gives way. */
  #draw() {
    this.#frame = 0;
    const featured = this.#featured.game;
    for (const [game, thumb] of this.#thumbs) {
      if (this.#games.has(game) && game !== featured) continue;
      thumb.element.remove();
      this.#thumbs.delete(game);
    }
    for (const each of [...this.#games.values()].reverse()) {
      const { game } = each.entry;
      const thumb = this.#thumbs.get(game);
      if (thumb !== undefined) thumb.show(each);
      else if (game !== featured && this.#thumbs.size < SHOWN_MAX) this.#begin(each);
    }
    this.element.hidden = featured === undefined && this.#thumbs.size === 0;
    this.element.classList.toggle("alone", this.#thumbs.size === 0);
  }

  /** @param {LiveGame} live */
  async #begin(live) {
    const thumb = new Thumb(live);
    this.#thumbs.set(live.entry.game, thumb);
    this.#small.append(thumb.element);
    try {
      thumb.setUp(await this.#layout(live.entry));
    } catch {
      this.#thumbs.delete(live.entry.game);
      thumb.element.remove();
    }
  }

  /** @param {GameEntry} entry */
  #layout({ game, rules, options, seats }) {
    const key = JSON.stringify([rules, options, seats.length]);
    const known = this.#layouts.get(key) ?? this.#app.connection.request({ type: "layout", game });
    this.#layouts.set(key, known);
    known.catch(() => this.#layouts.delete(key));
    return known;
  }
}

/** One game in small. */
class Thumb {
  element;
  #board = new Board();
  #live;
  #seq = -1;

  /** @param {LiveGame} live */
  constructor(live) {
    this.#live = live;
    const { entry } = live;
    this.element = html(
      "li",
      {},
      html("a", { class: "thumb", href: `/game/${entry.game}` }, html("div", { class: "frame" }, this.#board), players(entry)),
    );
  }

  /** @param {BoardLayout} layout */
  setUp(layout) {
    this.#board.setUp(layout, { live: false, labels: false });
    this.show(this.#live);
  }

  /** @param {LiveGame} live */
  show(live) {
    const before = this.#live.position;
    this.#live = live;
    if (live.seq === this.#seq || this.#board.childElementCount === 0) return;
    const first = this.#seq < 0;
    this.#seq = live.seq;
    const move = { ...changes(before, live.position), captured: [] };
    this.#board.show({ position: live.position, marks: first ? new Map() : pointedOut(move), still: true });
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
    });
    this.#feed.open();
  }
}

/** @param {GameEntry} entry */
function players(entry) {
  const users = entry.seats.map((seat) => (seat.rating == null ? seat.user : `${seat.user} ${seat.rating}`));
  return html("span", { class: "players" }, html("b", {}, words.gameName(entry.rules)), ` ${say.versus(users)}`);
}

/** @param {LastMove} move */
function pointedOut(move) {
  /** @type {Map<string, Set<Mark>>} */
  const marks = new Map();
  for (const cell of move.lost) marks.set(cell, new Set(["last-from"]));
  for (const cell of move.gained) marks.set(cell, new Set(["last-to"]));
  return marks;
}
