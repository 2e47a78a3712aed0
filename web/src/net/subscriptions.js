// Which games are followed, and up to which event. Decides what becomes of each event that comes:
// it is passed on, dropped because it is known, or shows that some before it are missing.

/** @import {Cursor, EventFrame, Reply, Request, Snapshot, Welcome} from "../wire.js" */

/** Cursors in one hello, at the most: with some 100 bytes each they fit into a frame. */
export const CURSORS_MAX = 128;

/** Games that are remembered, at the most. Beyond it the ones longest unheard of are forgotten. */
const FOLLOWED_MAX = 1024;

/** The chain that every game begins with. */
const NO_CHAIN = "0".repeat(64);

/**
 * @typedef {object} Known the last event that is known
 * @property {number} seq its number
 * @property {string | undefined} chain its chain, where that is known
 */

/**
 * @typedef {object} Asked a `watch` whose events are under way; live ones may overtake them
 * @property {string} id the request
 * @property {Known} before what was known before, in case the server refuses
 * @property {number | undefined} until the last event that is sure to come, once it is known
 */

/**
 * @typedef {object} Followed
 * @property {Known} known
 * @property {"live" | "over" | "left"} state `left` after `unwatch`
 * @property {Asked | undefined} asked
 */

/**
 * What becomes of an event.
 * @typedef {{ is: "next" } | { is: "drop" } | { is: "missing", from: number }} Verdict
 */

export class Follower {
  /** The games, last heard of last. @type {Map<string, Followed>} */
  #games = new Map();

  /**
   * @param {string} game
   * @returns {Followed}
   */
  #entry(game) {
    const entry = this.#games.get(game) ?? {
      known: { seq: 0, chain: NO_CHAIN },
      state: "live",
      asked: undefined,
    };
    this.#games.delete(game);
    this.#games.set(game, entry);
    if (this.#games.size > FOLLOWED_MAX) this.#forgetOne();
    return entry;
  }

  #forgetOne() {
    for (const [game, entry] of this.#games) {
      if (entry.state !== "live") {
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
    const live = [...this.#games].filter(([, entry]) => entry.state === "live");
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
  welcomed(welcome) {
    for (const { game, resume } of welcome.games) {
      if (resume === "gone") {
        this.#games.delete(game);
        continue;
      }
      const entry = this.#entry(game);
      // What was known is no part of the server's past: a snapshot follows.
      if (resume === "fork") entry.known = { seq: 0, chain: NO_CHAIN };
    }
  }

  /**
   * Takes note of a request that is about to be sent.
   * @param {Request} request
   */
  asking(request) {
    if (request.type === "watch") {
      const entry = this.#entry(request.game);
      entry.state = "live";
      const from = request.from ?? undefined;
      if (from === undefined) return;
      entry.asked = { id: request.id, before: entry.known, until: undefined };
      const seq = Math.max(from - 1, 0);
      if (seq === 0) entry.known = { seq: 0, chain: NO_CHAIN };
      else if (seq !== entry.known.seq) entry.known = { seq, chain: undefined };
    } else if (request.type === "unwatch") {
      this.#entry(request.game).state = "left";
    }
  }

  /**
   * Takes note of the reply to a request.
   * @param {Reply} reply
   */
  answered(reply) {
    for (const entry of this.#games.values()) {
      const asked = entry.asked;
      if (asked === undefined || asked.id !== reply.re) continue;
      if (reply.type === "ok" && typeof reply.seq === "number") {
        asked.until = reply.seq;
        this.#settle(entry);
      } else {
        entry.asked = undefined;
        if (reply.type === "error") entry.known = asked.before;
      }
      return;
    }
  }

  /**
   * Takes note of a snapshot: the events after it follow.
   * @param {Snapshot} snapshot
   */
  snapshot(snapshot) {
    const entry = this.#entry(snapshot.game);
    const asked = entry.asked;
    // One that follows a hello may meet a `watch` that was sent meanwhile. What was asked for there
    // comes after it, and is wanted although the snapshot contains it.
    if (asked !== undefined && (asked.until === undefined || snapshot.re == null)) return;
    entry.known = { seq: snapshot.seq, chain: snapshot.chain };
    entry.state = snapshot.result ? "over" : "live";
    entry.asked = undefined;
  }

  /**
   * Decides about an event and, if it is the next one, takes note of it.
   * @param {EventFrame} event
   * @returns {Verdict}
   */
  event(event) {
    const entry = this.#entry(event.game);
    const { known } = entry;
    if (entry.state === "left" || event.seq <= known.seq) return { is: "drop" };
    if (event.seq > known.seq + 1) {
      return entry.asked ? { is: "drop" } : { is: "missing", from: known.seq + 1 };
    }
    entry.known = { seq: event.seq, chain: event.chain };
    this.#settle(entry);
    if (event.kind === "ended" || event.kind === "aborted") entry.state = "over";
    return { is: "next" };
  }

  /** @param {Followed} entry */
  #settle(entry) {
    const until = entry.asked?.until;
    if (until !== undefined && entry.known.seq >= until) entry.asked = undefined;
  }

  /** Forgets questions that the lost connection will not answer: the next hello asks anew. */
  connectionLost() {
    for (const entry of this.#games.values()) entry.asked = undefined;
  }
}
