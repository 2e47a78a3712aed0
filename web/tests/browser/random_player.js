// A player without knowledge of the rules: it clicks highlighted cells until they are a move.

/** @import {Page} from "playwright-core" */

/** Clicks in one turn before the player clears the sketch. */
const CLICKS_MAX = 6;

/** @param {Page} page */
export async function settled(page) {
  await page.locator('.move-form[aria-busy="false"]').waitFor();
}

/**
 * Returns whether the move with a number is made, whether the sketch is a move, and the highlighted
 * cells, or all if there are none.
 * @param {Page} page
 * @param {number} ply
 */
function look(page, ply) {
  return page.evaluate((number) => {
    const named = (/** @type {string} */ which) => [...document.querySelectorAll(which)].map((cell) => cell.getAttribute("data-cell"));
    const pointedOut = named(".cell.target, .cell.capture, .cell.source");
    return {
      made: document.querySelector(`.move.sent, [data-ply="${number}"]`) !== null,
      playable: document.querySelector("button.play:enabled") !== null,
      cells: pointedOut.length > 0 ? pointedOut : named(".cell"),
    };
  }, ply);
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
    const { made, playable, cells } = await look(page, ply + 1);
    // A complete move may be played with its last click.
    if (made) break;
    if (playable) {
      await page.locator("button.play").click();
      break;
    }
    if (clicks === CLICKS_MAX) {
      clicks = -1;
      await page.keyboard.press("Escape");
      continue;
    }
    const name = cells[random(cells.length)];
    await page.locator(`.cell[data-cell="${name}"]`).dispatchEvent("click");
  }
  await page.locator(`[data-ply="${ply + 1}"]`).waitFor({ state: "attached" });
}
