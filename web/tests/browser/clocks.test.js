// Clocks, flags that only the server lets fall, and claims against an absent opponent.

import assert from "node:assert/strict";
import { browser, long, server, setUp, typeMove, visit } from "./harness.js";
import { joinGame, seekGame } from "./lobby.js";

/** @import {Page} from "playwright-core" */

const [SECOND_MS, DAY_MS] = [1_000, 86_400_000];

/** When a game can be claimed: later than the server notices the absence. */
const CONFIG = '[games]\nclaim_after_untimed = "10s"\n';

setUp({ config: CONFIG });

/**
 * Changes a message of the server on its interceptor to the page.
 * @typedef {object} Interceptor
 * @property {(message: any) => any} change returns the message for the page
 * @property {(message: any) => boolean} holds whether a message and all later ones are kept back
 * @property {() => void} release lets it through
 */

/**
 * Intercepts the connection of a page that is opened afterwards.
 * @param {Page} page
 * @returns {Promise<Interceptor>}
 */
async function intercept(page) {
  let holding = false;
  let released = false;
  /** @type {(() => void)[]} */
  const queued = [];
  /** @type {Interceptor} */
  const interceptor = {
    change: (message) => message,
    holds: () => false,
    release: () => {
      released = true;
      for (const forward of queued.splice(0)) forward();
    },
  };
  await page.routeWebSocket(/\/v1\/ws$/, (socket) => {
    const upstream = socket.connectToServer();
    upstream.onMessage((data) => {
      const message = JSON.parse(String(data));
      const forward = () => socket.send(JSON.stringify(interceptor.change(message)));
      holding ||= interceptor.holds(message);
      if (holding && !released) queued.push(forward);
      else forward();
    });
  });
  return interceptor;
}

/**
 * Starts a game of Diam. Ann moves first.
 * @param {string} mode of the clock
 * @param {Record<string, string>} times by the names of their fields
 * @param {(message: any) => boolean} [holds] from which message on ann's page hears nothing more
 */
async function pair(mode, times, holds) {
  const ann = await visit(browser);
  const interceptor = await intercept(ann.page);
  if (holds !== undefined) interceptor.holds = holds;
  await ann.page.goto(server.url);
  await seekGame(ann.page, { rules: "diam", seat: "0", mode, times });
  const bob = await visit(browser, server.url);
  await joinGame(bob.page);
  await ann.page.locator(".status.my-turn").waitFor();
  await bob.page.locator(".status").waitFor();
  const leave = async () => {
    for (const { context, pageErrors } of [ann, bob]) {
      assert.deepEqual(pageErrors, []);
      await context.close();
    }
  };
  return { ann: ann.page, bob: bob.page, interceptor, leave };
}

/**
 * @param {Page} page
 * @param {number} seat
 */
function clock(page, seat) {
  return page.locator(`.seat${seat} .clock`);
}

/**
 * Waits until a clock shows a text.
 * @param {Page} page
 * @param {number} seat
 * @param {RegExp} face
 */
async function shows(page, seat, face) {
  await clock(page, seat).and(page.getByText(face)).waitFor();
}

/** @param {Page} page @param {number} seat */
async function clockState(page, seat) {
  const classes = ((await clock(page, seat).getAttribute("class")) ?? "").split(" ");
  return { runs: classes.includes("running"), urgent: classes.includes("urgent") };
}

/**
 * @param {Page} page
 * @param {string} move
 */
async function play(page, move) {
  await typeMove(page, move);
  await page.locator(".status:not(.my-turn)").waitFor();
}

long("byoyomi counts periods on both pages and restores a period after a move", async () => {
  const { ann, bob, leave } = await pair("byoyomi", { base_ms: "0", periods: "7", period_ms: "2" });
  assert.match((await ann.locator(".rules-panel .about").textContent()) ?? "", /7 × 2 s/);
  // The remaining periods are shown beside the time of the current one.
  for (const page of [ann, bob]) await shows(page, 0, /^[012]\.\d \+[1-5]$/);
  assert.deepEqual(await clockState(ann, 0), { runs: true, urgent: true });
  assert.deepEqual([await clockState(ann, 1), await clock(ann, 1).textContent()], [{ runs: false, urgent: false }, "2.0 +6"]);
  await play(ann, "a1");
  for (const page of [ann, bob]) {
    await page.locator(".seat1.turn").waitFor();
    assert.match((await clock(page, 0).textContent()) ?? "", /^2\.0( \+[1-5])?$/, "a period, whole");
    assert.deepEqual(await clockState(page, 0), { runs: false, urgent: false });
  }
  // Bob does not move: his periods pass, and then his flag falls.
  await shows(bob, 1, /^[012]\.\d$/);
  for (const page of [ann, bob]) {
    await page.locator('[data-over="true"]').waitFor();
    assert.match((await page.locator(".status").textContent()) ?? "", /won on time\.$/);
    assert.equal(await clock(page, 1).textContent(), "0.0");
    assert.deepEqual(await clockState(page, 1), { runs: false, urgent: false });
  }
  await leave();
});

