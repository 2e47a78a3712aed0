// Accessibility: on any screen, in light and dark, and for screen readers.

import assert from "node:assert/strict";
import { problems } from "./axe.js";
import { Bot } from "./bots.js";
import { awaitTurn, browser, long, openMenu, seededRandom, server, setUp, visit } from "./harness.js";
import { setUpGame } from "./lobby.js";
import { makeMove } from "./random_player.js";
import { playRandomly } from "./seated.js";

/** @import {Page} from "playwright-core" */

setUp();

const GAMES = ["adamas", "hexma", "stymie", "diam"];

/** Every address of the page except games, with an element that shows that it is complete. */
const VIEWS = [
  ["/", ".own-game .who b"],
  ["/tv", ".tv .cell"],
  ["/games", ".games-page .rows, .games-page .empty"],
  ...GAMES.flatMap((rules) => [
    [`/rules/${rules}`, ".steps .cell"],
    [`/learn/${rules}`, ".guided .cell"],
    [`/puzzles/${rules}/1`, ".puzzle-page .cell"],
  ]),
  ["/learn", ".learn-games a"],
  ["/analysis", ".analysis-games a"],
  ...GAMES.flatMap((rules) => [
    [`/analysis/${rules}`, ".analysis-board .cell"],
    [`/analysis/${rules}?hotseat`, ".analysis-set-up .names input"],
  ]),
  ["/analysis/adamas?ply=2#c1-c2;c5-c4", ".move-tree [aria-current]"],
  ["/live", ".live .mini-board .cell"],
  ["/bots", ".bots .card"],
  ["/standings", ".tabs"],
  ["/standings/diam", ".tabs"],
  ["/stats/diam", ".tabs"],
  ["/account", "main form, main button"],
  ["/user/house", "h1"],
  ["/live/chess", "main h1"],
];

/** @typedef {(name: string) => Promise<void>} Look */

/**
 * Opens all views, a game among them.
 * @param {Page} page
 * @param {Look} look
 */
async function everywhere(page, look) {
  for (const rules of GAMES) {
    await page.goto(server.url + "/");
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
    await page.goto(server.url + path);
    await page.locator(sign).first().waitFor();
    await look(path);
  }
  await dialogs(page, look);
  await withAnother(page, look);
}

/**
 * Opens the dialogs.
 * @param {Page} page
 * @param {Look} look
 */
async function dialogs(page, look) {
  await page.goto(server.url + "/");
  const dialog = await setUpGame(page, "person", { rules: "hexma", mode: "fischer" });
  await look("the dialog for an open game");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await setUpGame(page, "friend", { rules: "adamas", mode: "none" });
  await look("the dialog for an invitation");
  await dialog.getByRole("button", { name: "Create a link" }).click();
  await dialog.getByLabel("Link to the game").waitFor();
  await look("the link of an invitation");
  await page.keyboard.press("Escape");
  await page.locator(".waiting li").first().waitFor();
  await look("an open invitation of one's own");
  await page.locator(".own-game a").first().click();
  await page.locator(".status.my-turn").waitFor();
  for (const name of ["Settings", "Keys"]) {
    if (await openMenu(page)) await look("the menu of a game");
    await page.getByRole("button", { name }).click();
    await page.locator(".sheet[open]").waitFor();
    await look(`the sheet ${name}`);
    await page.keyboard.press("Escape");
  }
}

/**
 * Shows what happens with another player.
 * @param {Page} page
 * @param {Look} look
 */
async function withAnother(page, look) {
  const bot = await Bot.join(server.url);
  const { invite } = await bot.request({ type: "invite", rules: "stymie", clock: { mode: "days", per_move_days: 2 } });
  await page.goto(server.url + `/join/${invite}`);
  await page.locator(".join button.primary").waitFor();
  await look("an invitation");
  const name = (await page.locator(".me").textContent()) ?? "";
  await bot.request({ type: "challenge", rules: "diam", seats: [name, bot.name] });
  await page.locator(".notice").waitFor();
  await look("a notice");
  await page.locator(".notice").getByRole("button", { name: "Accept" }).click();
  await page.waitForURL(/\/game\//);
  const game = new URL(page.url()).pathname.replace("/game/", "");
  playRandomly(bot, game);
  await awaitTurn(page);
  await makeMove(page, seededRandom(1));
  await awaitTurn(page);
  await openMenu(page);
  await page.getByRole("button", { name: "Draw", exact: true }).click();
  await page.locator(".offer").waitFor();
  await look("an offer");
  const { offers } = await bot.request({ type: "watch", game });
  await bot.request({ type: "answer", game, offer: offers[0].offer, accept: false });
  await page.locator(".toast:not(:empty)").waitFor();
  await look("a toast");
  await bot.request({ type: "resign", game });
  await page.locator('[data-over="true"]').waitFor();
  await page.locator(".result-card .outcome").waitFor();
  await look("a result");
  for (const path of [`/embed/game/${game}`, `/user/${bot.name}`]) {
    await page.goto(server.url + path);
    await page.locator("adamant-board .cell, main .rows li").first().waitFor();
    await look(path);
  }
  bot.close();
}

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  long(`axe finds nothing to mend, ${colorScheme}`, async () => {
    const { page, context } = await visit(browser, server.url, { colorScheme, bypassCSP: true });
    await everywhere(page, async (name) => {
      assert.deepEqual(await problems(page), [], name);
    });
    await context.close();
  });
}

for (const [width, height, least] of /** @type {const} */ ([[360, 740, 320], [768, 1024, 560], [1920, 1080, 800]])) {
  long(`every view fits on a screen of width ${width}, with a large board`, async () => {
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
