// What the clocks show. They count here from the server's facts; that a flag has fallen is the
// server's to say.

/** @import {ClockState} from "../wire.js" */

/** Below this, tenths are shown. */
const TENTHS_BELOW_MS = 10_000;

/**
 * What a seat has left at a moment of the server's time; `undefined` without clocks.
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
 * The time until the flag falls, or until the next period begins, and how many periods stand behind
 * that.
 * @param {ClockState} clock
 * @param {number} ms what is left
 */
export function splitPeriods(clock, ms) {
  const { periods, period_ms: period } = clock;
  if (periods == null || period == null || period <= 0) return { ms, periods: 0 };
  const behind = Math.max(0, Math.min(periods, Math.ceil(ms / period) - 1));
  return { ms: ms - behind * period, periods: behind };
}

/**
 * A time as a clock shows it. It is rounded up, so that nought means nought.
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