long("the flag falls only when the server says so", async () => {
  const { ann, bob, interceptor, leave } = await pair("per_move", { move_ms: "3" }, ({ kind }) => kind === "ended");
  await ann.locator(".action-bar", { hasText: "Time is up: waiting for the server …" }).waitFor();
  await shows(ann, 0, /^0\.0$/);
  await bob.locator('[data-over="true"]').waitFor();
  assert.equal(await ann.locator(".game-page").getAttribute("data-over"), "false", "the page decides nothing");
  assert.equal(await ann.locator(".status").textContent(), "Your move.");
  interceptor.release();
  await ann.locator('[data-over="true"]').waitFor();
  assert.match((await ann.locator(".status").textContent()) ?? "", /won on time\.$/);
  await leave();
});

long("a clock in days follows the server and is urgent only at its end", async () => {
  const { ann, bob, interceptor, leave } = await pair("days", { per_move_days: "2" });
  assert.match((await ann.locator(".rules-panel .about").textContent()) ?? "", /2 days a move/);
  for (const page of [ann, bob]) {
    await shows(page, 0, /^2 d 00 h$/);
    assert.deepEqual(await clockState(page, 0), { runs: true, urgent: false });
  }
  // The same turn, started earlier: time since its start, and the text of the clock.
  for (const [gone, face, urgent] of /** @type {[number, RegExp, boolean][]} */ ([
    [DAY_MS / 2, /^1 d 12 h$/, false],
    [1.5 * DAY_MS + SECOND_MS, /^11:59:\d\d$/, false],
    [2 * DAY_MS - 15 * SECOND_MS, /^(0:1\d|\d\.\d)$/, true],
    [2 * DAY_MS - SECOND_MS, /^0\.\d$/, true],
  ])) {
    interceptor.change = (message) =>
      message.type === "snapshot" ? { ...message, clock: { ...message.clock, since: message.clock.since - gone } } : message;
    await ann.reload();
    await shows(ann, 0, face);
    assert.deepEqual(await clockState(ann, 0), { runs: true, urgent });
    assert.equal(await ann.locator(".game-page").getAttribute("data-over"), "false");
  }
  interceptor.change = (message) => message;
  await ann.reload();
  await ann.locator(".status.my-turn").waitFor();
  await play(ann, "a1");
  for (const page of [ann, bob]) {
    await page.locator(".seat1.turn").waitFor();
    assert.equal(await clock(page, 0).textContent(), "2 d 00 h");
    assert.deepEqual([(await clockState(page, 0)).runs, (await clockState(page, 1)).runs], [false, true]);
  }
  await leave();
});

long("a player claims the game from an absent opponent", async () => {
  const { ann, bob, leave } = await pair("none", {});
  const [name, other] = [await ann.locator(".me").textContent(), await bob.locator(".me").textContent()];
  const game = bob.url();
  // Both have moved, and the game waits for bob.
  for (const [page, move] of /** @type {[Page, string][]} */ ([[ann, "a1"], [bob, "x2"], [ann, "b5"]])) {
    await page.locator(".status.my-turn").waitFor();
    await play(page, move);
  }
  const away = ann.locator(".claim", { hasText: new RegExp(`^${other} is away\\. You can claim the game in \\d+ (?:second|minute)s?`) });
  await bob.goto("about:blank");
  await away.waitFor();
  assert.match((await ann.locator(".seat1 .notes").textContent()) ?? "", /away/);
  assert.equal(await ann.getByRole("button", { name: "Claim the game" }).count(), 0);
  await bob.goto(game);
  await ann.locator(".claim:empty").waitFor({ state: "attached" });
  // Collects the texts of the claim from here on.
  await ann.locator(".claim").evaluate((claim) => {
    /** @type {string[]} */
    const said = [];
    new MutationObserver(() => said.push(claim.firstChild?.textContent ?? "")).observe(claim, { childList: true, characterData: true, subtree: true });
    Object.assign(window, { said });
  });
  await bob.goto("about:blank");
  await ann.getByRole("button", { name: "Claim the game" }).waitFor();
  const said = await ann.evaluate(() => /** @type {string[]} */ (/** @type {any} */ (window).said));
  assert.equal(said.at(-1), `${other} is still away. `);
  const seconds = said.slice(0, -1).map((text) => Number(/in (\d+) s/.exec(text)?.[1]));
  assert.ok(seconds.length >= 2 && seconds.every((each, at) => each >= 1 && (at === 0 || each < Number(seconds[at - 1]))), seconds.join());
  await ann.getByRole("button", { name: "Claim the game" }).click();
  await ann.locator('[data-over="true"]').waitFor();
  assert.equal(await ann.locator(".status").textContent(), `${name} won because the opponent left.`);
  assert.equal(await ann.locator(".claim button").count(), 0);
  await bob.goto(game);
  await bob.locator('[data-over="true"]').waitFor();
  await leave();
});
