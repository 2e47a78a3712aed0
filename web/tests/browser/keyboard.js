// A user with a keyboard only.

import assert from "node:assert/strict";

/** @import {Locator, Page} from "playwright-core" */

/** Presses of a key in search of something, at the most. */
const PRESSES_MAX = 80;

/**
 * Presses Tab until the focus is inside of an element.
 * @param {Page} page
 * @param {Locator} wanted
 */
export async function tabTo(page, wanted) {
  for (let presses = 0; presses < PRESSES_MAX; presses += 1) {
    if (await wanted.evaluate((element) => element.contains(document.activeElement))) return;
    await page.keyboard.press("Tab");
  }
  assert.fail("Tab never reaches it");
}

/**
 * Picks a cell with the arrow keys and the space bar.
 * @param {Page} page
 * @param {string} cell
 */
export async function pickByKeys(page, cell) {
  const board = page.locator(".explore adamant-board").first();
  await tabTo(page, board);
  for (let presses = 0; presses < PRESSES_MAX; presses += 1) {
    const arrow = await board.evaluate((element, name) => {
      const now = document.activeElement?.closest("[data-cell]");
      const wanted = element.querySelector(`.cells [data-cell="${name}"]`);
      if (now?.getAttribute("data-cell") === name || !now || !wanted) return undefined;
      const [from, to] = [now.getBoundingClientRect(), wanted.getBoundingClientRect()];
      const x = to.left + to.width / 2 - from.left - from.width / 2;
      const y = to.top + to.height / 2 - from.top - from.height / 2;
      // First to its row, then along it.
      if (Math.abs(y) > 5) return y > 0 ? "ArrowDown" : "ArrowUp";
      return x > 0 ? "ArrowRight" : "ArrowLeft";
    }, cell);
    if (arrow === undefined) return page.keyboard.press(" ");
    await page.keyboard.press(arrow);
  }
  return assert.fail(`the arrow keys never reach ${cell}`);
}
