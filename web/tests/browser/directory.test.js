// The bots that accept challenges.

import assert from "node:assert/strict";
import { Bot } from "./bots.js";
import { browser, long, server, setUp, visit } from "./harness.js";

/** @import {Page} from "playwright-core" */

/** @type {Bot} */
let hexbot;

const accepts = { games: [{ rules: "hexma", players: 2 }, { rules: "adamas" }], clocks: ["fischer"], pace: { min_ms: 2000 }, rated: false };

setUp({
  ready: async () => {
    hexbot = await Bot.join(server.url, "hexbot", { bot: true });
    await hexbot.request({ type: "bot_status", accepts, free: 3 });
  },
});

/** @param {Page} page */
const names = (page) => page.locator(".bots h2").allInnerTexts();

/**
 * @param {Page} page
 * @param {string} name
 */
const card = (page, name) => page.locator(".bots .card", { has: page.getByRole("link", { name, exact: true }) });

long("the directory shows what each bot accepts", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await page.locator("[data-rules=hexma]").first().waitFor();
  await page.goto(`${server.url}/bots`);
  await card(page, "hexbot").waitFor();
  assert.deepEqual(await names(page), [...Array.from({ length: 8 }, (_, index) => `Computer (level ${index + 1})`), "hexbot"]);
  const text = (await card(page, "hexbot").innerText()).replace(/\s+/g, " ");
  assert.equal(
    text,
    "hexbot guest Accepts: Hexma (2 players), Adamas · time with increment · at least 2 s a move · only games that are not rated Free for 3 games Challenge",
  );
  await page.getByRole("navigation", { name: "Games" }).getByRole("link", { name: "Diam" }).click();
  await page.waitForURL(/\/bots\/diam$/);
  await card(page, "Computer (level 4)").waitFor();
  assert.equal(await card(page, "hexbot").count(), 0, "hexbot plays no Diam");
  await hexbot.request({ type: "bot_status", accepts, free: 0 });
  await page.goto(`${server.url}/bots/hexma`);
  await card(page, "hexbot").locator(".free", { hasText: "Busy at present" }).waitFor();
  await hexbot.request({ type: "bot_status", accepts, free: 3 });
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a visitor without an account challenges a bot", async () => {
  const { page, context, pageErrors } = await visit(browser, `${server.url}/bots`);
  await card(page, "hexbot").getByRole("button", { name: "Challenge hexbot" }).click();
  const dialog = page.locator("dialog[open]");
  assert.equal(await dialog.locator("[name=names]").inputValue(), "hexbot");
  assert.equal(await dialog.locator("[name=rules]:checked").inputValue(), "hexma");
  await dialog.getByRole("button", { name: "Challenge" }).click();
  await page.locator(".toast", { hasText: "Challenge sent." }).waitFor();
  const { challenges } = await hexbot.request({ type: "challenges" });
  await hexbot.request({ type: "accept", challenge: challenges[0].challenge });
  await page.waitForURL(/\/game\//);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("the front page leads to the directory", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await page.getByRole("link", { name: "All bots that play here" }).click();
  await card(page, "hexbot").waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});
