// Takes pictures of every view at the sizes of a phone, a tablet and a desktop, in light and dark:
// `cargo xtask pictures DIR`. With `--readme` it takes the pictures of README.md instead.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { startBrowser, startServer } from "../browser/harness.js";
import { Bot } from "../browser/bots.js";
import { play } from "./games.js";

/** @import {BrowserContextOptions, Page} from "playwright-core" */

/** @type {Record<string, BrowserContextOptions>} */
const DEVICES = {
  phone: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
  tablet: { viewport: { width: 768, height: 1024 }, hasTouch: true },
  desktop: { viewport: { width: 1440, height: 900 } },
};

const SCHEMES = /** @type {const} */ (["light", "dark"]);

/** Moves in the games of the pictures: most boards are half full then. */
const PLIES = { adamas: 12, hexma: 14, stymie: 10, diam: 8 };

const README_SIZE = { width: 1366, height: 768 };

const [, , directory = ".", only = ""] = process.argv;
const readme = only === "--readme";
await mkdir(directory, { recursive: true });
const [server, browser] = await Promise.all([startServer(), startBrowser({ whole: true })]);
try {
  const [ann, bob] = [await Bot.join(server.url, "ann"), await Bot.join(server.url, "bob")];
  const adviser = await Bot.join(server.url, "adviser");
  /** @type {Record<string, string>} */
  const views = {};
  for (const [rules, plies] of Object.entries(PLIES)) {
    const { game } = await play(adviser, [ann, bob], rules, plies);
    views[`game-${rules}`] = `/game/${game}`;
  }
  if (!readme) Object.assign(views, await otherViews(adviser, ann, bob));
  for (const [device, options] of Object.entries(readme ? { desktop: { viewport: README_SIZE } } : DEVICES)) {
    for (const colorScheme of SCHEMES) {
      if (readme && colorScheme === "dark") continue;
      const context = await browser.newContext({ reducedMotion: "reduce", colorScheme, ...options });
      await context.addInitScript((token) => localStorage.setItem("adamant.token", token), ann.token);
      const page = await context.newPage();
      for (const [name, path] of Object.entries(views)) {
        await show(page, path);
        const file = readme ? `${name.replace("game-", "")}.png` : `${device}-${colorScheme}-${name}.png`;
        await page.screenshot({ path: join(directory, file) });
      }
      await context.close();
      if (!readme) await visitor(device, { colorScheme, ...options });
    }
  }
} finally {
  await browser.close();
  await server.stop();
}

/**
 * Takes the picture of the front page as a visitor without a user sees it.
 * @param {string} device
 * @param {BrowserContextOptions} options
 */
async function visitor(device, options) {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  await show(page, "/");
  await page.screenshot({ path: join(directory, `${device}-${options.colorScheme}-visitor.png`) });
  await context.close();
}

/**
 * Opens a view and waits until it is drawn.
 * @param {Page} page
 * @param {string} path
 */
async function show(page, path) {
  await page.goto(server.url + path);
  await page.locator("main > *").first().waitFor();
  await page.waitForLoadState("networkidle");
}

/**
 * The addresses of all views but the games in play.
 * @param {Bot} adviser
 * @param {Bot} ann
 * @param {Bot} bob
 * @returns {Promise<Record<string, string>>}
 */
async function otherViews(adviser, ann, bob) {
  const over = await play(adviser, [ann, bob], "diam", 10);
  await bob.request({ type: "resign", game: over.game });
  const three = await play(adviser, [ann, bob, await Bot.join(server.url, "cy")], "adamas", 9);
  return {
    home: "/",
    over: `/game/${over.game}`,
    three: `/game/${three.game}`,
    replay: `/game/${over.game}#5`,
    live: "/live",
    tv: "/tv/adamas",
    games: "/games",
    standings: "/standings",
    user: "/user/ann",
    account: "/account",
    rules: "/rules/diam",
    learn: "/learn/adamas",
    puzzle: "/puzzles/stymie/1",
    analysis: `/analysis/game/${over.game}`,
    "analysis-index": "/analysis",
    hotseat: "/analysis/adamas?hotseat",
    "not-found": "/foo",
  };
}
