// Follows one game. The page always shows the server's last snapshot: an event only says that there
// is a newer one, so the page cannot drift from the record.

import { changes } from "../board/changes.js";
import { RequestError } from "../net/pending.js";

/** @import {BoardLayout, EventFrame, Presence, Snapshot} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {Changes} from "../board/changes.js" */

/**
 * What the last move changed.
 * @typedef {Changes & { captured: string[] }} LastMove
 */

/** Delay before the next request for the state, in milliseconds, if the server names none. */
const RETRY_MS = 2_000;

/**
 * Callbacks of a game's view.
 * @typedef {object} Callbacks
 * @property {(sync: GameSync) => void} onChange
 * @property {(event: EventFrame) => void} onEvent
 * @property {() => void} onNotFound there is no such game
 * @property {(refused: RequestError) => void} onError the server refuses the state for now
 */

export class GameSync {
  #connection;
  #requesting = false;
  #requestAgain = false;
  /** The seq of the last event. */
  #newestSeq = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;
  /** Captured cells, by ply. @type {Map<number, string[]>} */
  #captured = new Map();
  /** @type {(() => void)[]} */
  #unsubscribe = [];

  /** @type {Snapshot | undefined} */
  snapshot;
  /** @type {BoardLayout | undefined} */
  layout;
  /**
   * What the last move changed; `undefined` if the move before it is unknown.
   * @type {LastMove | undefined}
   */
  lastMove;

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {Callbacks} callbacks
   */
  constructor(connection, game, callbacks) {
    this.#connection = connection;
    this.game = game;
    this.callbacks = callbacks;
  }

  /** Subscribes to the game. */
  open() {
    const { game } = this;
    this.#unsubscribe = [
      this.#connection.on("snapshot", (/** @type {Snapshot} */ snapshot) => {
        if (snapshot.game === game) this.#onSnapshot(snapshot);
      }),
      this.#connection.on("event", (/** @type {EventFrame} */ event) => {
        if (event.game === game) this.#onEvent(event);
      }),
      this.#connection.on("presence", (/** @type {Presence} */ presence) => this.#onPresence(presence)),
      this.#connection.on("welcome", () => this.refresh()),
    ];
    this.refresh();
  }

  /** Unsubscribes, except for players: they need their turns in every view. */
  close() {
    for (const stop of this.#unsubscribe) stop();
    clearTimeout(this.#retry);
    if (this.seat() === undefined) {
      this.#connection.request({ type: "unwatch", game: this.game }).catch(() => {});
    }
  }

  /** Returns the seat of this user, if the user plays. */
  seat() {
    const user = this.#connection.welcome?.user?.name;
    const seat = this.snapshot?.seats.findIndex((each) => each.user === user) ?? -1;
    return seat < 0 ? undefined : seat;
  }

  /** Requests the state again. Only one request is open at a time. */
  async refresh() {
    this.#requestAgain = true;
    if (this.#requesting) return;
    this.#requesting = true;
    while (this.#requestAgain) {
      this.#requestAgain = false;
      const known = this.#newestSeq;
      await this.#request();
      // The reply mostly contains what has happened since the request.
      if (this.#newestSeq > Math.max(known, this.snapshot?.seq ?? 0)) this.#requestAgain = true;
    }
    this.#requesting = false;
  }

  async #request() {
    const { game } = this;
    clearTimeout(this.#retry);
    try {
      if (this.layout === undefined) {
        this.layout = await this.#connection.request({ type: "layout", game });
      }
      await this.#connection.request({ type: "watch", game });
    } catch (error) {
      // Without a reply the next welcome requests it again.
      if (error instanceof RequestError) this.#onError(error);
    }
  }

  /** @param {RequestError} refused */
  #onError(refused) {
    const { code, retry, retry_after_ms: wait } = refused.failed;
    if (code === "not_found") {
      this.callbacks.onNotFound();
      return;
    }
    this.callbacks.onError(refused);
    if (retry !== "never") this.#retry = setTimeout(() => this.refresh(), wait ?? RETRY_MS);
  }

  /** @param {EventFrame} event */
  #onEvent(event) {
    if (event.kind === "moved") {
      this.#captured.set(event.ply, event.captures.map((capture) => capture.cell));
    }
    this.#newestSeq = event.seq;
    this.callbacks.onEvent(event);
    if (!this.#requesting) this.refresh();
  }

  /** @param {Presence} presence */
  #onPresence({ game, seats, spectators, spectator_names }) {
    if (game !== this.game || this.snapshot === undefined) return;
    this.snapshot = { ...this.snapshot, presence: seats, spectators, spectator_names };
    if (this.layout !== undefined) this.callbacks.onChange(this);
  }

  /** @param {Snapshot} snapshot */
  #onSnapshot(snapshot) {
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
    if (this.layout !== undefined) this.callbacks.onChange(this);
  }
}

/**
 * Returns the number of moves from one line to another; -1 after a takeback.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 */
function stepsBetween(before, after) {
  return before.every((move, at) => move === after[at]) ? after.length - before.length : -1;
}
