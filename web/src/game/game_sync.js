// One game as the server tells it. What is shown is always the server's last snapshot: an event only
// says that there is a newer one, so nothing on the page can drift away from the record.

import { changes } from "../board/changes.js";
import { Refused } from "../net/pending.js";

/** @import {BoardLayout, EventFrame, Presence, Snapshot} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {Changes} from "../board/changes.js" */

/**
 * What the last move did.
 * @typedef {Changes & { captured: string[] }} LastMove
 */

/** After how long the state is asked for again where the server has not named a time, in milliseconds. */
const RETRY_MS = 2_000;

/**
 * Who hears of the game.
 * @typedef {object} Heard
 * @property {(feed: Feed) => void} changed
 * @property {(event: EventFrame) => void} event
 * @property {() => void} missing told that there is no such game
 * @property {(refused: Refused) => void} refused told that the state cannot be had at the moment
 */

export class Feed {
  #connection;
  #asking = false;
  #again = false;
  /** The last event that was heard. */
  #newest = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;
  /** Cells that were captured, by the ply that did it. @type {Map<number, string[]>} */
  #captured = new Map();
  /** @type {(() => void)[]} */
  #stops = [];

  /** @type {Snapshot | undefined} */
  snapshot;
  /** @type {BoardLayout | undefined} */
  layout;
  /** What the last move did; unknown where the move before it was not seen. @type {LastMove | undefined} */
  lastMove;

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {Heard} heard
   */
  constructor(connection, game, heard) {
    this.#connection = connection;
    this.game = game;
    this.heard = heard;
  }

  /** Begins to follow the game. */
  open() {
    const { game } = this;
    this.#stops = [
      this.#connection.on("snapshot", (/** @type {Snapshot} */ snapshot) => {
        if (snapshot.game === game) this.#take(snapshot);
      }),
      this.#connection.on("event", (/** @type {EventFrame} */ event) => {
        if (event.game === game) this.#happened(event);
      }),
      this.#connection.on("presence", (/** @type {Presence} */ presence) => this.#came(presence)),
      this.#connection.on("welcome", () => this.refresh()),
    ];
    this.refresh();
  }

  /** Follows the game no longer. Players stay subscribed: their turn is news wherever they are. */
  close() {
    for (const stop of this.#stops) stop();
    clearTimeout(this.#retry);
    if (this.seat() === undefined) {
      this.#connection.request({ type: "unwatch", game: this.game }).catch(() => {});
    }
  }

  /** The seat of who looks at this page, in a game of their own. */
  seat() {
    const user = this.#connection.welcome?.user?.name;
    const seat = this.snapshot?.seats.findIndex((each) => each.user === user) ?? -1;
    return seat < 0 ? undefined : seat;
  }

  /** Asks for the state anew. However often it is called, one question is under way. */
  async refresh() {
    this.#again = true;
    if (this.#asking) return;
    this.#asking = true;
    while (this.#again) {
      this.#again = false;
      const known = this.#newest;
      await this.#ask();
      // What has happened meanwhile is mostly part of the answer.
      if (this.#newest > Math.max(known, this.snapshot?.seq ?? 0)) this.#again = true;
    }
    this.#asking = false;
  }

  async #ask() {
    const { game } = this;
    clearTimeout(this.#retry);
    try {
      if (this.layout === undefined) {
        this.layout = await this.#connection.request({ type: "layout", game });
      }
      await this.#connection.request({ type: "watch", game });
    } catch (error) {
      // Without an answer the next welcome asks again.
      if (error instanceof Refused) this.#refused(error);
    }
  }

  /** @param {Refused} refused */
  #refused(refused) {
    const { code, retry, retry_after_ms: wait } = refused.failed;
    if (code === "not_found") {
      this.heard.missing();
      return;
    }
    this.heard.refused(refused);
    if (retry !== "never") this.#retry = setTimeout(() => this.refresh(), wait ?? RETRY_MS);
  }

  /** @param {EventFrame} event */
  #happened(event) {
    if (event.kind === "moved") {
      this.#captured.set(event.ply, event.captures.map((capture) => capture.cell));
    }
    this.#newest = event.seq;
    this.heard.event(event);
    if (!this.#asking) this.refresh();
  }

  /** @param {Presence} presence */
  #came({ game, seats, spectators, spectator_names }) {
    if (game !== this.game || this.snapshot === undefined) return;
    this.snapshot = { ...this.snapshot, presence: seats, spectators, spectator_names };
    if (this.layout !== undefined) this.heard.changed(this);
  }

  /** @param {Snapshot} snapshot */
  #take(snapshot) {
    const before = this.snapshot;
    if (before !== undefined && snapshot.seq < before.seq && snapshot.reason == null) return;
    this.snapshot = snapshot;
    const step = before === undefined ? 0 : stepsBetween(before.moves, snapshot.moves);
    if (before !== undefined && step === 1) {
      const captured = this.#captured.get(snapshot.ply) ?? [];
      this.lastMove = { ...changes(before.position, snapshot.position), captured };
    } else if (step !== 0) {
      this.lastMove = undefined;
    }
    for (const ply of this.#captured.keys()) if (ply <= snapshot.ply) this.#captured.delete(ply);
    if (this.layout !== undefined) this.heard.changed(this);
  }
}

/**
 * How many moves lead from one line of moves to another; -1 if some were taken back.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 */
function stepsBetween(before, after) {
  return before.every((move, at) => move === after[at]) ? after.length - before.length : -1;
}
