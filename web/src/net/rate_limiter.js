// How fast the page may ask: a mirror of the server's own allowance, so that what a quick player does waits
// here for a moment instead of being refused there.

/** The part of the server's allowance that one page uses: others of the same user may need some, too. */
const SHARE = 0.8;

export class RateLimiter {
  #burst = Number.POSITIVE_INFINITY;
  #perMs = Number.POSITIVE_INFINITY;
  #tokens = Number.POSITIVE_INFINITY;
  #refilledAt = 0;

  /**
   * Takes note of what the server allows; 0 is no limit.
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
   * Takes one message off the allowance, or says how many milliseconds to wait for the next.
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
