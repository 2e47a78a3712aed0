// Games whose seats are taken before a page is opened, so that a test of the game's view needs no
// other view.

import { Bot, Match } from "./bots.js";
import { seededRandom, visit } from "./harness.js";

/** @import {Browser, BrowserContextOptions, Page} from "playwright-core" */
/** @import {Server} from "./harness.js" */
/** @import {YourTurn} from "../../src/wire.js" */
/** @import {GameConfig} from "../../src/set_up/challenges.js" */

/**
 * Lets users begin a game.
 * @param {Bot[]} users in turn order
 * @param {GameConfig} config
 * @returns {Promise<string>} the game
 */
export async function beginGame(users, config) {
  const [first, ...others] = users;
  if (first === undefined) throw new Error("a game has players");
  const { challenge } = await first.request({ type: "challenge", ...config, seats: users.map(({ name }) => name) });
  let game = "";
  for (const other of others) game = (await other.request({ type: "accept", challenge })).game ?? game;
  return game;
}

/**
 * Lets a user answer each turn of a game by a random legal move.
 * @param {Bot} bot
 * @param {string} game
 * @param {number} [seed]
 */
export function playRandomly(bot, game, seed = 1) {
  const random = seededRandom(seed);
  const match = bot.matches.get(game) ?? new Match(game);
  const answer = (/** @type {Bot} */ by, /** @type {YourTurn} */ { turn, legal = [] }) => {
    by.request({ type: "move", game, turn, move: legal[random(legal.length)] }).catch(() => {});
  };
  bot.matches.set(game, match);
  match.onTurn = answer;
  if (match.missedTurn !== undefined) answer(bot, match.missedTurn.turn);
}

/**
 * Lets a user answer no further turn of a game.
 * @param {Bot} bot
 * @param {string} game
 */
export function stopPlaying(bot, game) {
  const match = bot.matches.get(game);
  if (match !== undefined) match.onTurn = () => {};
}

/**
 * Opens a page as a user who has joined by a bot's connection, and ends that connection.
 * @param {Browser} browser
 * @param {Server} server
 * @param {Bot} user
 * @param {string} game
 * @param {BrowserContextOptions & { ready?: (page: Page) => Promise<unknown> }} [options] `ready` is called before the
 *   page is opened
 */
export async function openAs(browser, server, user, game, { ready, ...options } = {}) {
  user.close();
  const visitor = await visit(browser, undefined, options);
  await visitor.context.addInitScript((token) => localStorage.setItem("adamant.token", token), user.token);
  await ready?.(visitor.page);
  await visitor.page.goto(`${server.url}/game/${game}`);
  await visitor.page.locator(".board-area .cell").first().waitFor();
  return visitor;
}

/**
 * Opens a game of two users in two pages. The first one moves first.
 * @param {Browser} browser
 * @param {Server} server
 * @param {GameConfig} config
 * @param {BrowserContextOptions} [options] of the first page
 */
export async function openPair(browser, server, config, options) {
  const users = [await Bot.join(server.url), await Bot.join(server.url)];
  const [one, other] = /** @type {[Bot, Bot]} */ (users);
  const game = await beginGame(users, config);
  const ann = await openAs(browser, server, one, game, options);
  const bob = await openAs(browser, server, other, game);
  await ann.page.locator(".status.my-turn").waitFor();
  await bob.page.locator(".status").waitFor();
  return { ann, bob };
}

/**
 * Begins a game of a user in a page, who moves first, against users that play randomly.
 * @param {Browser} browser
 * @param {Server} server
 * @param {GameConfig} config
 * @param {{ names?: string[], seats?: number, page?: Parameters<typeof openAs>[4] }} [how]
 */
export async function playAgainstBots(browser, server, config, { names = [], seats = 2, page } = {}) {
  const users = [];
  for (let seat = 0; seat < seats; seat += 1) users.push(await Bot.join(server.url, names[seat]));
  const game = await beginGame(users, config);
  const [own, ...bots] = users;
  bots.forEach((bot, index) => playRandomly(bot, game, index + 1));
  const visitor = await openAs(browser, server, /** @type {Bot} */ (own), game, page);
  const close = async () => {
    await visitor.context.close();
    for (const bot of bots) bot.close();
  };
  return { ...visitor, game, bots, close };
}
