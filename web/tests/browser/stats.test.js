// The statistics of a game.

import assert from "node:assert/strict";
import { browser, long, server, setUp, visit } from "./harness.js";
import { tabTo } from "./keyboard.js";
import { playToTheEnd, signUp } from "./people.js";

/** @import {Page} from "playwright-core" */

setUp();

/**
 * Opens the view until the server has counted the game, which it does some seconds after the end.
 * @param {Page} page
 */
async function openCounted(page) {
  await page.goto(`${server.url}/stats/adamas`);
  for (;;) {
    await page.locator(".stats, .stats-page .empty:not(:has-text('Loading'))").first().waitFor();
    if ((await page.locator(".stats").count()) > 0) return;
    await page.reload();
  }
}

long("a visitor reads how games of a kind went", async () => {
  const [ann, bob] = [await signUp(server, "ann"), await signUp(server, "bob")];
  await playToTheEnd([ann, bob], { rules: "adamas" }, { moves: ["c1-c2", "c5-c4"], loser: 0 });
  const { page, context, pageErrors } = await visit(browser, `${server.url}/standings/adamas`);
  await page.getByRole("link", { name: "Statistics" }).waitFor();
  await openCounted(page);
  const text = (await page.locator(".stats").innerText()).replace(/\s+/g, " ");
  for (const part of ["1 game", "Player 2 won 1 100%", "Resignation 1 100%", "First move Games Won by seat Drawn c1-c2 1 0% · 100% 0%", "First 2 moves Games Won by seat Drawn c1-c2 c5-c4 1 0% · 100% 0%"]) assert.ok(text.includes(part), `${part} in ${text}`);
  const chart = page.getByRole("img", { name: /lengths/i });
  assert.equal(await chart.locator("rect").count(), 3, "lengths 0, 1 and 2");
  await tabTo(page, page.getByRole("navigation", { name: "Whose games" }).getByRole("link", { name: "Bots", exact: true }));
  await page.keyboard.press("Enter");
  await page.getByText("No such game has ended yet.").waitFor();
  assert.match(page.url(), /\/stats\/adamas#2,bots$/);
  for (const each of [ann, bob]) each.close();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("the statistics are in German, too", async () => {
  const { page, context } = await visit(browser, `${server.url}/stats/diam`, { locale: "de-DE" });
  await page.getByRole("heading", { name: "Statistik" }).waitFor();
  await page.getByRole("link", { name: "Menschen gegen Bots" }).waitFor();
  await context.close();
});
