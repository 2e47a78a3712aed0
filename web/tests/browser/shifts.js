// Adds up how far the parts of a page move by themselves: the browser's layout shifts, which the
// user has not caused.

/** @import {Page} from "playwright-core" */

/** The largest sum for a view. */
export const SHIFT_MAX = 0.05;

/**
 * Observes the shifts of every document that a page loads from now on.
 * @param {Page} page
 */
export function observeShifts(page) {
  return page.addInitScript(() => {
    /** @type {{ value: number, parts: string[] }[]} */
    const shifts = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput, sources } = /** @type {any} */ (entry);
        if (hadRecentInput) continue;
        const parts = sources.map((/** @type {any} */ { node, previousRect, currentRect }) => {
          const element = node instanceof Element ? node : node?.parentElement;
          return `${element?.tagName}.${element?.getAttribute("class")} from ${previousRect.x},${previousRect.y} to ${currentRect.x},${currentRect.y}`;
        });
        shifts.push({ value, parts });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
}

/**
 * Returns the sum of the shifts so far, and which parts have moved.
 * @param {Page} page
 * @returns {Promise<{ sum: number, moved: string }>}
 */
export async function shiftsOf(page) {
  const shifts = await page.evaluate(() => {
    // The observer reports a shift after the frame in which it happened.
    const seen = () => /** @type {any} */ (window).shifts;
    return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(seen())))));
  });
  const list = /** @type {{ value: number, parts: string[] }[]} */ (shifts);
  return {
    sum: list.reduce((sum, { value }) => sum + value, 0),
    moved: list.map(({ value, parts }) => `${value.toFixed(4)}: ${parts.join("; ")}`).join("\n"),
  };
}
