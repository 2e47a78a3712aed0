// What must not move by itself: the parts of a view while the content comes, and later when
// something new is shown.

import assert from "node:assert/strict";
import { Bot, startGame } from "./bots.js";
import { awaitTurn, browser, long, seededRandom, server, setUp, visit } from "./harness.js";
import { makeMove } from "./random_player.js";
import { beginGame, openAs, playAgainstBots } from "./seated.js";
import { SHIFT_MAX, observeShifts, shiftsOf } from "./shifts.js";

/** @import {Page} from "playwright-core" */

// What one test leaves open would be the other's.
setUp({ ownServers: true });

/** Sizes of screens. The short form has the narrowest, on which the parts are below each other. */
const SCREENS = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
];

/**
 * @param {Page} page
 * @param {string} when
 */
async function check(page, when) {
  const { sum, moved } = await shiftsOf(page);
  const { width } = page.viewportSize() ?? { width: 0 };
  assert.ok(sum < SHIFT_MAX, `${when} at ${width}: ${sum}\n${moved}`);
}

/**
 * Opens a view and waits until it is complete.
 * @param {Page} page
 * @param {string} path
 * @param {string[]} signs elements that show it
 */
async function open(page, path, signs) {
  await page.goto(`${server.url}${path}`);
  for (const sign of signs) await page.locator(sign).first().waitFor({ state: "attached" });
  await page.waitForLoadState("networkidle");
}

for (const [index, viewport] of SCREENS.entries()) {
  const add = index === 0 ? long : long;

  add(`nothing jumps for visitors, ${viewport.width} wide`, async () => {
    const pair = /** @type {[Bot, Bot]} */ ([await Bot.join(server.url), await Bot.join(server.url)]);
    const matches = [];
    for (const rules of ["adamas", "hexma", "diam"]) matches.push(await startGame(pair, { rules }));
    await pair[0].request({ type: "seek", rules: "hexma" });
    const { page, context, pageErrors } = await visit(browser, undefined, { viewport });
    await observeShifts(page);
    await open(page, "/", ["[data-seek]", ".featured .pieces", ".mini-board"]);
    await check(page, "the front page");
    // Games and seeks that come later.
    await pair[1].request({ type: "seek", rules: "stymie" });
    matches.push(await startGame(pair, { rules: "stymie" }));
    await page.locator("[data-seek]").nth(1).waitFor();
    await page.locator(`.mini-board[href="/game/${matches.at(-1)?.game}"]`).waitFor({ state: "attached" });
    await matches[0]?.step(seededRandom(1));
    await check(page, "the front page with another game");
    await open(page, "/live", [".mini-board .pieces"]);
    for (const match of matches) await match.step(seededRandom(2));
    await check(page, "the live games");
    for (const [path = "", sign = ""] of [["/tv", ".tv .pieces"], ["/bots", ".bots .card"], ["/standings", ".tabs"], ["/stats", ".tabs"], ["/games", ".games-page .rows, .games-page .empty"], ["/rules/hexma", ".steps .pieces"], ["/learn/diam", ".guided .cell"], ["/puzzles/diam/1", ".puzzle-page .pieces"]]) {
      await open(page, path, [sign]);
      await check(page, path);
    }
    for (const match of matches) await match.resign();
    for (const bot of pair) bot.close();
    assert.deepEqual(pageErrors, []);
    await context.close();
  });

  add(`nothing jumps for those who come back, ${viewport.width} wide`, async () => {
    const [user, other] = [await Bot.join(server.url), await Bot.join(server.url)];
    const games = [];
    for (const rules of ["adamas", "stymie", "diam"]) games.push(await beginGame([user, other], { rules, clock: { mode: "days", per_move_days: 1 } }));
    await other.request({ type: "challenge", rules: "hexma", seats: [other.name, user.name], clock: { mode: "days", per_move_days: 1 } });
    await user.request({ type: "seek", rules: "hexma", clock: { mode: "days", per_move_days: 2 }, lasting: true });
    const { page, context, pageErrors } = await openAs(browser, server, user, games[0] ?? "", { viewport, ready: observeShifts });
    await page.waitForLoadState("networkidle");
    await check(page, "a game of one's own");
    const signs = [".own-game .pieces", ".own-game:nth-child(3) .pieces", ".waiting .challenge", ".waiting li:not(.challenge)"];
    // The browser knows how many games there are, but not yet what waits.
    await open(page, "/", signs);
    await open(page, "/", signs);
    await check(page, "the front page");
    await page.goto(`${server.url}/game/${games[1]}#0`);
    await page.locator(".board-area .cell").first().waitFor();
    await page.waitForLoadState("networkidle");
    await check(page, "a game at an earlier position");
    other.close();
    assert.deepEqual(pageErrors, []);
    await context.close();
  });

  add(`nothing jumps while a game is played, watched and over, ${viewport.width} wide`, async () => {
    const { page, game, bots, close, pageErrors } = await playAgainstBots(browser, server, { rules: "hexma" }, { page: { viewport, ready: observeShifts } });
    const random = seededRandom(5);
    for (let moves = 0; moves < 3 && (await awaitTurn(page)) === "move"; moves += 1) await makeMove(page, random);
    await awaitTurn(page);
    await check(page, "a game that is played");
    const spectator = await visit(browser, undefined, { viewport });
    await observeShifts(spectator.page);
    await open(spectator.page, `/game/${game}`, [".board-area .pieces", "[data-ply]"]);
    await check(spectator.page, "a game that is watched");
    await bots[0]?.request({ type: "resign", game });
    for (const each of [page, spectator.page]) {
      await each.locator('[data-over="true"]').waitFor();
      await check(each, "a game that has ended");
    }
    await open(spectator.page, `/game/${game}`, [".result-card .outcome"]);
    await check(spectator.page, "a game that was over");
    assert.deepEqual([...pageErrors, ...spectator.pageErrors], []);
    await spectator.context.close();
    await close();
  });
}
