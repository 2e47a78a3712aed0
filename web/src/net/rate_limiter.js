// Keeps the page within the server's rate limit: fast input waits here instead of being refused.

/** The share of the limit that one page uses. Other pages of the user may need the rest. */
const SHARE = 0.8;

export class RateLimiter {
  #burst = Number.POSITIVE_INFINITY;
  #perMs = Number.POSITIVE_INFINITY;
  #tokens = Number.POSITIVE_INFINITY;
  #refilledAt = 0;

  /**
   * Sets the server's limits; 0 means no limit.
   * @param {{ burst: number, per_s: number }} limits
   * @param {number} now
   */
  setLimits({ burst, per_s: perSecond }, now) {
    const isLimited = burst > 0 && perSecond > 0;
    this.#burst = isLimited ? Math.max(1, Math.floor(burst * SHARE)) : Number.POSITIVE_INFINITY;
    this.#perMs = isLimited ? (perSecond * SHARE) / 1_000 : Number.POSITIVE_INFINITY;
    this.#tokens = Math.min(this.#tokens, this.#burst);
    this.#refilledAt = now;
  }

  /**
   * Takes one token. Returns 0, or the milliseconds until there is one.
   * @param {number} now
   */
  acquire(now) {
    if (this.#burst === Number.POSITIVE_INFINITY) return 0;
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(0, now - this.#refilledAt) * this.#perMs);
    this.#refilledAt = now;
    if (this.#tokens < 1) return Math.ceil((1 - this.#tokens) / this.#perMs);
    this.#tokens -= 1;
    return 0;
  }
}
