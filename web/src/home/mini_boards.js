// Games that are being played, as small moving pictures. However many there are and however fast they
// move, a frame has only so much to draw: what has changed is drawn where it can be seen, and what does
// not fit into one frame is drawn in the next.

import { Board } from "../board/board.js";
import { changes } from "../board/changes.js";
import { html } from "../ui/element.js";
import { words } from "../strings.js";

/** @import {BoardLayout, GameEntry, LiveChange, LiveGame} from "../wire.js" */
/** @import {App} from "../main.js" */
/** @import {Mark} from "../board/markers.js" */
/** @import {LastMove} from "../game/game_sync.js" */

/** How long boards are drawn in one frame, in milliseconds: a quarter of what 60 frames a second leave. */
const DRAWING_MAX_MS = 4;

/** How far outside of what is seen a board counts as seen, so that none comes into view empty. */
const SEEN_MARGIN = "200px";

/**
 * Which games are shown, and how many.
 * @typedef {object} Wanted
 * @property {string} [rules] only of this kind
 * @property {boolean} [many] as many as the server tells of
 * @property {number} [shown] how many at the most
 * @property {() => string | undefined} [except] a game that is shown elsewhere
 */

export class Thumbs {
  element = html("ul", { class: "thumbs" });
  #app;
  #wanted;
  #heard;
  #stops;
  /** Live games by id. @type {Map<string, LiveGame>} */
  #games = new Map();
  /** Those that are shown. @type {Map<string, Thumb>} */
  #thumbs = new Map();
  /** Thumbs that do not show the latest, first come first drawn. @type {Set<Thumb>} */
  #stale = new Set();
  /** Layouts by what they depend on: many games share one. @type {Map<string, Promise<BoardLayout>>} */
  #layouts = new Map();
  #frame = 0;
  #seen = new IntersectionObserver((entries) => this.#looked(entries), { rootMargin: SEEN_MARGIN });

  /**
   * @param {App} app
   * @param {Wanted} wanted
   * @param {() => void} heard told when games have come or gone
   */
  constructor(app, wanted, heard) {
    this.#app = app;
    this.#wanted = wanted;
    this.#heard = heard;
    const { connection } = app;
    this.#stops = [
      connection.on("welcome", () => this.#ask()),
      connection.on("live", (/** @type {LiveChange} */ change) => this.#changed(change)),
    ];
    if (connection.welcome !== undefined) this.#ask();
  }

  /** How many games are shown. */
  get size() {
    return this.#thumbs.size;
  }

  /** Whether there are games that find no place here. */
  get overflows() {
    const elsewhere = this.#games.has(this.#wanted.except?.() ?? "") ? 1 : 0;
    return this.#games.size - elsewhere > this.#thumbs.size;
  }

  close() {
    for (const stop of this.#stops) stop();
    cancelAnimationFrame(this.#frame);
    this.#seen.disconnect();
    this.#app.connection.request({ type: "live", watch: false }).catch(() => {});
  }

  async #ask() {
    const { rules, many } = this.#wanted;
    try {
      this.#changed(await this.#app.connection.request({ type: "live", rules, many }));
    } catch {
      // The next welcome asks again.
    }
  }

  /** @param {LiveChange} change */
  #changed(change) {
    if (change.full) this.#games.clear();
    for (const game of change.remove) this.#games.delete(game);
    for (const each of change.add) {
      this.#games.set(each.entry.game, each);
      const thumb = this.#thumbs.get(each.entry.game);
      if (thumb?.take(each)) this.#stale.add(thumb);
    }
    this.arrange();
  }

  /** Gives the games their places. They keep them as long as they are shown: only what is over gives way. */
  arrange() {
    const except = this.#wanted.except?.();
    for (const [game, thumb] of this.#thumbs) {
      if (!this.#games.has(game) || game === except) this.#drop(game, thumb);
    }
    const room = (this.#wanted.shown ?? Number.POSITIVE_INFINITY) - this.#thumbs.size;
    if (room > 0) {
      const waiting = [...this.#games.values()].filter(({ entry: { game } }) => game !== except && !this.#thumbs.has(game));
      waiting.sort((one, other) => other.entry.last_at - one.entry.last_at);
      for (const live of waiting.slice(0, room)) this.#begin(live);
    }
    this.#heard();
    this.#later();
  }

  /**
   * @param {string} game
   * @param {Thumb} thumb
   */
  #drop(game, thumb) {
    this.#seen.unobserve(thumb.element);
    thumb.element.remove();
    this.#thumbs.delete(game);
    this.#stale.delete(thumb);
  }

  /** @param {LiveGame} live */
  async #begin(live) {
    const { game } = live.entry;
    const thumb = new Thumb(live);
    this.#thumbs.set(game, thumb);
    this.element.append(thumb.element);
    this.#seen.observe(thumb.element);
    try {
      thumb.layout = await this.#layout(live.entry);
    } catch {
      this.#drop(game, thumb);
    }
    // The game may have ended before its board was known.
    if (this.#thumbs.get(game) !== thumb) return;
    this.#stale.add(thumb);
    this.#later();
  }

  /** @param {GameEntry} entry */
  #layout({ game, rules, options, seats }) {
    const key = JSON.stringify([rules, options, seats.length]);
    const known = this.#layouts.get(key) ?? this.#app.connection.request({ type: "layout", game });
    this.#layouts.set(key, known);
    known.catch(() => this.#layouts.delete(key));
    return known;
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #looked(entries) {
    const seen = new Map(entries.map((entry) => [entry.target, entry.isIntersecting]));
    for (const thumb of this.#thumbs.values()) thumb.seen = seen.get(thumb.element) ?? thumb.seen;
    this.#later();
  }

  /** Draws before the next frame, however much comes until then. */
  #later() {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#frame = 0;
    const until = performance.now() + DRAWING_MAX_MS;
    for (const thumb of this.#stale) {
      if (!thumb.seen || thumb.layout === undefined) continue;
      if (performance.now() >= until) return this.#later();
      this.#stale.delete(thumb);
      thumb.draw();
    }
  }
}

/** One game in small. */
class Thumb {
  element;
  /** @type {BoardLayout | undefined} */
  layout;
  /** Whether it is where it can be seen. */
  seen = false;
  #board = new Board();
  #live;
  /** What is drawn. @type {LiveGame | undefined} */
  #drawn;

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

  /**
   * Takes note of how the game stands, and says whether there is something to draw.
   * @param {LiveGame} live
   */
  take(live) {
    const isNews = live.seq !== this.#live.seq;
    this.#live = live;
    return isNews;
  }

  draw() {
    const [before, { position }] = [this.#drawn?.position, this.#live];
    if (this.layout === undefined) return;
    if (before === undefined) this.#board.setUp(this.layout, { live: false, labels: false });
    const marks = before === undefined ? new Map() : pointedOut({ ...changes(before, position), captured: [] });
    this.#drawn = this.#live;
    this.#board.show({ position, marks, still: true });
  }
}

/** @param {GameEntry} entry */
export function players(entry) {
  const users = entry.seats.map((seat) => (seat.rating == null ? seat.user : `${seat.user} ${seat.rating}`));
  return html("span", { class: "players" }, html("b", {}, words.gameName(entry.rules)), ` ${words.home.versus(users)}`);
}

/** @param {LastMove} move */
export function pointedOut(move) {
  /** @type {Map<string, Set<Mark>>} */
  const marks = new Map();
  for (const cell of move.lost) marks.set(cell, new Set(["last-from"]));
  for (const cell of move.gained) marks.set(cell, new Set(["last-to"]));
  return marks;
}
