// Boards to look at: live games, the user's own on the front page, those within other pages.

import { Board } from "../board/board.js";
import { lastMoveHighlights } from "../board/markers.js";
import { timeLeft } from "./clock.js";
import { GameSync } from "./game_sync.js";

/** @import {BoardLayout, Snapshot} from "../wire.js" */
/** @import {Changes, Position} from "../board/changes.js" */
/** @import {Connection} from "../net/connection.js" */

/** A position with the last move marked. Nothing can be picked. */
export class StillBoard {
  element = new Board();
  /** Whether a position is shown. */
  isDrawn = false;

  /**
   * @param {BoardLayout} layout
   * @param {Position} position
   * @param {Pick<Changes, "lost" | "gained"> | undefined} lastMove
   * @param {{ orientation?: number, noAnimation?: boolean }} [how] which seat's side is down
   */
  show(layout, position, lastMove, { orientation, noAnimation } = {}) {
    if (!this.isDrawn) this.element.setLayout(layout, { live: false, labels: false, orientation });
    this.isDrawn = true;
    this.element.show({ position, highlights: lastMove === undefined ? new Map() : lastMoveHighlights(lastMove), noAnimation });
  }
}

/**
 * @typedef {object} Watcher
 * @property {(snapshot: Snapshot) => void} onChange called after the board has been drawn
 * @property {() => void} [onNotFound]
 * @property {() => void} [onError] called when the server refuses the state
 */

/** A game that is followed to its end on such a board. */
export class WatchedBoard {
  #connection;
  #board = new StillBoard();
  #sync;
  element = this.#board.element;

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {Watcher} watcher
   * @param {{ own?: boolean }} [how] whether it is the user's game: the own side is down, and the
   *   board does not move when it appears
   */
  constructor(connection, game, { onChange, onNotFound = () => {}, onError = () => {} }, { own = false } = {}) {
    this.#connection = connection;
    this.#sync = new GameSync(connection, game, {
      onChange: ({ snapshot, layout, lastMove }) => {
        const { seat } = this;
        if (snapshot === undefined || layout === undefined || (own && seat === undefined)) return;
        const how = own ? { orientation: seat, noAnimation: !this.#board.isDrawn } : {};
        this.#board.show(layout, snapshot.position, lastMove, how);
        onChange(snapshot);
      },
      onEvent: () => {},
      onNotFound,
      onError,
    });
    this.#sync.open();
  }

  close() {
    this.#sync.close();
  }

  get snapshot() {
    return this.#sync.snapshot;
  }

  /** The user's own seat. */
  get seat() {
    return this.#sync.seat();
  }

  /**
   * The time that a seat has left, in milliseconds; `undefined` without a clock.
   * @param {number} seat
   */
  timeLeft(seat) {
    return this.snapshot && timeLeft(this.snapshot.clock, seat, this.#connection.time.now());
  }
}
