// Measures what the page costs: `cargo xtask web --measure`. It fails if that exceeds the limits.

import { startDistantProxy } from "../browser/distant_proxy.js";
import { startBrowser, startServer } from "../browser/harness.js";
import { playAgainstBots } from "../browser/seated.js";
import { clickSource, delay } from "./clicks.js";
import { firstPaint, visitFirst } from "./first_visit.js";
import { LARGE_SCREEN, frames, percentile } from "./frames.js";
import { FIRST_PAINT_MAX_MS, FRAMES_WITHIN, GROWN_MAX, MARK_MAX_MS, REQUESTS_MAX, ROUND_TRIP_MS, SCRIPT_MAX_MS, TRANSFER_MAX } from "./thresholds.js";
import { growth } from "./memory_growth.js";

/** Moves at which the page is measured. */
const CHECKPOINTS = [2_000, 4_000, 6_000, 8_000, 10_000];

/** Simultaneous games, and moves of each. */
const [GAMES, ROUNDS] = [200, 40];

/** A common screen, and one that shows all games. */
const SCREENS = [
  { width: 1280, height: 800 },
  LARGE_SCREEN,
];

/** Games whose boards are clicked. In the others a first click places a piece. */
const CLICKED = ["adamas", "hexma", "stymie"];

const browser = await startBrowser({ whole: true });
/** @type {string[]} */
const tooMuch = [];

/**
 * Measures with a new server, on which no other games are played.
 * @param {(server: import("../browser/harness.js").Server) => Promise<void>} measure
 */
async function withServer(measure) {
  const server = await startServer();
  try {
    await measure(server);
  } finally {
    await server.stop();
  }
}

/** @param {import("../browser/harness.js").Server} server */
async function firstVisit({ url }) {
  const near = await visitFirst(browser, url);
  await near.context.close();
  const proxy = await startDistantProxy(url, ROUND_TRIP_MS);
  const far = await visitFirst(browser, proxy.url);
  const paint = await firstPaint(far.page);
  await far.context.close();
  proxy.stop();
  console.log(`A first visit: ${near.entries.length} requests, ${near.bytes} bytes.`);
  console.log(`The first paint at ${ROUND_TRIP_MS} ms to the server and back: after ${Math.round(paint)} ms.`);
  if (near.entries.length > REQUESTS_MAX || near.bytes >= TRANSFER_MAX) tooMuch.push("a first visit loads too much");
  if (paint > FIRST_PAINT_MAX_MS) tooMuch.push("the first paint comes late");
}

/** @param {import("../browser/harness.js").Server} server */
async function clicks(server) {
  const found = [];
  for (const rules of CLICKED) {
    const { page, close } = await playAgainstBots(browser, server, { rules }, { page: { ready: delay } });
    await page.locator(".status.my-turn").waitFor();
    await page.locator('.move-form[aria-busy="false"]').waitFor();
    const { marked, ms } = await clickSource(page);
    found.push({ rules, "script until the mark": `${ms.toFixed(1)} ms` });
    if (!marked || ms >= MARK_MAX_MS) tooMuch.push(`a click on a board of ${rules} is answered late`);
    await close();
  }
  console.log(`Clicks on a board at ${ROUND_TRIP_MS} ms to the server and back:`);
  console.table(found);
}

/** @param {import("../browser/harness.js").Server} server */
async function memory({ url }) {
  const { holdings } = await growth(browser, url, CHECKPOINTS);
  console.log("Memory of the page by watched moves:");
  console.table(holdings);
  const [first, last] = [holdings[0], holdings.at(-1)];
  if (!first || !last || last.heap > first.heap * GROWN_MAX || last.nodes > first.nodes + 10) tooMuch.push("the page grows");
}

/** @param {import("../browser/harness.js").Server} server */
async function liveGames({ url }) {
  const found = [];
  for (const viewport of SCREENS) {
    const { moves, drawn, script, cpu } = await frames(browser, url, { games: GAMES, rounds: ROUNDS, viewport });
    const screen = `${viewport.width} x ${viewport.height}`;
    const of = (/** @type {number[]} */ sorted) => [0.5, FRAMES_WITHIN, 1].map((share) => percentile(sorted, share).toFixed(1)).join(" / ");
    found.push({ screen, moves, drawn, frames: cpu.length, "script: CPU": of(cpu), "by the clock": of(script) });
    if (percentile(cpu, FRAMES_WITHIN) > SCRIPT_MAX_MS) tooMuch.push(`a frame of ${screen} has too much script`);
  }
  console.log("Script in a frame, in milliseconds, as median / 95 % / longest:");
  console.table(found);
}

try {
  for (const measure of [firstVisit, clicks, memory, liveGames]) await withServer(measure);
} finally {
  await browser.close();
}
if (tooMuch.length > 0) throw new Error(tooMuch.join("; "));
