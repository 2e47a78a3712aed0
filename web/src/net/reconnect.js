// Whether the page reconnects, and how long it waits before.

/** The limit of the first wait, in milliseconds: short, because most drops end quickly. */
const FIRST_WAIT_MAX_MS = 250;

/** The limit of every wait, in milliseconds. */
const WAIT_MAX_MS = 15_000;

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

  /** @param {() => number} random from 0 up to but not including 1 */
  constructor(random) {
    this.#random = random;
  }

  /** Returns the wait before the next attempt, in milliseconds. */
  next() {
    const limit = FIRST_WAIT_MAX_MS * 2 ** Math.min(this.#failures, DOUBLINGS_MAX);
    this.#failures += 1;
    return this.#random() * Math.min(limit, WAIT_MAX_MS);
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
