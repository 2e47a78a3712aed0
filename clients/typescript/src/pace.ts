// When to connect again, and how fast to send.

import type { Limits } from "./limits.js";

/**
 * Exponential back-off with full jitter: a random wait below a limit that doubles.
 *
 * Clients that lost the same server come back spread over the whole range.
 */
export class Backoff {
  readonly #limits: Limits;
  #failures = 0;
  #lostAt: number | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** The wait before the next attempt, in milliseconds. `now` is by the clock of `performance`. */
  next(now: number): number {
    const { firstWaitMaxMs, eagerForMs, eagerWaitMaxMs, waitMaxMs } = this.#limits;
    this.#lostAt ??= now;
    const longest = now - this.#lostAt < eagerForMs ? eagerWaitMaxMs : waitMaxMs;
    const limit = Math.min(firstWaitMaxMs * 2 ** Math.min(this.#failures, 16), longest);
    this.#failures += 1;
    return Math.random() * limit;
  }

  /** Notes a new session. Its loss is another one, after which the waits are short for a time. */
  opened(): void {
    this.#lostAt = undefined;
  }

  reset(): void {
    this.#failures = 0;
    this.#lostAt = undefined;
  }
}

/** A token bucket that keeps the client within the server's message rate. */
export class Rate {
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #refilledAt = performance.now();

  /** Takes the rates of `welcome`; 0 means no limit. */
  constructor(rates: { per_s: number; burst: number }, share: number) {
    const isLimited = rates.per_s > 0 && rates.burst > 0;
    this.#perMs = isLimited ? (rates.per_s * share) / 1000 : Infinity;
    this.#burst = isLimited ? Math.max(1, rates.burst * share) : Infinity;
    this.#tokens = this.#burst;
  }

  /** Takes a token and returns 0, or returns the milliseconds until there is one. */
  take(): number {
    if (this.#burst === Infinity) return 0;
    const now = performance.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#refilledAt) * this.#perMs);
    this.#refilledAt = now;
    if (this.#tokens < 1) return (1 - this.#tokens) / this.#perMs;
    this.#tokens -= 1;
    return 0;
  }
}
