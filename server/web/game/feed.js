// One game as the server tells it. What is shown is always the server's last snapshot: an event only
// says that there is a newer one, so nothing on the page can drift away from the record.

import { changes } from "../board/changes.js";
import { Refused } from "../net/pending.js";

/** @import {BoardLayout, EventFrame, Presence, Snapshot} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {Changes} from "../board/changes.js" */

/**
 * What the last move did, as far as it was seen.
 * @typedef {Changes & { captured: string[] }} LastMove
 */

export class Feed {
  #connection;
  #asking = false;
  #again = false;
  /** Cells that were captured, by the ply that did it. @type {Map<number, string[]>} */
  #captured = new Map();
  /** @type {(() => void)[]} */
  #stops = [];

  /** @type {Snapshot | undefined} */
  snapshot;
  /** @type {BoardLayout | undefined} */
  layout;
  /** @type {LastMove | undefined} */
  lastMove;

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {{ changed: (feed: Feed) => void, event: (event: EventFrame) => void, missing: (message: string) => void }} heard
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
    if (this.#asking) {
      this.#again = true;
      return;
    }
    this.#asking = true;
    do {
      this.#again = false;
      await this.#ask();
    } while (this.#again);
    this.#asking = false;
  }

  async #ask() {
    const { game } = this;
    try {
      if (this.layout === undefined) {
        this.layout = await this.#connection.request({ type: "layout", game });
      }
      await this.#connection.request({ type: "watch", game });
    } catch (error) {
      // Without an answer the next welcome asks again.
      if (error instanceof Refused) this.heard.missing(error.message);
    }
  }

  /** @param {EventFrame} event */
  #happened(event) {
    if (event.kind === "moved") {
      this.#captured.set(event.ply, event.captures.map((capture) => capture.cell));
    }
    this.heard.event(event);
    this.refresh();
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
    if (before !== undefined && before.ply !== snapshot.ply) {
      const captured = this.#captured.get(snapshot.ply) ?? [];
      this.lastMove = { ...changes(before.position, snapshot.position), captured };
    }
    this.#captured.clear();
    if (this.layout !== undefined) this.heard.changed(this);
  }
}
