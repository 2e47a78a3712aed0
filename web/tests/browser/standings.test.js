// The standings of everyone, of people and of bots.

import assert from "node:assert/strict";
import { browser, long, server, setUp, visit } from "./harness.js";
import { tabTo } from "./keyboard.js";
import { signUp } from "./people.js";

/** @import {Page} from "playwright-core" */

setUp();

/** @param {Page} page */
const rows = (page) => page.locator(".standings tbody tr").evaluateAll((all) => all.map((row) => [...row.children].slice(0, 2).map((cell) => cell.textContent)));

/**
 * @param {Page} page
 * @param {string} name
 */
const tab = (page, name) => page.getByRole("navigation", { name: "Who is listed" }).getByRole("link", { name, exact: true });

/**
 * Waits until the page lists who was chosen. Until then it says that it loads.
 * @param {Page} page
 * @param {string} name
 */
const listed = (page, name) => page.locator(".tab[aria-current=page]", { hasText: name }).waitFor();

long("a visitor lists everyone, people or bots", async () => {
  const ann = await signUp(server, "ann");
  await ann.request({ type: "challenge", rules: "diam", seats: ["ann", "house"], rated: true });
  /** @type {{ game: string, ply: number }[]} */
  let games = [];
  while (games.length === 0) ({ games } = await ann.request({ type: "games", user: "ann" }));
  const game = games[0]?.game;
  await ann.request({ type: "move", game, turn: 0, move: "A1" });
  const hasAnswered = async () => (await ann.request({ type: "games", user: "ann" })).games[0]?.ply === 2;
  while (!(await hasAnswered()));
  await ann.request({ type: "resign", game });

  const { page, context, pageErrors } = await visit(browser, `${server.url}/standings/diam`);
  await page.getByRole("link", { name: "ann", exact: true }).waitFor();
  assert.deepEqual(await rows(page), [["1", "Computer (level 4) bot"], ["2", "ann"]]);
  await tab(page, "People").click();
  await listed(page, "People");
  assert.deepEqual(await rows(page), [["1", "ann"]]);
  assert.match(page.url(), /\/standings\/diam#2,people$/);

  // With the keyboard, and in the address.
  await tabTo(page, tab(page, "Bots"));
  await page.keyboard.press("Enter");
  await listed(page, "Bots");
  assert.deepEqual(await rows(page), [["1", "Computer (level 4) bot"]]);
  await page.reload();
  await listed(page, "Bots");
  assert.deepEqual(await rows(page), [["1", "Computer (level 4) bot"]]);
  await page.getByRole("navigation", { name: "Games" }).getByRole("link", { name: "Stymie" }).click();
  await page.getByText("No bot has a rating yet.").waitFor();
  assert.match(page.url(), /\/standings\/stymie#2,bots$/);
  await page.goBack();
  await page.locator(".standings").waitFor();
  await listed(page, "Bots");
  // Without a game in the address it is the first one in which somebody has a rating.
  await page.locator(".top").getByRole("link", { name: "Standings" }).click();
  await page.locator(".tab[aria-current=page]", { hasText: "Diam" }).waitFor();
  assert.deepEqual(await rows(page), [["1", "Computer (level 4) bot"], ["2", "ann"]]);
  // A profile shows how the rating went.
  await page.getByRole("link", { name: "ann", exact: true }).click();
  await page.getByRole("img", { name: /^Rating over the last 1 game: from 1500 to 1\d{3}$/ }).waitFor();
  assert.match((await page.locator(".curve").textContent()) ?? "", /^15001\d{3}$/);
  ann.close();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a list that the server refuses hides no other, and an address without a game has its number of players", async () => {
  const { page, context } = await visit(browser);
  await page.routeWebSocket(/v1\/ws/, (socket) => {
    const there = socket.connectToServer();
    socket.onMessage((frame) => {
      const request = JSON.parse(String(frame));
      if (request.type !== "standings" || request.limit !== 1) return there.send(frame);
      return socket.send(JSON.stringify({ type: "error", re: request.id, code: "busy", message: "busy", retry: "never" }));
    });
  });
  await page.goto(`${server.url}/standings`);
  await page.locator(".tab[aria-current=page]", { hasText: "Adamas, 2 players" }).waitFor();
  await page.goto(`${server.url}/stats#3`);
  await page.locator(".tab[aria-current=page]", { hasText: "Adamas, 3 players" }).waitFor();
  await context.close();
});

long("the lists have German names", async () => {
  const { page, context } = await visit(browser, undefined, { locale: "de" });
  await page.goto(`${server.url}/standings/diam#2,bots`);
  const names = page.getByRole("navigation", { name: "Wer in der Liste steht" }).getByRole("link");
  await names.first().waitFor();
  assert.deepEqual((await names.allInnerTexts()).slice(1), ["Menschen", "Bots"]);
  await context.close();
});
