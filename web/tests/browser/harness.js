// A server and a browser for tests that use the page as users do. Nothing here sleeps: tests wait
// for elements of the page. Both are started by the first test of a file that runs, so that a file
// of which nothing runs costs nothing.

import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createInterface } from "node:readline";
import { after, test as register } from "node:test";
import { RUNS_LONG, RUNS_SHORT, SKIPPED, isChosen } from "./long.js";

/** @import {TestContext} from "node:test" */
/** @import {Browser, BrowserContext, Page} from "playwright-core" */

/** Timeout of every step, in milliseconds, for a busy machine. */
export const TIMEOUT_MS = 60_000;

/**
 * The browsers. The headless shell is the same engine without the browser around it, and opens a
 * page with a third of the work: the short form uses it. What needs the browser around the engine
 * uses the whole one, and so does everything in the long form, because it is what users have.
 * `ADAMANT_CHROMIUM` names another browser for everything.
 */
const [SHELL, WHOLE] = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/**
 * Drawing the shadows on a board, and drawing it in many frames while colours fade, is half of the
 * renderer's work in a game. No test looks at either, so that the short form does without.
 */
const PLAIN = "* { filter: none !important; transition: none !important; }";

/** The browsers that draw plainly. @type {WeakSet<Browser>} */
const plain = new WeakSet();

const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The server's configuration file. */
const CONFIG = "adamant.toml";

/**
 * A running server.
 * @typedef {object} Server
 * @property {string} url
 * @property {(...words: string[]) => Promise<any>} govern does what an operator wants, and returns the answer
 * @property {() => Promise<void>} stop
 * @property {() => Promise<void>} killAndStart kills it without warning and starts it on the same data and port
 */

/**
 * Starts a server on a free port with a temporary data directory.
 * @param {string} [config] what its configuration says besides the defaults
 * @param {{ limited?: boolean }} [how] whether its limits are in force
 * @returns {Promise<Server>}
 */
