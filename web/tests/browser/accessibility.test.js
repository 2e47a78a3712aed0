// Accessibility: on any screen, in light and dark, and for screen readers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { seriousProblems } from "./axe.js";
import { setUp, visit } from "./harness.js";

/** @import {Page} from "playwright-core" */

const { server, browser } = await setUp();

/** Every address of the page except games, with an element that shows that it is complete. */
const VIEWS = [
  ["/", ".own-game .who"],
  ["/tv", ".tv .cell"],
  ["/games", ".games-page .rows, .games-page .empty"],
  ["/rules/diam", ".steps .cell"],
  ["/learn", ".learn-games a"],
  ["/learn/adamas", ".guided .cell"],
  ["/puzzles/stymie/1", ".puzzle-page .cell"],
  ["/live", ".live .mini-board .cell"],
  ["/standings", ".tabs"],
  ["/account", "main form, main button"],
  ["/user/house", "h1"],
];

/**
 * Opens all views, a game among them.
 * @param {Page} page
 * @param {(name: string) => Promise<void>} look
 */
async function everywhere(page, look) {
  for (const rules of ["adamas", "hexma", "stymie", "diam"]) {
    await page.goto(server.url);
    await page.locator(`[data-rules=${rules}]`).click();
    await page.locator(".board-area .cell").first().waitFor();
    await look(rules);
    await page.getByRole("tab", { name: "Chat" }).click();
    await page.locator(".talk form").waitFor();
    await look(`${rules} with the chat`);
    await page.getByRole("tab", { name: "Rules" }).click();
    await look(`${rules} with the rules`);
  }
  // The games go on, so that the front page can show them.
  for (const [path = "", sign = ""] of VIEWS) {
    await page.goto(`${server.url}${path}`);
    await page.locator(sign).first().waitFor();
    await look(path);
  }
}

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  test(`axe finds no serious problem, ${colorScheme}`, async () => {
    const { page, context } = await visit(browser, server.url, { colorScheme, bypassCSP: true });
    await everywhere(page, async (name) => {
      assert.deepEqual(await seriousProblems(page), [], name);
    });
    await context.close();
  });
}

for (const [width, height, least] of /** @type {const} */ ([[360, 740, 320], [768, 1024, 560], [1920, 1080, 800]])) {
  test(`every view fits on a screen of width ${width}, with a large board`, async () => {
    const { page, context, pageErrors } = await visit(browser, server.url, { viewport: { width, height } });
    await everywhere(page, async (name) => {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${name} is ${wide} wide`);
      const board = page.locator(".board-area adamant-board");
      if ((await board.count()) === 0) return;
      const box = await board.boundingBox();
      assert.ok(box !== null && Math.max(box.width, box.height) >= least, `${name}: ${JSON.stringify(box)}`);
      assert.ok(box.x >= 0 && box.x + box.width <= width, `${name}: ${JSON.stringify(box)}`);
    });
    assert.deepEqual(pageErrors, []);
    await context.close();
  });
}
