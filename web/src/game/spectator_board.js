// A game to watch and nothing more, as other pages frame it: the board, the players with their
// clocks, and how it stands.

import { Board } from "../board/board.js";
import { lastMoveHighlights } from "../board/markers.js";
import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { formatTime, splitPeriods, timeLeft } from "./clock.js";
import { GameSync } from "./game_sync.js";

/** @import {Snapshot} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */

/** How often clocks are drawn, in milliseconds. */
const TICK_MS = 200;

export class SpectatorBoard {
  element = html("div", { class: "spectator-board" });
  #connection;
  #board = new Board();
  #sides = html("ol", { class: "sides" });
  #status = html("span", { role: "status" });
  #link = html("a", {}, strings.embed.open);
  #sync;
  #hasLayout = false;
  #tick;

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {{ target?: string, onChange?: (snapshot: Snapshot) => void, onNotFound?: () => void }} [how]
   *   the window in which the link to the game opens, and what to call
   */
  constructor(connection, game, { target, onChange = () => {}, onNotFound = () => {} } = {}) {
    this.#connection = connection;
    this.#link.href = `/game/${game}`;
    if (target !== undefined) this.#link.target = target;
    this.element.append(this.#board, this.#sides, html("p", { class: "caption" }, this.#status, this.#link));
    this.#sync = new GameSync(connection, game, {
      onChange: () => {
        this.#show();
        if (this.#sync.snapshot !== undefined) onChange(this.#sync.snapshot);
      },
      onEvent: () => {},
      onNotFound,
      onError: () => {},
    });
    this.#tick = setInterval(() => this.#showSides(), TICK_MS);
    this.#sync.open();
  }

  close() {
    clearInterval(this.#tick);
    this.#sync.close();
  }

  #show() {
    const { snapshot, layout, lastMove } = this.#sync;
    if (snapshot === undefined || layout === undefined) return;
    if (!this.#hasLayout) this.#board.setLayout(layout, { live: false, labels: false });
    this.#hasLayout = true;
    const highlights = lastMove === undefined ? new Map() : lastMoveHighlights(lastMove);
    this.#board.show({ position: snapshot.position, highlights });
    const users = snapshot.seats.map(({ user }) => strings.player(user));
    update(this.#status, snapshot.result ? strings.result(snapshot.result, users) : strings.game.waitingFor(users[snapshot.to_move ?? 0] ?? ""));
    this.#showSides();
  }

  #showSides() {
    const { snapshot } = this.#sync;
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
    const left = timeLeft(clock, seat, this.#connection.time.now());
    return left === undefined ? "" : formatTime(splitPeriods(clock, left).ms);
  }
}
