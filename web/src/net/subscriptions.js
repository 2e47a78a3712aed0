// The games that the page is subscribed to, each with its cursor. Decides for each event whether to
// deliver it, to drop it as known, or to request the missing events before it.

/** @import {Cursor, EventFrame, Reply, Request, Snapshot, Welcome} from "../wire.js" */

/** Cursors in one `hello`: at about 100 bytes each they fit into a frame. */
const CURSORS_MAX = 128;

/** Subscriptions that are kept. Beyond that the least recently active one is evicted. */
const SUBSCRIPTIONS_MAX = 1024;

/** The chain before the first event of a game. */
const GENESIS_CHAIN = "0".repeat(64);

/**
 * @typedef {object} LastKnown the last event that the page has
 * @property {number} seq its number
 * @property {string | undefined} chain its chain, if known
 */

/**
 * @typedef {object} CatchUp a `watch` whose events are on their way; live events may overtake them
 * @property {string} id the id of the request
 * @property {LastKnown} before the last event before it, in case the server refuses
 * @property {number | undefined} until the last event that it covers, once the reply has come
 */

/**
 * @typedef {object} Subscription
 * @property {LastKnown} known
 * @property {"live" | "over" | "left"} state `left` after `unwatch`
 * @property {CatchUp | undefined} catchUp
 */

/**
 * What to do with an event.
 * @typedef {{ is: "deliver" } | { is: "drop" } | { is: "gap", from: number }} EventDisposition
 */

export class Subscriptions {
  /** By game, the most recently active last. @type {Map<string, Subscription>} */
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
   * Returns the cursors for a new `hello`: of the most recently active live games.
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
   * Drops all subscriptions: another user has other games.
   */
  clear() {
    this.#games.clear();
  }

  /**
   * Updates the subscriptions from a `welcome`.
   * @param {Welcome} welcome
   */
  onWelcome(welcome) {
    for (const { game, resume } of welcome.games) {
      if (resume === "gone") {
        this.#games.delete(game);
        continue;
      }
      const subscription = this.#subscription(game);
      // A fork: the server sends a snapshot.
      if (resume === "fork") subscription.known = { seq: 0, chain: GENESIS_CHAIN };
    }
  }

  /**
   * Records a request that is about to be sent.
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
   * Records the reply to a request.
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
   * Records a snapshot. The events after it follow.
   * @param {Snapshot} snapshot
   */
  onSnapshot(snapshot) {
    const subscription = this.#subscription(snapshot.game);
    const catchUp = subscription.catchUp;
    // A snapshot after `hello` may cross a `watch`. The events of that `watch` come after it and
    // are still wanted, although the snapshot contains them.
    if (catchUp !== undefined && (catchUp.until === undefined || snapshot.re == null)) return;
    subscription.known = { seq: snapshot.seq, chain: snapshot.chain };
    subscription.state = snapshot.result ? "over" : "live";
    subscription.catchUp = undefined;
  }

  /**
   * Decides about an event, and records it if it is the next one.
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

  /** Drops catch-ups that the lost connection will not answer. The next `hello` resumes them. */
  onDisconnect() {
    for (const subscription of this.#games.values()) subscription.catchUp = undefined;
  }
}
