// Memory of a page that stays open while games are played on it, one after another and side by
// side. It is measured between games.

import { forgetGame, startGame, startPair } from "../browser/bots.js";
import { seededRandom, visit } from "../browser/harness.js";

/** @import {Browser, CDPSession, Page} from "playwright-core" */
/** @import {GameConfig} from "../../src/set_up/challenges.js" */
/** @import {Match} from "../browser/bots.js" */

/**
 * What a page holds after garbage collection.
 * @typedef {object} Holding
 * @property {number} moves that were watched until then
 * @property {number} heap bytes of the script's heap
 * @property {number} nodes of documents, attached or not
 * @property {number} listeners
 * @property {number} documents
 */

/** Simultaneous games. */
const TABLES = 6;

/** Moves after which a bot resigns. */
const PLIES_MAX = 60;

/** The games to play, in turns. @type {GameConfig[]} */
const GAME_CONFIGS = [
  { rules: "diam" },
  { rules: "stymie", options: { size: 5 } },
  { rules: "hexma" },
  { rules: "adamas", options: { pieces: 4 } },
];

/**
 * Lets a page watch games, and measures it at each checkpoint.
 * @param {Browser} browser
 * @param {string} url
 * @param {number[]} checkpoints
 * @returns {Promise<{ holdings: Holding[], pageErrors: string[] }>}
 */
export async function growth(browser, url, checkpoints) {
  const pairs = await Promise.all(Array.from({ length: TABLES }, () => startPair(url)));
  const { page, context, pageErrors } = await visit(browser, `${url}/live`);
  const devtools = await context.newCDPSession(page);
  await devtools.send("Performance.enable");
  const random = seededRandom(11);
  /** @type {Holding[]} */
  const holdings = [];
  let moves = 0;
  for (let round = 0; holdings.length < checkpoints.length; round += 1) {
    const config = GAME_CONFIGS[round % GAME_CONFIGS.length] ?? { rules: "diam" };
    const matches = await Promise.all(pairs.map((each) => startGame(each, config)));
    await watchRound(page, matches, round, random);
    moves += matches.reduce((sum, { plies }) => sum + plies, 0);
    pairs.forEach((each, table) => forgetGame(each, /** @type {Match} */ (matches[table])));
    await page.locator(".live .mini-board").first().waitFor({ state: "detached" });
    if (moves >= (checkpoints[holdings.length] ?? 0)) holdings.push({ moves, ...(await weigh(devtools)) });
  }
  await context.close();
  for (const bot of pairs.flat()) bot.close();
  return { holdings, pageErrors };
}

/**
 * Plays one game of each pair. The first half is watched side by side, the second on the page of
 * one game. Then the page shows the live games again, of which there are none.
 * @param {Page} page
 * @param {Match[]} matches
 * @param {number} round
 * @param {(below: number) => number} random
 */
async function watchRound(page, matches, round, random) {
  const chosen = /** @type {Match} */ (matches[round % matches.length]);
  const board = (/** @type {Match} */ { game }) => page.locator(`.live a[href="/game/${game}"] .pieces`);
  await Promise.all(matches.map((match) => board(match).waitFor({ state: "attached" })));
  await Promise.all(matches.map((match) => play(match, PLIES_MAX / 2, random)));
  if (!chosen.over) {
    await page.locator(`.live a[href="/game/${chosen.game}"]`).click();
    await page.locator(`[data-ply="${chosen.plies}"]`).waitFor({ state: "attached" });
  }
  await Promise.all(matches.map((match) => play(match, PLIES_MAX, random)));
  await Promise.all(matches.map((match) => match.resign()));
  if ((await page.locator(".board-area").count()) === 0) return;
  await page.locator('[data-over="true"]').waitFor();
  await page.locator(`[data-ply="${chosen.plies}"]`).waitFor({ state: "attached" });
  await page.goBack();
  await page.locator(".live").waitFor();
}

/**
 * @param {Match} match
 * @param {number} plies
 * @param {(below: number) => number} random
 */
async function play(match, plies, random) {
  while (!match.over && match.plies < plies) await match.step(random);
}

/**
 * @param {CDPSession} devtools
 * @returns {Promise<Omit<Holding, "moves">>}
 */
async function weigh(devtools) {
  // One collection may make more garbage reachable for the next.
  for (let round = 0; round < 3; round += 1) await devtools.send("HeapProfiler.collectGarbage");
  const { metrics } = await devtools.send("Performance.getMetrics");
  const value = (/** @type {string} */ name) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  return {
    heap: value("JSHeapUsedSize"),
    nodes: value("Nodes"),
    listeners: value("JSEventListeners"),
    documents: value("Documents"),
  };
}
