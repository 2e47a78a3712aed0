// A slow line: a click is answered by the page itself, and a crash at any step loses nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./harness.js";
import { settled } from "./random_player.js";
import { playAgainstBots } from "./seated.js";

/** @import {Page} from "playwright-core" */

const { server, browser } = await setUp();

/** The delay of each direction, in milliseconds. */
const DELAY_MS = 150;

/** The time of script from a press to its mark on the board, in milliseconds. */
const MARK_MAX_MS = 50;

/**
 * Delays the messages of a page in both directions.
 * @param {Page} page
 */
async function delay(page) {
  await page.routeWebSocket(/v1\/ws/, (socket) => {
    const upstream = socket.connectToServer();
    socket.onMessage((data) => void setTimeout(() => upstream.send(data), DELAY_MS));
    upstream.onMessage((data) => void setTimeout(() => socket.send(data), DELAY_MS));
  });
}

/**
 * Clicks a cell, and returns how long the page takes to mark it in the same task.
 * @param {Page} page
 * @param {string} name
 */
function clickToMark(page, name) {
  return page.evaluate((cell) => {
    const area = document.querySelector(`.cells [data-cell="${cell}"]`);
    const began = performance.now();
    area?.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
    const marked = document.querySelector(`.cells [data-cell="${cell}"]`)?.classList.contains("chosen") ?? false;
    return { marked, ms: performance.now() - began, targets: document.querySelectorAll(".cell.target").length };
  }, name);
}

for (const rules of ["adamas", "hexma", "stymie"]) {
  test(`a click on a board of ${rules} is answered at once on a slow line`, async () => {
    const { page, close, pageErrors } = await playAgainstBots(browser, server, { rules }, { page: { ready: delay } });
    await page.locator(".status.my-turn").waitFor();
    await settled(page);
    const sources = page.locator(".board-area .cell:is(.source, .octagon)");
    const first = await sources.first().getAttribute("data-cell");
    // Other processes may interrupt one of the clicks.
    const tries = [];
    for (let tried = 0; tried < 3; tried += 1) {
      tries.push(await clickToMark(page, first ?? ""));
      if (tried < 2) await page.keyboard.press("Escape");
    }
    const ms = Math.min(...tries.map((each) => each.ms));
    const [{ targets } = { targets: 0 }] = tries;
    assert.ok(tries.every(({ marked }) => marked) && ms < MARK_MAX_MS, `${rules}: ${JSON.stringify(tries)}`);
    // The first step came with the turn, so that what can follow it is known, too.
    if (rules !== "stymie") assert.ok(targets > 0);
    if (rules === "adamas") {
      const target = await page.locator(".cell.target").first().getAttribute("data-cell");
      const second = await clickToMark(page, target ?? "");
      assert.ok(second.marked && second.ms < MARK_MAX_MS, `the target: ${JSON.stringify(second)}`);
    }
    assert.deepEqual(pageErrors, []);
    await close();
  });
}

test("a crash at any step loses nothing: with a composed move, a sent one, and after its answer", async () => {
  const { page, close } = await playAgainstBots(browser, server, { rules: "stymie" });
  await page.locator(".status.my-turn").waitFor();
  await settled(page);
  await page.locator('.cell[data-cell="c3"]').click();
  await page.locator("button.play:enabled").waitFor();
  const restarted = async () => {
    await server.killAndStart();
    await page.locator(".banner").waitFor({ state: "hidden" });
  };
  await restarted();
  assert.equal(await page.locator("output.move").textContent(), "c3", "it is still composed");
  await Promise.all([page.locator("button.play").click(), server.killAndStart()]);
  await page.locator('[data-ply="1"]').waitFor({ state: "attached" });
  await restarted();
  assert.equal(await page.locator('[data-ply="1"]').count(), 1);
  assert.match((await page.locator(".status").textContent()) ?? "", /^Waiting for /);
  await close();
});
