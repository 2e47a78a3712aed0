// Moves on boards where all sides are tried, by clicks and without knowledge of the rules.

/** @import {Page} from "playwright-core" */

/** Clicks in one turn before the user takes them back. */
const CLICKS_MAX = 8;

/** @param {Page} page */
export async function quiet(page) {
  await page.locator('.explore[aria-busy="false"]').waitFor();
}

/**
 * Makes a move by random clicks on marked cells and pieces of the reserve.
 * @param {Page} page
 * @param {(below: number) => number} random
 */
export async function tryMove(page, random) {
  const moves = page.locator(".move-tree [data-ply]");
  const before = await moves.count();
  for (let clicks = 0; ; clicks += 1) {
    await quiet(page);
    if ((await moves.count()) > before) return;
    const play = page.locator(".explore-buttons [data-key=play]");
    if ((await play.count()) > 0) {
      await play.click();
      continue;
    }
    if (clicks === CLICKS_MAX) {
      clicks = 0;
      await page.locator(".explore-buttons [data-key=undo]").click();
      continue;
    }
    await clickSomething(page, random);
  }
}

/**
 * Clicks a marked cell, any cell if there is none, or first a piece of the reserve.
 * @param {Page} page
 * @param {(below: number) => number} random
 */
async function clickSomething(page, random) {
  const reserve = page.locator(".explore-reserve button:enabled[aria-pressed=false]");
  const pieces = await reserve.count();
  const isHeld = (await page.locator(".explore-reserve [aria-pressed=true]").count()) > 0;
  if (pieces > 0 && !isHeld) return reserve.nth(random(pieces)).click();
  const marked = page.locator(".analysis-board :is(.cell.target, .cell.capture, .cell.source)");
  const cells = (await marked.count()) > 0 ? marked : page.locator(".analysis-board .cell");
  const name = await cells.nth(random(await cells.count())).getAttribute("data-cell");
  return page.locator(`.analysis-board .cell[data-cell="${name}"]`).dispatchEvent("click");
}
