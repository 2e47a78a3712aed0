// Whether the page reconnects, and how long it waits before.

/** The limit of the first wait, in milliseconds: short, because most drops end quickly. */
const FIRST_WAIT_MAX_MS = 250;

/** The limit of every wait in the first minute after a loss, in milliseconds: somebody looks at the page. */
const EARLY_WAIT_MAX_MS = 3_000;

/** The limit of every later wait, in milliseconds. */
const WAIT_MAX_MS = 15_000;

/** How long after a loss attempts are early, in milliseconds. */
const EARLY_MS = 60_000;

/** The time from dialling to `welcome`, in milliseconds, after which a first or late attempt is given up. */
const OPENING_TIMEOUT_MS = 10_000;

/** An early attempt may take this many times as long as the last one that succeeded. */
const SLOWER_BY = 4;

/** A connection that stays open this long, in milliseconds, resets the back-off. */
export const STEADY_AFTER_MS = 15_000;

/** Doublings until the limit of every wait. */
const DOUBLINGS_MAX = 6;

/**
 * Exponential back-off with full jitter: a random wait below a limit that doubles, so that pages
 * which lost the same server reconnect spread over the whole range.
 */
export class Backoff {
  #failures = 0;
  #random;
  /** When the connection was lost, if it was. @type {number | undefined} */
  #lostAt;

  /** @param {() => number} random from 0 up to but not including 1 */
  constructor(random) {
    this.#random = random;
  }

  /**
   * Returns the wait before the next attempt, in milliseconds.
   * @param {number} now
   */
  next(now) {
    this.#lostAt ??= now;
    const limit = FIRST_WAIT_MAX_MS * 2 ** Math.min(this.#failures, DOUBLINGS_MAX);
    this.#failures += 1;
    return this.#random() * Math.min(limit, this.#isEarly(now) ? EARLY_WAIT_MAX_MS : WAIT_MAX_MS);
  }

  /**
   * Returns how long an attempt may take. In the first minute a silent network takes no longer
   * than a wait, unless the network is known to be slow.
   * @param {number} now
   * @param {number} took what the last successful attempt took
   */
  openingTimeout(now, took) {
    if (!this.#isEarly(now)) return OPENING_TIMEOUT_MS;
    return Math.min(Math.max(EARLY_WAIT_MAX_MS, SLOWER_BY * took), OPENING_TIMEOUT_MS);
  }

  /** @param {number} now */
  #isEarly(now) {
    return this.#lostAt !== undefined && now - this.#lostAt < EARLY_MS;
  }

  /** Notes that the connection is there: a later loss is a new one. */
  found() {
    this.#lostAt = undefined;
  }

  /** Starts again with the shortest limit. */
  reset() {
    this.#failures = 0;
  }
}

/** Codes after which another attempt would end the same way. */
const NO_RECONNECT = new Set([1001, 1002, 1003, 1007, 1008, 1009, 4001, 4002, 4003]);

/** The close code after a refused `hello`. */
export const HELLO_REFUSED = 4001;

/**
 * Returns whether to reconnect after this close code. Codes that the protocol does not name come
 * from proxies and crashes and count as a lost connection.
 * @param {number} code
 */
export function shouldReconnect(code) {
  return !NO_RECONNECT.has(code);
}
