// Follows one game. The page shows the server's last snapshot. A turn that comes with its position
// is shown before the snapshot that contains it; the snapshot then replaces it, so the page cannot
// drift from the record.

import { RequestError } from "../net/pending.js";
import { PositionCache } from "./position_cache.js";

/** @import {BoardLayout, Capture, EventFrame, Presence, Rated, Snapshot, YourTurn} from "../wire.js" */
/** @import {Position} from "../board/changes.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {Preview} from "./draft.js" */

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
  #closed = false;
  /** Leaves the game. @type {() => boolean} */
  #leave = () => false;
  /** The seq of the last event. */
  #newestSeq = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;
  /** Moves since the snapshot; `undefined` after an event that changes more than the moves. @type {string[] | undefined} */
  #newMoves = [];
  /** What moves captured, by ply. @type {Map<number, Capture[]>} */
  #captures = new Map();
  /** @type {(() => void)[]} */
  #unsubscribe = [];

  /** The positions of the game, and what each move changed. */
  positions;
  /** @type {Snapshot | undefined} */
  snapshot;
  /** @type {BoardLayout | undefined} */
  layout;
  /** The position before the first move; empty if no seat's side depends on it. @type {Position | undefined} */
  start;
  /** The ratings before and after the game. @type {Rated | undefined} */
  rated;

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {Callbacks} callbacks
   */
  constructor(connection, game, callbacks) {
    this.#connection = connection;
    this.game = game;
    this.callbacks = callbacks;
    this.positions = new PositionCache(connection, game, () => this.#changed());
  }

  /** What the last move changed, if the page knows it. */
  get lastMove() {
    return this.snapshot && this.positions.known(this.snapshot.ply)?.lastMove;
  }

  /** Subscribes to the game. */
  open() {
    const { game } = this;
    this.#leave = this.#connection.follow(game);
    this.#unsubscribe = [
      this.#connection.on("snapshot", (/** @type {Snapshot} */ snapshot) => {
        if (snapshot.game === game) this.#onSnapshot(snapshot);
      }),
      this.#connection.on("event", (/** @type {EventFrame} */ event) => {
        if (event.game === game) this.#onEvent(event);
      }),
      this.#connection.on("your_turn", (/** @type {YourTurn} */ turn) => {
        if (turn.game === game) this.#onTurn(turn);
      }),
      this.#connection.on("presence", (/** @type {Presence} */ presence) => this.#onPresence(presence)),
      this.#connection.on("welcome", () => this.refresh()),
    ];
    this.refresh();
  }

  /** Ends: nothing changes from now on. */
  close() {
    this.#closed = true;
    for (const stop of this.#unsubscribe) stop();
    clearTimeout(this.#retry);
    if (!this.#requesting) this.#unwatch();
  }

  /** Unsubscribes, unless the user plays and needs the turns elsewhere, or another view is open. */
  #unwatch() {
    const isLast = this.#leave();
    if (!isLast || this.snapshot === undefined || this.seat() !== undefined) return;
    this.#connection.request({ type: "unwatch", game: this.game }).catch(() => {});
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
    while (this.#requestAgain && !this.#closed) {
      this.#requestAgain = false;
      const known = this.#newestSeq;
      await this.#request();
      // The reply mostly contains what has happened since the request.
      if (this.#newestSeq > Math.max(known, this.snapshot?.seq ?? 0)) this.#requestAgain = true;
    }
    this.#requesting = false;
    // Until the state had come, nobody knew whether the user plays.
    if (this.#closed) this.#unwatch();
  }

  async #request() {
    const { game } = this;
    clearTimeout(this.#retry);
    try {
      const layout = this.layout === undefined ? this.#connection.request({ type: "layout", game }) : this.layout;
      const watched = this.#connection.request({ type: "watch", game });
      const [board, snapshot] = await Promise.all([layout, watched]);
      if (snapshot.type === "snapshot") this.snapshot ??= snapshot;
      if (this.#closed) return;
      this.start ??= await this.#loadStart(board);
      this.layout = board;
      this.#changed();
    } catch (error) {
      // Without a reply the next welcome requests it again.
      if (error instanceof RequestError && !this.#closed) this.#onError(error);
    }
  }

  /**
   * Returns the position before the first move, if it tells where the seats' sides are.
   * @param {BoardLayout} layout
   */
  async #loadStart({ edges }) {
    if (edges.length > 0) return {};
    const known = this.positions.known(0)?.board.position;
    if (known !== undefined) return known;
    const { positions } = await this.#connection.request({ type: "positions", game: this.game, from_ply: 0, limit: 1 });
    return positions[0]?.position ?? {};
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

  /**
   * Remembers the position after a move that this page has sent.
   * @param {string} move
   * @param {Preview} preview
   */
  expect(move, preview) {
    if (this.snapshot !== undefined) this.positions.expect({ move, ply: this.snapshot.ply + 1, winning: undefined, ...preview });
  }

  /** Requests the ratings of a finished game that the page has not seen ending. */
  requestRated() {
    const { snapshot } = this;
    if (snapshot === undefined || this.rated !== undefined) return;
    this.#connection.request({ type: "watch", game: this.game, from: snapshot.seq }).catch(() => {});
  }

  /** @param {EventFrame} event */
  #onEvent(event) {
    if (event.kind === "rated") this.rated = event;
    const isNew = event.seq > (this.snapshot?.seq ?? 0);
    if (isNew) this.#newestSeq = event.seq;
    if (event.kind === "moved") {
      this.#captures.set(event.ply, event.captures);
      if (isNew) this.#newMoves?.push(event.move);
    } else if (isNew && !["offered", "agreed", "offer_closed", "started"].includes(event.kind)) this.#newMoves = undefined;
    this.callbacks.onEvent(event);
    if (event.kind === "rated") this.#changed();
    if (isNew && !this.#requesting) this.refresh();
  }

  /** @param {YourTurn} turn */
  #onTurn({ turn, ply, seat, position, threatened, left_ms }) {
    const { snapshot } = this;
    const moves = this.#newMoves;
    if (snapshot === undefined || moves === undefined || position === undefined) return;
    if (ply <= snapshot.ply || ply !== snapshot.ply + moves.length) return;
    const clock = { ...snapshot.clock, ...(left_ms === undefined ? {} : { left_ms, running: seat, since: this.#connection.time.now() }) };
    this.snapshot = { ...snapshot, turn, ply, moves: [...snapshot.moves, ...moves], to_move: seat, position, threatened, clock };
    this.#newMoves = [];
    this.#addPosition(this.snapshot);
    this.#changed();
  }

  /** @param {Presence} presence */
  #onPresence({ game, seats, spectators, spectator_names }) {
    if (game !== this.game || this.snapshot === undefined) return;
    this.snapshot = { ...this.snapshot, presence: seats, spectators, spectator_names };
    this.#changed();
  }

  /** @param {Snapshot} snapshot */
  #onSnapshot(snapshot) {
    const before = this.snapshot;
    if (before !== undefined && snapshot.seq < before.seq && snapshot.reason == null) return;
    // A turn that was shown already may be newer.
    if (before !== undefined && snapshot.seq === before.seq && snapshot.ply < before.ply) return;
    this.snapshot = snapshot;
    this.#newMoves = [];
    this.#addPosition(snapshot);
    for (const ply of this.#captures.keys()) if (ply < snapshot.ply) this.#captures.delete(ply);
    this.#changed();
  }

  /** @param {Snapshot} snapshot */
  #addPosition({ ply, moves, position, threatened, winning }) {
    this.positions.setMoves(moves);
    this.positions.add({ ply, position, threatened, winning, captures: this.#captures.get(ply) });
  }

  #changed() {
    if (!this.#closed && this.layout !== undefined && this.snapshot !== undefined) this.callbacks.onChange(this);
  }
}
