// How long to wait before the next attempt to connect. Whether there is one is the connection's
// business.

/** The longest first wait, in milliseconds: short, because most drops are over at once. */
export const FIRST_WAIT_MAX_MS = 250;

/** The longest wait of all, in milliseconds. */
export const WAIT_MAX_MS = 15_000;

/** A connection that has held so long, in milliseconds, was a good one: the waits begin anew. */
export const STEADY_AFTER_MS = 15_000;

/** Doublings after which the longest wait is reached. */
const DOUBLINGS_MAX = 6;

/**
 * Exponential back-off with full jitter: any wait from nothing up to a limit that doubles, so that
 * pages which lost the same server come back spread over the whole range.
 */
export class Backoff {
  #failures = 0;
  #random;

  /** @param {() => number} random from 0 up to but not including 1 */
  constructor(random) {
    this.#random = random;
  }

  /** The wait before the next attempt, in milliseconds. */
  next() {
    const limit = FIRST_WAIT_MAX_MS * 2 ** Math.min(this.#failures, DOUBLINGS_MAX);
    this.#failures += 1;
    return this.#random() * Math.min(limit, WAIT_MAX_MS);
  }

  /** Begins anew after a good connection. */
  reset() {
    this.#failures = 0;
  }
}
