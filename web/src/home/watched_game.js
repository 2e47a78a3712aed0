// One live game as a board with its players and their times. It follows the game to its end.

import { Board } from "../board/board.js";
import { lastMoveHighlights } from "../board/markers.js";
import { formatTime, timeLeft } from "../game/clock.js";
import { GameSync } from "../game/game_sync.js";
import { fill, html } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { captionOf } from "./mini_boards.js";

/** @import {GameEntry, Snapshot} from "../wire.js" */
/** @import {App} from "../app.js" */

/** How often clocks are drawn, in milliseconds. */
const TICK_MS = 500;

export class WatchedGame {
  /** What stands in a link to the game. */
  content;
  #app;
  #entry;
  #sync;
  #board = new Board();
  #caption = html("span", { class: "line" });
  #result = html("span", { class: "result", hidden: true });
  #tick = setInterval(() => this.#drawClocks(), TICK_MS);
  #drawn = false;

  /**
   * @param {App} app
   * @param {GameEntry} entry
   */
  constructor(app, entry) {
    this.#app = app;
    this.#entry = entry;
    fill(this.#caption, captionOf(entry));
    this.content = [html("div", { class: "frame", "aria-hidden": "true" }, this.#board), this.#caption, this.#result];
    this.#sync = new GameSync(app.connection, entry.game, {
      onChange: () => this.#draw(),
      onEvent: () => {},
      onNotFound: () => {},
      onError: () => {},
    });
    this.#sync.open();
  }

  get game() {
    return this.#entry.game;
  }

  get isOver() {
    return this.#sync.snapshot?.result != null;
  }

  close() {
    clearInterval(this.#tick);
    this.#sync.close();
  }

  #draw() {
    const { snapshot, layout, lastMove } = this.#sync;
    if (snapshot === undefined || layout === undefined) return;
    if (!this.#drawn) this.#board.setLayout(layout, { live: false, labels: false });
    this.#drawn = true;
    this.#board.show({ position: snapshot.position, highlights: lastMove ? lastMoveHighlights(lastMove) : new Map() });
    fill(this.#caption, captionOf({ ...this.#entry, to_move: snapshot.to_move ?? undefined }));
    this.#drawResult(snapshot);
    this.#drawClocks();
  }

  /** @param {Snapshot} snapshot */
  #drawResult({ result, seats }) {
    this.#result.hidden = result === null;
    if (result !== null) fill(this.#result, strings.result(result, seats.map(({ user }) => strings.player(user))));
  }

  #drawClocks() {
    const { snapshot } = this.#sync;
    if (snapshot === undefined) return;
    [...this.#caption.querySelectorAll(".player")].forEach((player, seat) => {
      const left = timeLeft(snapshot.clock, seat, this.#app.connection.time.now());
      const clock = player.querySelector(".time") ?? html("span", { class: "time" });
      if (clock.parentNode === null) player.append(clock);
      const text = left === undefined ? "" : formatTime(left);
      if (clock.textContent !== text) clock.textContent = text;
    });
  }
}
