// A browser that lacks something, or loses it: the page is never blank, and never loads for longer
// than a person waits without a way on.

import assert from "node:assert/strict";
import { browser, long, server, setUp, visit } from "./harness.js";

/** @import {Page} from "playwright-core" */

setUp();

/** How long a view may load without a way on, in milliseconds. */
const LOADING_MAX_MS = 12_000;

/** What the page uses of a browser besides what every browser of the last ten years has. */
const APIS = [
  "localStorage", "sessionStorage", "indexedDB", "caches", "Notification", "PushManager", "AudioContext",
  "ResizeObserver", "IntersectionObserver", "BroadcastChannel", "structuredClone", "requestIdleCallback", "visualViewport",
  "matchMedia", "trustedTypes",
  "navigator.serviceWorker", "navigator.locks", "navigator.clipboard", "navigator.share", "navigator.wakeLock",
  "navigator.userActivation", "performance.getEntriesByType",
  "HTMLElement.prototype.showPopover", "HTMLElement.prototype.hidePopover",
  "Element.prototype.animate", "Element.prototype.setPointerCapture", "Element.prototype.checkVisibility",
];

/** The addresses of all views but games, and what shows that they are there. */
const VIEWS = ["/live", "/tv", "/learn", "/rules/adamas", "/puzzles/stymie/1", "/analysis", "/analysis/diam", "/standings", "/stats", "/bots", "/games", "/account"];

/**
 * Takes something away before the page begins.
 * @param {Page} page
 * @param {string} path
 */
function takeAway(page, path) {
  return page.addInitScript((path) => {
    const parts = path.split(".");
    const name = parts.pop() ?? "";
    /** @type {any} */
    let owner = globalThis;
    for (const part of parts) owner = owner[part];
    for (let each = owner; each != null; each = Object.getPrototypeOf(each)) delete each[name];
  }, path);
}

/**
 * Waits until a view is there, or says what is wrong with a button that leads on.
 * @param {Page} page
 * @param {string} what
 */
async function arrived(page, what) {
  const there = () => {
    const main = document.querySelector("main");
    const waits = [...(main?.querySelectorAll("[data-loading]") ?? [])].some((line) => line.getClientRects().length > 0);
    const wayOn = [...document.querySelectorAll(".trouble button, .banner button, main .empty button")].some((button) => button.getClientRects().length > 0);
    return wayOn || (main !== null && !waits && (main.textContent ?? "").trim() !== "" && main.querySelector("h1") !== null);
  };
  try {
    await page.waitForFunction(there, undefined, { timeout: LOADING_MAX_MS });
  } catch {
    assert.fail(`${what}: ${await page.locator("body").innerText()}`);
  }
}

/**
 * Follows a link within the page.
 * @param {Page} page
 * @param {string} address
 */
async function goTo(page, address) {
  await page.evaluate((address) => {
    const link = document.createElement("a");
    link.href = address;
    document.body.append(link);
    link.click();
    link.remove();
  }, address);
}

/**
 * Begins a game with the computer.
 * @param {Page} page on the front page
 */
async function beginGame(page) {
  await page.locator("[data-rules=stymie]").click();
  await page.locator(".status.my-turn").waitFor();
}

/**
 * Plays a move by a click on the board, whatever the computer has played.
 * @param {Page} page
 */
async function play(page) {
  await page.locator(".status.my-turn").waitFor();
  const before = await page.locator("[data-ply]").count();
  const free = await page.evaluate(() => {
    const taken = new Set([...document.querySelectorAll(".pieces [data-cell]")].map((each) => each.getAttribute("data-cell")));
    return [...document.querySelectorAll(".board-area .cell.octagon")].map((each) => each.getAttribute("data-cell") ?? "").find((cell) => !taken.has(cell));
  });
  await page.locator(`.board-area .cells [data-cell="${free}"]`).click();
  await page.locator(".action-bar .play").click();
  await page.locator(`[data-ply="${before + 1}"]`).waitFor({ state: "attached" });
}

for (const api of APIS) {
  long(`the page works without ${api}`, async () => {
    const { page, context } = await visit(browser);
    await takeAway(page, api);
    await page.goto(server.url);
    await arrived(page, "/");
    await beginGame(page);
    await play(page);
    await page.getByRole("tab", { name: "Chat" }).click();
    await page.getByPlaceholder("Say something").fill("hello");
    await page.getByPlaceholder("Say something").press("Enter");
    await page.locator(".lines .text", { hasText: "hello" }).waitFor();
    for (const view of VIEWS) {
      await goTo(page, view);
      await arrived(page, view);
    }
    assert.equal(await page.locator(".trouble", { hasText: "went wrong" }).count(), 0, await page.locator(".banners").innerText());
    await context.close();
  });
}

/** What a browser's storage can do to a page that uses it. @type {Record<string, () => void>} */
const STORAGES = {
  "is blocked": () => {
    for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"]) {
      Object.defineProperty(globalThis, name, { get: () => { throw new DOMException("denied", "SecurityError"); } });
    }
  },
  "is full": () => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  },
};

for (const [how, script] of Object.entries(STORAGES)) {
  long(`the page works while the storage ${how}`, async () => {
    const { page, context } = await visit(browser);
    await page.addInitScript(script);
    await page.goto(server.url);
    await beginGame(page);
    await play(page);
    for (const view of VIEWS) {
      await goTo(page, view);
      await arrived(page, view);
    }
    assert.equal(await page.locator(".trouble", { hasText: "went wrong" }).count(), 0);
    await context.close();
  });
}

long("a storage that is cleared in the middle of a game ends nothing", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await beginGame(page);
  await play(page);
  await page.evaluate(async () => {
    localStorage.clear();
    sessionStorage.clear();
    for (const name of await caches.keys()) await caches.delete(name);
  });
  await play(page);
  await page.reload();
  await arrived(page, "the game after it");
  await page.locator(".board-area adamant-board").waitFor();
  await page.locator(".brand").click();
  await arrived(page, "/");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a module that is refused once is loaded again, or the page says how", async () => {
  const all = await visit(browser, server.url, { serviceWorkers: "block" });
  await arrived(all.page, "/");
  /** @type {Map<string, string>} */
  const modules = new Map();
  for (const view of ["/", ...VIEWS]) {
    await goTo(all.page, view);
    await arrived(all.page, view);
    const loaded = await all.page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.endsWith(".js")));
    for (const name of loaded) if (!modules.has(name)) modules.set(name, view);
  }
  await all.context.close();
  assert.ok(modules.size > 8, [...modules.keys()].join("\n"));
  for (const [name, view] of modules) {
    const { page, context } = await visit(browser, undefined, { serviceWorkers: "block" });
    let refused = 0;
    await page.route(name, (route) => (refused++ === 0 ? route.abort() : route.continue()));
    await page.goto(server.url + view);
    const late = page.locator(".late a").first();
    const isThere = page.locator("main h1").first();
    await late.or(isThere).first().waitFor();
    // What starts the page cannot load itself again: the document has a link.
    if (!(await isThere.isVisible())) await late.click();
    await arrived(page, `${view} without ${name}`);
    await isThere.waitFor();
    assert.ok(refused > 0, name);
    await context.close();
  }
});
