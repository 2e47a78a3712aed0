// Measures what the page costs: `cargo xtask web --measure`. It fails if that exceeds the limits.

import { startBrowser, startServer } from "../browser/harness.js";
import { LARGE_SCREEN, frames, percentile } from "./frames.js";
import { FRAMES_WITHIN, GROWN_MAX, SCRIPT_MAX_MS } from "./thresholds.js";
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

const [server, browser] = await Promise.all([startServer(), startBrowser()]);
const tooMuch = [];
try {
  const { holdings } = await growth(browser, server.url, CHECKPOINTS);
  console.log("Memory of the page by watched moves:");
  console.table(holdings);
  const [first, last] = [holdings[0], holdings.at(-1)];
  if (!first || !last || last.heap > first.heap * GROWN_MAX || last.nodes > first.nodes + 10) tooMuch.push("the page grows");

  const found = [];
  for (const viewport of SCREENS) {
    const { moves, drawn, script, cpu } = await frames(browser, server.url, { games: GAMES, rounds: ROUNDS, viewport });
    const screen = `${viewport.width} x ${viewport.height}`;
    const of = (/** @type {number[]} */ sorted) => [0.5, FRAMES_WITHIN, 1].map((share) => percentile(sorted, share).toFixed(1)).join(" / ");
    found.push({ screen, moves, drawn, frames: cpu.length, "script: CPU": of(cpu), "by the clock": of(script) });
    if (percentile(cpu, FRAMES_WITHIN) > SCRIPT_MAX_MS) tooMuch.push(`a frame of ${screen} has too much script`);
  }
  console.log("Script in a frame, in milliseconds, as median / 95 % / longest:");
  console.table(found);
} finally {
  await browser.close();
  await server.stop();
}
if (tooMuch.length > 0) throw new Error(tooMuch.join("; "));
