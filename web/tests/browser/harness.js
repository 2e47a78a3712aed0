// A server and a browser for tests that use the page as users do. Nothing here sleeps: tests wait
// for elements of the page.

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { chromium } from "playwright-core";

/** @import {Browser, BrowserContext, Page} from "playwright-core" */

/** Timeout of every step, in milliseconds, for a busy machine. */
export const TIMEOUT_MS = 60_000;

const CHROMIUM = process.env["ADAMANT_CHROMIUM"] ?? "/usr/bin/chromium";

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

/** @returns {Promise<Browser>} */
export function startBrowser() {
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}

/**
 * Starts a server and a browser for the tests of a file, and stops them after the last test.
 * @param {string} [config] settings that differ from the defaults
 * @param {{ limited?: boolean }} [options]
 */
export async function setUp(config, options) {
  const [server, browser] = await Promise.all([startServer(config, options), startBrowser()]);
  after(async () => {
    await browser.close();
    await server.stop();
  });
  return { server, browser };
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
  if (!(await field.isVisible())) await page.locator("button.keys").click();
  await field.fill(move);
  await field.press("Enter");
}

/**
 * Changes an option in the settings of the board.
 * @param {Page} page
 * @param {string} option
 * @param {boolean} on
 */
export async function setOption(page, option, on) {
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
