// A game to watch and nothing more, as other pages frame it: the board, the players with their
// clocks, and how it stands.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { formatTime, splitPeriods } from "./clock.js";
import { WatchedBoard } from "./watched_board.js";

/** @import {Snapshot} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */

/** How often clocks are drawn, in milliseconds. */
const TICK_MS = 200;

export class SpectatorBoard {
  element = html("div", { class: "spectator-board" });
  #board;
  #sides = html("ol", { class: "sides" });
  #status = html("span", { role: "status" });
  #link = html("a", {}, strings.embed.open);
  #tick;

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {{ target?: string, onChange?: (snapshot: Snapshot) => void, onNotFound?: () => void }} [how]
   *   the window in which the link to the game opens, and what to call
   */
  constructor(connection, game, { target, onChange = () => {}, onNotFound = () => {} } = {}) {
    this.#link.href = `/game/${game}`;
    if (target !== undefined) this.#link.target = target;
    const show = (/** @type {Snapshot} */ snapshot) => {
      this.#show(snapshot);
      onChange(snapshot);
    };
    this.#board = new WatchedBoard(connection, game, { onChange: show, onNotFound });
    this.element.append(this.#board.element, this.#sides, html("p", { class: "caption" }, this.#status, this.#link));
    this.#tick = setInterval(() => this.#showSides(), TICK_MS);
  }

  close() {
    clearInterval(this.#tick);
    this.#board.close();
  }

  /** @param {Snapshot} snapshot */
  #show({ seats, result, to_move: toMove }) {
    const users = seats.map(({ user }) => strings.player(user));
    update(this.#status, result ? strings.result(result, users) : strings.game.waitingFor(users[toMove ?? 0] ?? ""));
    this.#showSides();
  }

  #showSides() {
    const { snapshot } = this.#board;
    if (snapshot === undefined) return;
    update(
      this.#sides,
      snapshot.seats.map(({ user, rating, state }, seat) =>
        html(
          "li",
          { class: `side-row seat${seat}${snapshot.to_move === seat ? " turn" : ""}${state === "in" ? "" : " out"}` },
          html("span", { class: "name" }, strings.player(user)),
          rating != null && html("span", { class: "rating" }, rating),
          html("span", { class: "clock" }, this.#clock(snapshot, seat)),
        ),
      ),
    );
  }

  /**
   * @param {Snapshot} snapshot
   * @param {number} seat
   */
  #clock({ clock }, seat) {
    const left = this.#board.timeLeft(seat);
    return left === undefined ? "" : formatTime(splitPeriods(clock, left).ms);
  }
}
