// One live game as a board with its players and their times. It follows the game to its end.

import { formatTime } from "../game/clock.js";
import { WatchedBoard } from "../game/watched_board.js";
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
  #entry;
  #board;
  #caption = html("span", { class: "line" });
  #result = html("span", { class: "result", hidden: true });
  #tick = setInterval(() => this.#drawClocks(), TICK_MS);

  /**
   * @param {App} app
   * @param {GameEntry} entry
   */
  constructor(app, entry) {
    this.#entry = entry;
    fill(this.#caption, captionOf(entry));
    this.#board = new WatchedBoard(app.connection, entry.game, { onChange: (snapshot) => this.#draw(snapshot) });
    this.content = [html("div", { class: "frame", "aria-hidden": "true" }, this.#board.element), this.#caption, this.#result];
  }

  get game() {
    return this.#entry.game;
  }

  get isOver() {
    return this.#board.snapshot?.result != null;
  }

  close() {
    clearInterval(this.#tick);
    this.#board.close();
  }

  /** @param {Snapshot} snapshot */
  #draw(snapshot) {
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
    if (this.#board.snapshot === undefined) return;
    [...this.#caption.querySelectorAll(".player")].forEach((player, seat) => {
      const left = this.#board.timeLeft(seat);
      const clock = player.querySelector(".time") ?? html("span", { class: "time" });
      if (clock.parentNode === null) player.append(clock);
      const text = left === undefined ? "" : formatTime(left);
      if (clock.textContent !== text) clock.textContent = text;
    });
  }
}
