// The time for measuring durations.

/** A wall clock that gains this much at once, in milliseconds, means that the device slept. */
const SLEEP_MS = 2_000;

/**
 * Returns a clock in milliseconds that nobody sets back. It passes monotonically and counts sleep,
 * during which some browsers stop their monotonic clock.
 * @param {() => number} wall the time of day
 * @param {() => number} monotonic
 */
export function stopwatch(wall, monotonic) {
  let [lastWall, lastMonotonic] = [wall(), monotonic()];
  let at = lastWall;
  return () => {
    const [toWall, toMonotonic] = [wall(), monotonic()];
    const [byWall, passed] = [toWall - lastWall, toMonotonic - lastMonotonic];
    at += byWall - passed > SLEEP_MS ? byWall : passed;
    [lastWall, lastMonotonic] = [toWall, toMonotonic];
    return Math.floor(at);
  };
}

/** The page's clock for durations. */
export const now = stopwatch(
  () => Date.now(),
  () => performance.now(),
);
