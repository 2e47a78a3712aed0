// The page of all live games, and what watching them costs.

import assert from "node:assert/strict";
import { LARGE_SCREEN, frames, percentile } from "../measure/frames.js";
import { growth } from "../measure/memory_growth.js";
import { FRAMES_WITHIN, GROWN_MAX, SCRIPT_MAX_MS } from "../measure/thresholds.js";
import { browser, long, seededRandom, server, setUp, visit } from "./harness.js";
import { startGame, startPair } from "./bots.js";

// Only a test's own games are live.
setUp({ ownServers: true });

long("the front page links to all live games, and to those of one kind", async () => {
  const bots = await startPair(server.url);
  const matches = [];
  for (let number = 0; number < 60; number += 1) {
    matches.push(await startGame(bots, { rules: number < 55 ? "diam" : "hexma" }));
  }
  const { page, context, pageErrors } = await visit(browser, server.url);
  await page.getByRole("link", { name: "All live games" }).click();
  await page.locator(".mini-board").nth(59).waitFor({ state: "attached" });
  // Boards are drawn when they come into view.
  const last = page.locator(".mini-board").nth(59);
  await last.scrollIntoViewIfNeeded();
  await last.locator(".cell").first().waitFor({ state: "attached" });
  await page.getByRole("link", { name: "Hexma", exact: true }).click();
  await page.waitForURL(/\/live\/hexma$/);
  await page.locator(".mini-board").nth(4).waitFor({ state: "attached" });
  assert.equal(await page.locator(".mini-board").count(), 5);
  const [moving, ending, staying] = matches.slice(55);
  const board = (/** @type {{ game: string } | undefined} */ match) => page.locator(`.live a[href="/game/${match?.game}"]`);
  await board(moving).locator(".pieces [data-cell]").first().waitFor({ state: "attached" });
  await moving?.step(seededRandom(1));
  await board(moving).locator(".last-to").first().waitFor({ state: "attached" });
  await ending?.resign();
  await board(ending).waitFor({ state: "detached" });
  await board(staying).click();
  await page.waitForURL(`${server.url}/game/${staying?.game}`);
  await Promise.all(matches.map((match) => match.resign()));
  await page.goto(`${server.url}/live`);
  await page.getByText("No live games at the moment.").waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
  for (const bot of bots) bot.close();
});

long("watching games does not leak memory", async () => {
  const { holdings, pageErrors } = await growth(browser, server.url, [1_000, 2_500]);
  const [before, after] = holdings;
  assert.ok(before !== undefined && after !== undefined);
  assert.ok(after.heap < before.heap * GROWN_MAX, JSON.stringify(holdings));
  assert.deepEqual([after.listeners, after.documents], [before.listeners, before.documents]);
  assert.ok(after.nodes <= before.nodes + 10, JSON.stringify(holdings));
  assert.deepEqual(pageErrors, []);
});

long("two hundred moving games stay within the frame budget", async () => {
  const { cpu, moves, drawn } = await frames(browser, server.url, { games: 200, rounds: 8, viewport: LARGE_SCREEN });
  assert.ok(moves >= 1_600 && drawn === 200, `${moves} moves, ${drawn} boards`);
  const most = percentile(cpu, FRAMES_WITHIN);
  assert.ok(most < SCRIPT_MAX_MS, `${most} ms of script in a frame`);
});
