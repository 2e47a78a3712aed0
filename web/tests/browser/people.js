// Accounts and their finished games, for tests of the views about people.

import { Bot } from "./bots.js";
import { visit } from "./harness.js";
import { beginGame } from "./seated.js";

/** @import {Browser, BrowserContextOptions} from "playwright-core" */
/** @import {Server} from "./harness.js" */
/** @import {GameConfig} from "../../src/set_up/challenges.js" */

/** A password for everybody. */
const PASSWORD = "long enough";

/**
 * Signs up a user.
 * @param {Server} server
 * @param {string} name
 */
export async function signUp(server, name) {
  const user = await Bot.join(server.url, name);
  const { token } = await user.request({ type: "signup", user: name, password: PASSWORD });
  user.token = token;
  return user;
}

/**
 * Begins a game, which the player of a seat resigns after the first moves.
 * @param {Bot[]} users in turn order
 * @param {GameConfig & { rules: string }} config
 * @param {{ moves: string[], loser: number }} how
 */
export async function playToTheEnd(users, config, { moves, loser }) {
  const game = await beginGame(users, config);
  for (const [turn, move] of moves.entries()) await users[turn % users.length]?.request({ type: "move", game, turn, move });
  await users[loser]?.request({ type: "resign", game });
  return game;
}

/**
 * Opens the page as a user who stays connected elsewhere.
 * @param {Browser} browser
 * @param {Server} server
 * @param {Bot} user
 * @param {string} path
 * @param {BrowserContextOptions} [options]
 */
export async function visitAs(browser, server, user, path, options) {
  const visitor = await visit(browser, undefined, options);
  await visitor.context.addInitScript((token) => localStorage.setItem("adamant.token", token), user.token);
  await visitor.page.goto(`${server.url}${path}`);
  return visitor;
}
