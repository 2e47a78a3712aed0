// A player without knowledge of the rules: it clicks highlighted cells until they are a move.

/** @import {Page} from "playwright-core" */

/** Clicks in one turn before the player clears the sketch. */
const CLICKS_MAX = 6;

/** @param {Page} page */
export async function settled(page) {
  await page.locator('.move-form[aria-busy="false"]').waitFor();
}

/**
 * Returns the highlighted cells, or all if there are none.
 * @param {Page} page
 */
async function highlightedCells(page) {
  const named = async (/** @type {string} */ which) =>
    page.locator(which).evaluateAll((cells) => cells.map((cell) => cell.getAttribute("data-cell")));
  const pointedOut = await named(".cell.target, .cell.capture, .cell.source");
  return pointedOut.length > 0 ? pointedOut : named(".cell");
}

/**
 * Plays a move by clicks on cells.
 * @param {Page} page
 * @param {(below: number) => number} random
 */
export async function makeMove(page, random) {
  const ply = await page.locator("[data-ply]").count();
  for (let clicks = 0; ; clicks += 1) {
    await settled(page);
    // A complete move may be played with its last click.
    if ((await page.locator(`.move.sent, [data-ply="${ply + 1}"]`).count()) > 0) break;
    const play = page.locator("button.play");
    if (await play.isEnabled()) {
      await play.click();
      break;
    }
    if (clicks === CLICKS_MAX) {
      clicks = 0;
      await page.keyboard.press("Escape");
      await settled(page);
    }
    const cells = await highlightedCells(page);
    const name = cells[random(cells.length)];
    await page.locator(`.cell[data-cell="${name}"]`).dispatchEvent("click");
  }
  await page.locator(`[data-ply="${ply + 1}"]`).waitFor({ state: "attached" });
}
