// What the page costs, measured: `tests/page/run --measure`. Says what it found, and fails if it is too much.

import { startBrowser, startServer } from "../browser/harness.js";
import { growth } from "./growth.js";

/** When a page that watches is weighed, in moves. */
const CHECKPOINTS = [2_000, 4_000, 6_000, 8_000, 10_000];

const [server, browser] = await Promise.all([startServer(), startBrowser()]);
try {
  const { holdings } = await growth(browser, server.url, (process.argv[2]??"").split(",").map(Number) ?? CHECKPOINTS);
  console.table(holdings);
} finally {
  await browser.close();
  await server.stop();
}
