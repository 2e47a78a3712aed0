// The times that clocks show. They run from the server's values. Only the server decides that a
// flag has fallen.

/** @import {ClockState} from "../wire.js" */

/** Below this time tenths of a second are shown. */
const TENTHS_BELOW_MS = 10_000;

/**
 * Returns the time that a seat has left at a moment of the server's time; `undefined` without
 * clocks.
 * @param {ClockState} clock
 * @param {number} seat
 * @param {number} now
 * @returns {number | undefined}
 */
export function timeLeft(clock, seat, now) {
  const shown = clock.left_ms?.[seat];
  if (shown === undefined) return undefined;
  if (clock.running !== seat || clock.since == null) return shown;
  return Math.max(0, shown - Math.max(0, now - clock.since));
}

/**
 * Returns the time until the flag falls or the next period begins, and the number of periods after
 * it.
 * @param {ClockState} clock
 * @param {number} ms the time left
 */
export function splitPeriods(clock, ms) {
  const { periods, period_ms: period } = clock;
  if (periods == null || period == null || period <= 0) return { ms, periods: 0 };
  const behind = Math.max(0, Math.min(periods, Math.ceil(ms / period) - 1));
  return { ms: ms - behind * period, periods: behind };
}

/**
 * Formats a time for a clock. It is rounded up, so that zero is shown only at zero.
 * @param {number} ms
 */
export function formatTime(ms) {
  if (ms < TENTHS_BELOW_MS) return (Math.ceil(ms / 100) / 10).toFixed(1);
  const seconds = Math.ceil(ms / 1000);
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  if (seconds >= 86_400) {
    const hours = Math.ceil(seconds / 3_600);
    return `${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
  }
  const hours = Math.floor(seconds / 3_600);
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest.replace(/^0/, "");
}