export async function startServer(config = "", { limited = false } = {}) {
  const data = await mkdtemp(join(tmpdir(), "adamant-page-"));
  await writeFile(join(data, CONFIG), config);
  let running = await run(data, "127.0.0.1:0", limited);
  const { address } = running;
  return {
    url: `http://${address}`,
    govern: async (...words) => {
      const socket = ["admin", "--socket", join(data, "admin.sock"), "--json"];
      const { stdout } = await promisify(execFile)(process.env["ADAMANT_SERVER"] ?? "", [...socket, ...words]);
      return JSON.parse(stdout);
    },
    killAndStart: async () => {
      await running.kill();
      running = await run(data, address, limited);
    },
    stop: async () => {
      await running.kill();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/**
 * Runs the server until it listens.
 * @param {string} data
 * @param {string} listen
 * @param {boolean} limited
 */
async function run(data, listen, limited) {
  const binary = process.env["ADAMANT_SERVER"];
  if (binary === undefined) throw new Error("ADAMANT_SERVER names the server's binary; use cargo xtask web");
  const options = ["--config", join(data, CONFIG), "--listen", listen, "--data", data];
  const child = spawn(binary, limited ? options : [...options, "--no-limits"], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const said = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    const address = /listening url=ws:\/\/([^/]+)\/v1\/ws/.exec(line)?.[1];
    if (address === undefined) continue;
    child.stderr.resume();
    const kill = async () => {
      child.kill("SIGKILL");
      await ended;
    };
    return { address, kill };
  }
  throw new Error(`the server did not start; it said:\n${said.join("\n")}`);
}

/**
 * @param {{ whole?: boolean }} [kind] whether it must be a whole browser, which draws everything
 * @returns {Promise<Browser>}
 */
export async function startBrowser({ whole = false } = {}) {
  // Files of which nothing runs do not load it.
  const { chromium } = await import("playwright-core");
  const isShort = !whole && !RUNS_LONG;
  const executablePath = process.env["ADAMANT_CHROMIUM"] || (isShort ? SHELL : WHOLE);
  const started = await chromium.launch({ executablePath, args: ARGUMENTS });
  if (isShort) plain.add(started);
  return started;
}

/** The server for the tests of a file, from its first test on. @type {Server} */
export let server;

/** The browser for the tests of a file, from its first test on. @type {Browser} */
export let browser;

/**
 * What the tests of a file need.
 * @typedef {object} Needs
 * @property {string} [config] settings of the server that differ from the defaults
 * @property {boolean} [limited] whether the server's limits are in force
 * @property {boolean} [ownServers] whether each test has its own server
 * @property {boolean} [wholeBrowser] whether the headless shell cannot do what is tested
 * @property {() => Promise<(() => void) | void>} [ready] what comes before the first test; it can
 *   return what comes after the last one
 */

/** @type {Needs} */
let needs = {};

/** @type {Promise<void> | undefined} */
let begun;

/** @type {Promise<Browser> | undefined} */
let launched;

/** @type {(() => void) | void} */
let leave;

/**
 * Says what the tests of a file need. They have `server` and `browser`, which are stopped after the
 * last test.
 * @param {Needs} [wanted]
 */
export function setUp(wanted = {}) {
  needs = wanted;
  after(async () => {
    leave?.();
    // The server may have failed to start while the browser was starting.
    await (await launched)?.close();
    if (!needs.ownServers) await server?.stop();
  });
}

async function begin() {
  const { config, limited, ownServers, wholeBrowser, ready } = needs;
  launched = startBrowser({ whole: wholeBrowser });
  if (!ownServers) server = await startServer(config, { limited });
  browser = await launched;
  leave = await ready?.();
}

/** @typedef {(t: TestContext) => Promise<void>} Run */

/**
 * @param {string} name
 * @param {Run} run
 */
function add(name, run) {
  register(name, async (t) => {
    await (begun ??= begin());
    const kept = new Set(browser.contexts());
    if (needs.ownServers) server = await startServer(needs.config, { limited: needs.limited });
    try {
      await run(t);
    } catch (error) {
      if (error instanceof Error) error.stack += await whatPagesShow(browser.contexts().filter((context) => !kept.has(context)));
      throw error;
    } finally {
      // What a test that fails leaves open would disturb the next one.
      for (const context of browser.contexts()) if (!kept.has(context)) await context.close();
      if (needs.ownServers) await server.stop();
    }
  });
}

/** The most that is said of what a page shows, in characters. */
const SHOWN_MAX = 800;

/**
 * Says what the pages of a test that has failed show.
 * @param {BrowserContext[]} contexts
 */
async function whatPagesShow(contexts) {
  const pages = contexts.flatMap((context) => context.pages());
  const shown = pages.map(async (page) => {
    const text = await page.locator("body").innerText({ timeout: 1_000 }).catch(String);
    return `\n--- ${page.url()} shows ---\n${text.replace(/\n+/g, "\n").slice(0, SHOWN_MAX)}`;
  });
  return (await Promise.all(shown)).join("");
}

/**
 * Adds a test of the short form.
 * @param {string} name
 * @param {Run} run
 */
export function test(name, run) {
  if (RUNS_SHORT) add(name, run);
}

/**
 * Adds a long test.
 * @param {string} name
 * @param {Run} run
 */
export function long(name, run) {
  if (isChosen(name)) add(name, run);
  else if (RUNS_SHORT) register(name, { skip: SKIPPED }, () => {});
}

/**
 * Adds a test with an amount, of which the short form takes less.
 * @template T
 * @param {string} name
 * @param {{ short: T, long: T }} amounts
 * @param {(amount: T, t: TestContext) => Promise<void>} run
 */
export function scaled(name, amounts, run) {
  if (isChosen(name)) add(name, (t) => run(amounts.long, t));
  else if (RUNS_SHORT) add(name, (t) => run(amounts.short, t));
}

/**
 * Opens the page as a new user.
 * @param {Browser} browser
 * @param {string} [url] what to open first, if anything yet
 * @param {import("playwright-core").BrowserContextOptions} [options]
 * @returns {Promise<{ page: Page, context: BrowserContext, pageErrors: string[] }>}
 */
export async function visit(browser, url, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
    ...options,
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  if (plain.has(browser)) {
    await context.addInitScript((rules) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(rules);
      document.adoptedStyleSheets.push(sheet);
    }, PLAIN);
  }
  const page = await context.newPage();
  /** @type {string[]} */
  const pageErrors = [];
  page.on("pageerror", (error) => pageErrors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") pageErrors.push(message.text());
  });
  if (url !== undefined) await page.goto(url);
  return { page, context, pageErrors };
}

/**
 * Waits for the user's turn or the end of the game.
 * @param {Page} page
 * @returns {Promise<"move" | "over">}
 */
export async function awaitTurn(page) {
  const turn = page.locator('.status.my-turn, [data-over="true"]').first();
  await turn.waitFor();
  return (await page.locator('[data-over="true"]').count()) > 0 ? "over" : "move";
}

/**
 * Types a move into the field for notation, which is behind a button.
 * @param {Page} page
 * @param {string} move
 * @param {string} [label] of the field, in the page's language
 */
export async function typeMove(page, move, label = "Move in notation") {
  const field = page.getByLabel(label);
  if (!(await field.isVisible())) {
    await openMenu(page);
    await page.getByRole("button", { name: /\(key m\)|\(Taste m\)/ }).click();
  }
  await field.fill(move);
  await field.press("Enter");
}

/**
 * Opens the menu with the actions of a game where there is one: on a phone. Returns whether there is.
 * @param {Page} page
 */
export async function openMenu(page) {
  const button = page.getByRole("button", { name: "More actions" });
  if (!(await button.isVisible())) return false;
  await button.click();
  return true;
}

/**
 * Changes an option in the settings of the board.
 * @param {Page} page
 * @param {string} option
 * @param {boolean} on
 */
export async function setOption(page, option, on) {
  await openMenu(page);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("checkbox", { name: option }).setChecked(on);
  await page.getByRole("button", { name: "Close" }).click();
}

/**
 * Returns a reproducible random number generator.
 * @param {number} seed
 * @returns {(below: number) => number}
 */
export function seededRandom(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
