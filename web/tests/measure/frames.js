// Script time in each frame while many games move on the page, from the browser's trace.

import { forgetGame, startGame, startPair } from "../browser/bots.js";
import { seededRandom, visit } from "../browser/harness.js";

/** @import {Browser, Page} from "playwright-core" */
/** @import {GameConfig} from "../../src/set_up/challenges.js" */
/** @import {Match, BotPair} from "../browser/bots.js" */

/** How often each game moves, in milliseconds: as often as the server reports it. */
const MOVE_EVERY_MS = 500;

/** The games to play, in turns, with their default options. @type {GameConfig[]} */
const GAME_CONFIGS = [{ rules: "adamas" }, { rules: "hexma" }, { rules: "stymie" }, { rules: "diam" }];

/** A screen that shows two hundred boards: those below the window are not drawn. */
export const LARGE_SCREEN = { width: 1920, height: 4800 };

/** Bots that play each other, in pairs. */
const PAIRS = 4;

/** Trace events in which the page's script runs. */
const SCRIPT = new Set(["FunctionCall", "EvaluateScript", "RunMicrotasks", "FireAnimationFrame", "TimerFire"]);

/** Garbage collection, which the browser schedules itself. */
const COLLECTION = new Set(["MinorGC", "MajorGC"]);

/** The trace event at the end of a frame. */
const FRAME = "Commit";

/** Duration of a frame at 60 frames a second, in microseconds. */
const FRAME_US = 16_667;

/**
 * @typedef {object} Trace an event of the browser's trace; times in microseconds
 * @property {string} name
 * @property {string} ph
 * @property {number} pid
 * @property {number} tid
 * @property {number} ts
 * @property {number} [dur]
 * @property {number} [tdur] of which the thread was running
 */

/**
 * Script time in each frame, in milliseconds, the longest last.
 * @typedef {object} Frames
 * @property {number} moves that were made during the measurement
 * @property {number} drawn boards at the beginning: those that can be seen, or nearly
 * @property {number[]} script by the clock
 * @property {number[]} cpu of which the thread was running, apart from collecting garbage
 */

/**
 * Watches games that move for some rounds.
 * @param {Browser} browser
 * @param {string} url
 * @param {{ games: number, rounds: number, viewport: { width: number, height: number } }} load
 * @returns {Promise<Frames>}
 */
export async function frames(browser, url, { games, rounds, viewport }) {
  const pairs = await Promise.all(Array.from({ length: PAIRS }, () => startPair(url)));
  const pairOf = (/** @type {number} */ index) => /** @type {BotPair} */ (pairs[index % PAIRS]);
  const start = (/** @type {number} */ index) => startGame(pairOf(index), GAME_CONFIGS[index % GAME_CONFIGS.length] ?? { rules: "diam" });
  const matches = await Promise.all(Array.from({ length: games }, (_, index) => start(index)));
  const { page, context, pageErrors } = await visit(browser, `${url}/live`, { viewport });
  await page.locator(".live .mini-board").nth(games - 1).waitFor({ state: "attached" });
  const random = seededRandom(5);
  let moves = 0;
  const round = async () => {
    await Promise.all(
      matches.map(async (match, index) => {
        if (match.over) {
          forgetGame(pairOf(index), match);
          matches[index] = await start(index);
        }
        await /** @type {Match} */ (matches[index]).step(random);
        moves += 1;
      }),
    );
  };
  // New boards are drawn before the measurement.
  await round();
  await visible(page);
  const drawn = await page.locator(".live .mini-board:has(.pieces)").count();
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"] });
  moves = 0;
  for (let number = 0; number < rounds; number += 1) {
    // Sets the pace of the games. Nothing depends on this wait.
    await Promise.all([round(), new Promise((resolve) => setTimeout(resolve, MOVE_EVERY_MS))]);
  }
  /** @type {{ traceEvents: Trace[] }} */
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
  await context.close();
  for (const bot of pairs.flat()) bot.close();
  if (pageErrors.length > 0) throw new Error(pageErrors.join("\n"));
  return { moves, drawn, ...scriptOf(traceEvents) };
}

/**
 * Waits until every visible board is drawn.
 * @param {Page} page
 */
async function visible(page) {
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".mini-board")].every((thumb) => {
      const { top, bottom } = thumb.getBoundingClientRect();
      return bottom < 0 || top > innerHeight || thumb.querySelector(".pieces") !== null;
    }),
  );
}

/**
 * Adds up the script time of each frame.
 * @param {Trace[]} trace
 */
function scriptOf(trace) {
  const thread = busiest(trace.filter((event) => SCRIPT.has(event.name)));
  const own = trace.filter((event) => `${event.pid}.${event.tid}` === thread).sort((one, other) => one.ts - other.ts);
  /** @type {{ script: number, cpu: number }[]} */
  const found = [];
  let [script, cpu, until] = [0, 0, 0];
  for (const { name, ph, ts, dur = 0, tdur = 0 } of own) {
    const isScript = SCRIPT.has(name) && ph === "X" && ts >= until;
    // A pause as long as a frame counts as the end of one.
    if (name === FRAME || (isScript && ts - until >= FRAME_US)) {
      found.push({ script, cpu });
      [script, cpu] = [0, 0];
    }
    if (isScript) {
      // Nested events are part of the outer one.
      until = ts + dur;
      script += dur / 1_000;
      cpu += tdur / 1_000;
    } else if (COLLECTION.has(name) && ts < until) cpu -= tdur / 1_000;
  }
  const sorted = (/** @type {"script" | "cpu"} */ which) => found.map((frame) => frame[which]).sort((one, other) => one - other);
  return { script: sorted("script"), cpu: sorted("cpu") };
}

/**
 * Returns the value at a share of the sorted values.
 * @param {number[]} sorted
 * @param {number} share
 */
export function percentile(sorted, share) {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

/** @param {Trace[]} events */
function busiest(events) {
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const { pid, tid, dur = 0 } of events) {
    const thread = `${pid}.${tid}`;
    times.set(thread, (times.get(thread) ?? 0) + dur);
  }
  return [...times].sort((one, other) => other[1] - one[1])[0]?.[0];
}
