// Which games are followed, and up to which event. Decides what becomes of each event that comes:
// it is passed on, dropped because it is known, or shows that some before it are missing.

/** @import {Cursor, EventFrame, Reply, Request, Snapshot, Welcome} from "../wire.js" */

/** Cursors in one hello, at the most: with some 100 bytes each they fit into a frame. */
export const CURSORS_MAX = 128;

/** Games that are remembered, at the most. Beyond it the ones longest unheard of are forgotten. */
const SUBSCRIPTIONS_MAX = 1024;

/** The chain that every game begins with. */
const GENESIS_CHAIN = "0".repeat(64);

/**
 * @typedef {object} LastKnown the last event that is known
 * @property {number} seq its number
 * @property {string | undefined} chain its chain, where that is known
 */

/**
 * @typedef {object} CatchUp a `watch` whose events are under way; live ones may overtake them
 * @property {string} id the request
 * @property {LastKnown} before what was known before, in case the server refuses
 * @property {number | undefined} until the last event that is sure to come, once it is known
 */

/**
 * @typedef {object} Subscription
 * @property {LastKnown} known
 * @property {"live" | "over" | "left"} state `left` after `unwatch`
 * @property {CatchUp | undefined} catchUp
 */

/**
 * What becomes of an event.
 * @typedef {{ is: "deliver" } | { is: "drop" } | { is: "gap", from: number }} EventDisposition
 */

export class Subscriptions {
  /** The games, last heard of last. @type {Map<string, Subscription>} */
  #games = new Map();

  /**
   * @param {string} game
   * @returns {Subscription}
   */
  #subscription(game) {
    const subscription = this.#games.get(game) ?? {
      known: { seq: 0, chain: GENESIS_CHAIN },
      state: "live",
      catchUp: undefined,
    };
    this.#games.delete(game);
    this.#games.set(game, subscription);
    if (this.#games.size > SUBSCRIPTIONS_MAX) this.#evictOne();
    return subscription;
  }

  #evictOne() {
    for (const [game, subscription] of this.#games) {
      if (subscription.state !== "live") {
        this.#games.delete(game);
        return;
      }
    }
    const [oldest] = this.#games.keys();
    if (oldest !== undefined) this.#games.delete(oldest);
  }

  /**
   * What a new hello says about the games: the live ones, those last heard of.
   * @returns {Record<string, Cursor>}
   */
  cursors() {
    const live = [...this.#games].filter(([, subscription]) => subscription.state === "live");
    return Object.fromEntries(
      live.slice(-CURSORS_MAX).map(([game, { known }]) => [
        game,
        known.chain === undefined ? { seq: known.seq } : { seq: known.seq, chain: known.chain },
      ]),
    );
  }

  /**
   * Forgets everything: somebody else is there now, for whom other games are live.
   */
  clear() {
    this.#games.clear();
  }

  /**
   * Takes note of what the server says about the games.
   * @param {Welcome} welcome
   */
  onWelcome(welcome) {
    for (const { game, resume } of welcome.games) {
      if (resume === "gone") {
        this.#games.delete(game);
        continue;
      }
      const subscription = this.#subscription(game);
      // What was known is no part of the server's past: a snapshot follows.
      if (resume === "fork") subscription.known = { seq: 0, chain: GENESIS_CHAIN };
    }
  }

  /**
   * Takes note of a request that is about to be sent.
   * @param {Request} request
   */
  onRequest(request) {
    if (request.type === "watch") {
      const subscription = this.#subscription(request.game);
      subscription.state = "live";
      const from = request.from ?? undefined;
      if (from === undefined) return;
      subscription.catchUp = { id: request.id, before: subscription.known, until: undefined };
      const seq = Math.max(from - 1, 0);
      if (seq === 0) subscription.known = { seq: 0, chain: GENESIS_CHAIN };
      else if (seq !== subscription.known.seq) subscription.known = { seq, chain: undefined };
    } else if (request.type === "unwatch") {
      this.#subscription(request.game).state = "left";
    }
  }

  /**
   * Takes note of the reply to a request.
   * @param {Reply} reply
   */
  onReply(reply) {
    for (const subscription of this.#games.values()) {
      const catchUp = subscription.catchUp;
      if (catchUp === undefined || catchUp.id !== reply.re) continue;
      if (reply.type === "ok" && typeof reply.seq === "number") {
        catchUp.until = reply.seq;
        this.#endCatchUp(subscription);
      } else {
        subscription.catchUp = undefined;
        if (reply.type === "error") subscription.known = catchUp.before;
      }
      return;
    }
  }

  /**
   * Takes note of a snapshot: the events after it follow.
   * @param {Snapshot} snapshot
   */
  onSnapshot(snapshot) {
    const subscription = this.#subscription(snapshot.game);
    const catchUp = subscription.catchUp;
    // One that follows a hello may meet a `watch` that was sent meanwhile. What was asked for there
    // comes after it, and is wanted although the snapshot contains it.
    if (catchUp !== undefined && (catchUp.until === undefined || snapshot.re == null)) return;
    subscription.known = { seq: snapshot.seq, chain: snapshot.chain };
    subscription.state = snapshot.result ? "over" : "live";
    subscription.catchUp = undefined;
  }

  /**
   * Decides about an event and, if it is the next one, takes note of it.
   * @param {EventFrame} event
   * @returns {EventDisposition}
   */
  onEvent(event) {
    const subscription = this.#subscription(event.game);
    const { known } = subscription;
    if (subscription.state === "left" || event.seq <= known.seq) return { is: "drop" };
    if (event.seq > known.seq + 1) {
      return subscription.catchUp ? { is: "drop" } : { is: "gap", from: known.seq + 1 };
    }
    subscription.known = { seq: event.seq, chain: event.chain };
    this.#endCatchUp(subscription);
    if (event.kind === "ended" || event.kind === "aborted") subscription.state = "over";
    return { is: "deliver" };
  }

  /** @param {Subscription} subscription */
  #endCatchUp(subscription) {
    const until = subscription.catchUp?.until;
    if (until !== undefined && subscription.known.seq >= until) subscription.catchUp = undefined;
  }

  /** Forgets questions that the lost connection will not answer: the next hello asks anew. */
  onDisconnect() {
    for (const subscription of this.#games.values()) subscription.catchUp = undefined;
  }
}
