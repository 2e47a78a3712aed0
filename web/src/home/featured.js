// The featured game, which follows the one that the server chooses, preferably one between people.

import { Board } from "../board/board.js";
import { lastMoveHighlights } from "../board/markers.js";
import { formatTime, timeLeft } from "../game/clock.js";
import { GameSync } from "../game/game_sync.js";
import { fill, html } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { captionOf } from "./mini_boards.js";

/** @import {Featured, GameEntry, Snapshot} from "../wire.js" */
/** @import {App} from "../app.js" */

/** How long the end of a featured game stays, in milliseconds. */
const END_SHOWN_MS = 5_000;

/** How often clocks are drawn, in milliseconds. */
const TICK_MS = 500;

export class FeaturedGame {
  element = html("a", { class: "featured", hidden: true });
  #app;
  #onChange;
  #filter;
  #unsubscribe;
  /** Featured games by kind. @type {Map<string, Featured>} */
  #choices = new Map();
  /** @type {GameSync | undefined} */
  #sync;
  #board = new Board();
  #line = html("span", { class: "line" });
  #result = html("span", { class: "result", hidden: true });
  #tick = setInterval(() => this.#drawClocks(), TICK_MS);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #next;

  /**
   * @param {App} app
   * @param {() => void} onChange called when another game is featured
   * @param {{ heading?: Element, filter?: (entry: GameEntry) => boolean }} [options] what stands above the board, and which games to show
   */
  constructor(app, onChange, { heading, filter = () => true } = {}) {
    this.#app = app;
    this.#onChange = onChange;
    this.#filter = filter;
    if (heading !== undefined) this.element.append(heading);
    this.element.append(html("div", { class: "frame", "aria-hidden": "true" }, this.#board), this.#line, this.#result);
    this.#unsubscribe = app.connection.on("tv", (/** @type {Featured} */ featured) => this.#onFeatured(featured));
  }

  /** The shown game. */
  get game() {
    return this.#sync?.game;
  }

  close() {
    this.#unsubscribe();
    clearInterval(this.#tick);
    clearTimeout(this.#next);
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
    const isOver = this.#sync?.snapshot?.result != null;
    clearTimeout(this.#next);
    if (isOver) this.#next = setTimeout(() => this.#choose(), END_SHOWN_MS);
    else this.#choose();
  }

  #choose() {
    const choices = [...this.#choices.values()].filter(({ entry }) => entry != null && this.#filter(entry));
    if (choices.some((each) => each.game === this.game)) return;
    const latest = choices.sort((one, other) => (other.entry?.last_at ?? 0) - (one.entry?.last_at ?? 0));
    const choice = latest.find((each) => each.entry?.seats.every((seat) => !seat.bot)) ?? latest[0];
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
    fill(this.#line, captionOf(entry));
    this.#result.hidden = true;
    let drawn = false;
    this.#sync = new GameSync(this.#app.connection, game, {
      onChange: ({ snapshot, layout, lastMove }) => {
        if (snapshot === undefined || layout === undefined) return;
        if (!drawn) this.#board.setLayout(layout, { live: false, labels: false });
        drawn = true;
        this.#board.show({ position: snapshot.position, highlights: lastMove ? lastMoveHighlights(lastMove) : new Map() });
        fill(this.#line, captionOf({ ...entry, to_move: snapshot.to_move ?? undefined }));
        this.#showResult(snapshot);
        this.#drawClocks();
      },
      onEvent: () => {},
      onNotFound: () => {},
      onError: () => {},
    });
    this.#sync.open();
  }

  /** @param {Snapshot} snapshot */
  #showResult({ result, seats }) {
    this.#result.hidden = result === null;
    if (result !== null) fill(this.#result, strings.result(result, seats.map(({ user }) => strings.player(user))));
  }

  #drawClocks() {
    const { snapshot } = this.#sync ?? {};
    if (snapshot === undefined) return;
    [...this.#line.querySelectorAll(".player")].forEach((player, seat) => {
      const left = timeLeft(snapshot.clock, seat, this.#app.connection.time.now());
      const clock = player.querySelector(".time") ?? html("span", { class: "time" });
      if (clock.parentNode === null) player.append(clock);
      const text = left === undefined ? "" : formatTime(left);
      if (clock.textContent !== text) clock.textContent = text;
    });
  }
}
