// The layout of a game on common screens, during play and after it: no part covers another, all
// controls are in view, and no row is cut in half.

import assert from "node:assert/strict";
import { test } from "node:test";
import { awaitTurn, seededRandom, setUp, visit } from "./harness.js";
import { makeMove, settled } from "./random_player.js";

/** @import {Page} from "playwright-core" */

const { server, browser } = await setUp();

const SCREENS = [[1280, 720], [1366, 768], [1440, 900], [1536, 864], [1920, 1080]];

/**
 * Moves before the layout is checked: more than the list has room for, unless the game may be over
 * before.
 */
const MOVES = { adamas: 4, hexma: 9, stymie: 9, diam: 1 };

/**
 * Returns the faults in the layout of a game.
 * @param {Page} page
 */
function misplaced(page) {
  return page.evaluate(() => {
    /** @type {string[]} */
    const wrong = [];
    const named = (/** @type {Element} */ each) => `${each.tagName.toLowerCase()}.${each.className} "${each.textContent?.slice(0, 20)}"`;
    const side = /** @type {HTMLElement} */ (document.querySelector(".game-page aside"));
    if (side.scrollHeight > side.clientHeight) wrong.push(`${side.scrollHeight - side.clientHeight} of the side lie below its edge`);
    const list = /** @type {HTMLElement} */ (document.querySelector(".moves ol"));
    const frame = list.getBoundingClientRect();
    const isSeen = (/** @type {DOMRect} */ { top, bottom }) => bottom > frame.top + 1 && top < frame.bottom - 1;
    const isFullyVisible = (/** @type {DOMRect} */ { top, bottom }) => top > frame.top - 1 && bottom < frame.bottom + 1;
    const rows = [...list.children].map((row) => ({ row, box: row.getBoundingClientRect() })).filter(({ box }) => isSeen(box));
    if (rows.length < Math.min(2, list.children.length)) wrong.push(`only ${rows.length} moves can be seen`);
    for (const { row, box } of rows) if (!isFullyVisible(box)) wrong.push(`half of ${named(row)} is cut off`);
    const parts = [...document.querySelectorAll("aside :is(button, input, a, output, h2, .status, .clock, .lines), .replay > *, .board-area adamant-board, header a")]
      .filter((part) => !list.contains(part))
      .concat(rows.map(({ row }) => row))
      .filter((part) => part.checkVisibility());
    const boxes = parts.map((part) => ({ part, box: part.getBoundingClientRect() })).filter(({ box }) => box.width > 0 && box.height > 0);
    for (const [index, { part, box }] of boxes.entries()) {
      if (box.bottom > innerHeight + 1 || box.right > innerWidth + 1) wrong.push(`${named(part)} lies outside of the screen`);
      for (const { part: other, box: its } of boxes.slice(index + 1)) {
        if (part.contains(other) || other.contains(part)) continue;
        const across = Math.min(box.right, its.right) - Math.max(box.left, its.left);
        const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
        if (across > 1 && down > 1) wrong.push(`${named(part)} and ${named(other)} overlap by ${across} x ${down}`);
      }
    }
    return wrong;
  });
}

/**
 * @param {Page} page
 * @param {string} when
 */
async function checkLayout(page, when) {
  for (const [width = 0, height = 0] of SCREENS) {
    await page.setViewportSize({ width, height });
    // The list adapts after its container.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const shots = process.env["ADAMANT_SHOTS"];
    if (shots !== undefined) await page.screenshot({ path: `${shots}/${when.replaceAll(/\W+/g, "-")}-${width}.png` });
    assert.deepEqual(await misplaced(page), [], `${when} at ${width}x${height}`);
  }
}

for (const [rules, most] of Object.entries(MOVES)) {
  test(`a game of ${rules} fits on every screen`, async () => {
    const { page, context, pageErrors } = await visit(browser, server.url);
    await page.getByRole("radio", { name: "easy" }).check();
    await page.locator(`[data-rules=${rules}]`).click();
    await page.locator(".status.my-turn").waitFor();
    await checkLayout(page, `${rules} at the beginning`);
    const random = seededRandom(11);
    for (let moves = 0; moves < most && (await awaitTurn(page)) === "move"; moves += 1) await makeMove(page, random);
    await awaitTurn(page);
    await checkLayout(page, `${rules} at the player's turn`);
    assert.equal(await page.locator('[data-over="true"]').count(), 0);
    await settled(page);
    await page.locator(".board-area .cell:is(.source, .octagon, .sector)").first().dispatchEvent("click");
    await settled(page);
    await checkLayout(page, `${rules} with a picked piece`);
    const target = page.locator(".board-area .cell.target");
    if ((await target.count()) > 0) await target.first().dispatchEvent("click");
    await settled(page);
    await checkLayout(page, `${rules} with a sketched move`);
    await page.getByRole("slider").fill("1");
    await checkLayout(page, `${rules} at an earlier position`);
    await page.getByRole("button", { name: "Resign" }).click();
    await checkLayout(page, `${rules} before resigning`);
    await page.getByRole("button", { name: "Yes" }).click();
    await page.locator('[data-over="true"]').waitFor();
    await checkLayout(page, `${rules} when it is over`);
    assert.deepEqual(pageErrors, []);
    await context.close();
  });
}
