// The layout of a game on common screens, during play and after it: no part covers another, all
// controls are in view, and no row is cut in half.

import assert from "node:assert/strict";
import { awaitTurn, browser, long, seededRandom, server, setUp } from "./harness.js";
import { makeMove, settled } from "./random_player.js";
import { playAgainstBots, stopPlaying } from "./seated.js";

/** @import {Page} from "playwright-core" */

setUp();

/** Sizes of screens, of each arrangement. */
const SCREENS = [
  [1920, 1080], [1536, 864], [1440, 900], [1366, 768], [1280, 720], [1024, 768],
  [768, 1024], [414, 896], [390, 844], [360, 740], [360, 640], [740, 360],
];

/** Moves before the layout is checked. Some games may be over soon. */
const MOVES = { adamas: 4, hexma: 9, stymie: 9, diam: 1 };

/**
 * Returns the faults in the layout of a game.
 * @param {Page} page
 */
function misplaced(page) {
  return page.evaluate(() => {
    scrollTo(0, 0);
    /** @type {string[]} */
    const wrong = [];
    const named = (/** @type {Element} */ each) => `${each.tagName.toLowerCase()}.${each.getAttribute("class")} "${each.textContent?.slice(0, 20)}"`;
    const query = (/** @type {string} */ which) => [...document.querySelectorAll(which)].filter((part) => part.checkVisibility());
    const sticky = query(".action-bar").find((each) => getComputedStyle(each).position === "sticky");
    const isWide = sticky === undefined;
    // Rows within a list that scrolls.
    const list = query(".moves ol")[0];
    const frame = list?.getBoundingClientRect();
    const rows = [...(list?.children ?? [])].filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return frame !== undefined && bottom > frame.top + 1 && top < frame.bottom - 1;
    });
    for (const row of rows) {
      const { top, bottom } = row.getBoundingClientRect();
      if (frame !== undefined && (top < frame.top - 1 || bottom > frame.bottom + 1)) wrong.push(`half of ${named(row)} is cut off`);
    }
    if (list !== undefined && rows.length < Math.min(2, list.children.length)) wrong.push(`only ${rows.length} moves can be seen`);
    const parts = query(
      "header a, .seat, .seat :is(.user, .clock, .reserve), .board-area adamant-board, .action-bar :is(button, .status, .move, .error, input), " +
        ".goal-strip p, .goal-strip button, .result-card :is(h2, p, button, a), .offer button, .panel-tab, .replay > *, .lines, .talk :is(input, button, a), " +
        ".rules-panel, .controls button, .confirm, .tools :is(button, p)",
    ).concat(rows);
    const inBar = (/** @type {Element} */ part) => sticky?.contains(part) ?? false;
    const must = (/** @type {Element} */ part) => isWide || inBar(part) || part.matches(".seat, adamant-board");
    const boxes = parts.map((part) => ({ part, box: part.getBoundingClientRect() })).filter(({ box }) => box.width > 0 && box.height > 0);
    const sideways = innerWidth > innerHeight && !isWide;
    for (const [index, { part, box }] of boxes.entries()) {
      if (box.right > innerWidth + 1 || box.left < -1) wrong.push(`${named(part)} lies beside the screen`);
      if (must(part) && !(sideways && part.matches(".seat")) && (box.bottom > innerHeight + 1 || box.top < -1)) wrong.push(`${named(part)} lies below the screen`);
      for (const { part: other, box: its } of boxes.slice(index + 1)) {
        // What stays at the lower edge covers what lies further down.
        if (part.contains(other) || other.contains(part) || inBar(part) !== inBar(other)) continue;
        const across = Math.min(box.right, its.right) - Math.max(box.left, its.left);
        const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
        if (across > 1 && down > 1) wrong.push(`${named(part)} and ${named(other)} overlap by ${across} x ${down}`);
      }
    }
    if (document.documentElement.scrollWidth > innerWidth) wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
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
    assert.deepEqual(await misplaced(page), [], `${when} at ${width} x ${height}`);
  }
}

/** @param {Page} page */
async function resign(page) {
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("button", { name: "Yes" }).click();
}

for (const [rules, most] of Object.entries(MOVES)) {
  long(`no part of a game of ${rules} covers another on any screen`, async () => {
    const { page, game, bots, close, pageErrors } = await playAgainstBots(browser, server, { rules });
    const random = seededRandom(7);
    for (let moves = 0; moves < most && (await awaitTurn(page)) === "move"; moves += 1) await makeMove(page, random);
    await awaitTurn(page);
    await checkLayout(page, `${rules} at the player's turn`);
    await settled(page);
    await page.locator(".board-area .cell:is(.source, .octagon, .sector)").first().dispatchEvent("click");
    await settled(page);
    await checkLayout(page, `${rules} with a picked piece`);
    await page.getByRole("tab", { name: "Chat" }).click();
    await checkLayout(page, `${rules} with the chat`);
    await page.getByRole("tab", { name: "Rules" }).click();
    await checkLayout(page, `${rules} with the rules`);
    await page.getByRole("tab", { name: "Moves" }).click();
    await page.getByRole("button", { name: "Resign" }).click();
    await checkLayout(page, `${rules} before resigning`);
    await page.getByRole("button", { name: "No", exact: true }).click();
    const { offer } = await /** @type {import("./bots.js").Bot} */ (bots[0]).request({ type: "offer", game, what: "draw" });
    await page.locator(".offer", { hasText: "offers a draw" }).waitFor();
    await checkLayout(page, `${rules} with an offer`);
    await bots[0]?.request({ type: "withdraw", game, offer });
    await page.locator(".offer").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Draw", exact: true }).click();
    await page.locator(".offer", { hasText: "You have offered a draw" }).waitFor();
    await checkLayout(page, `${rules} with an offer of one's own`);
    await page.getByRole("slider").fill("1");
    await checkLayout(page, `${rules} at an earlier position`);
    await resign(page);
    await page.locator('[data-over="true"]').waitFor();
    await checkLayout(page, `${rules} when it is over`);
    assert.deepEqual(pageErrors, []);
    await close();
  });
}

long("three seats with long names fit on any screen, and a player who is out is told so", async () => {
  const names = ["Wolfeschlegelsteinha", "Wwwwwwwwwwwwwwwwwwww", "Mmmmmmmmmmmmmmmmmmmm"];
  const clock = /** @type {const} */ ({ mode: "fischer", base_ms: 3_600_000, inc_ms: 0 });
  const { page, game, bots, close, pageErrors } = await playAgainstBots(browser, server, { rules: "adamas", clock }, { names, seats: 3 });
  const random = seededRandom(3);
  for (let moves = 0; moves < 2 && (await awaitTurn(page)) === "move"; moves += 1) await makeMove(page, random);
  assert.equal(await page.locator(".seats.far .seat").count(), 2);
  assert.equal(await page.locator(".seats.near .seat").count(), 1);
  await checkLayout(page, "three seats");
  await page.keyboard.press("f");
  assert.equal(await page.locator(".seats.near .seat").count(), 2, "the board is turned round");
  await page.keyboard.press("f");
  await resign(page);
  await page.locator(".goal-strip", { hasText: "You are out." }).waitFor();
  // The others play on. They stop, so that nothing changes while the layout is looked at.
  for (const bot of bots) stopPlaying(bot, game);
  for (const bot of bots) {
    const { ply } = await bot.request({ type: "watch", game });
    await page.locator(`[data-ply="${ply}"]`).waitFor({ state: "attached" });
  }
  await checkLayout(page, "three seats when one is out");
  assert.deepEqual(pageErrors, []);
  await close();
});
