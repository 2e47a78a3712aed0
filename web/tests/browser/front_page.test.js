// The front page: a newcomer's first move, calls for one's turn on every view, challenges,
// invitations, and what must not break.

import assert from "node:assert/strict";
import { Bot, startGame } from "./bots.js";
import { browser, server, setUp, test, visit } from "./harness.js";
import { setUpGame } from "./lobby.js";

/** @import {Page} from "playwright-core" */

setUp();

/**
 * Waits for the own move, and then for the bot's: a timeout says which of them is missing.
 * @param {Page} page
 */
async function finishedMove(page) {
  for (const ply of [1, 2]) await page.locator(`[data-ply="${ply}"]`).waitFor({ state: "attached" });
}

/**
 * Presses Tab until an element matches.
 * @param {Page} page
 * @param {string} wanted
 */
async function reach(page, wanted) {
  await page.locator(wanted).first().waitFor();
  for (let tabs = 0; !(await page.evaluate((selector) => document.activeElement?.matches(selector), wanted)); tabs += 1) {
    assert.ok(tabs < 80, `${wanted} cannot be reached`);
    await page.keyboard.press("Tab");
  }
}

test("a newcomer gets from the front page to a finished move by keyboard alone", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await reach(page, "[data-rules=stymie]");
  await page.keyboard.press("Enter");
  await page.locator(".cell.source, .cell.octagon").first().waitFor();
  await reach(page, ".cell");
  await page.keyboard.press("Space");
  await page.locator("button.play:enabled").waitFor();
  await page.keyboard.press("Enter");
  await finishedMove(page);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("a newcomer gets from the front page to a finished move by touch alone", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await page.locator("[data-rules=stymie]").tap();
  await page.locator(".status.my-turn").waitFor();
  await page.locator('.board-area .cell.octagon[data-cell="g7"]').tap();
  await page.locator("button.play:enabled").tap();
  await finishedMove(page);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("every view says how many games wait, and leads to the next one", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  const games = [];
  for (const rules of ["stymie", "diam"]) {
    await page.locator(`[data-rules=${rules}]`).click();
    await page.locator(".status.my-turn").waitFor();
    games.push(new URL(page.url()).pathname);
    await page.locator(".brand").click();
    await page.locator("[data-rules]").first().waitFor();
  }
  await page.goto(`${server.url}/standings`);
  const chip = page.locator(".turn-chip");
  await chip.getByText("2 your move").waitFor();
  await page.waitForFunction(() => document.title.startsWith("(2) Standings"));
  assert.match((await page.locator("link[rel=icon]").getAttribute("href")) ?? "", /icon-your-turn\.svg$/);
  const seen = new Set();
  for (const left of [1, 1]) {
    await chip.click();
    await page.waitForURL(/\/game\//);
    await page.locator(".status.my-turn").waitFor();
    seen.add(new URL(page.url()).pathname);
    await chip.getByText(`${left} your move`).waitFor();
    assert.match(await page.title(), /^● /);
  }
  assert.deepEqual(seen, new Set(games));
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("a challenge says on any view who asks for what, and can be answered there", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await page.locator("[data-rules=diam]").click();
  await page.locator(".status.my-turn").waitFor();
  const name = (await page.locator(".me").textContent()) ?? "";
  await page.goto(`${server.url}/rules`);
  const bot = await Bot.join(server.url);
  const clock = { mode: "fischer", base_ms: 180_000, inc_ms: 2_000 };
  const challenge = () => bot.request({ type: "challenge", rules: "adamas", options: "-size=4", seats: [bot.name, name], clock });
  await challenge();
  const notice = page.locator(".notice", { hasText: `${bot.name} challenges you` });
  await notice.waitFor();
  for (const said of ["Adamas", "not rated", "3 min + 2 s a move", "board of 4 a side", "you move second"]) {
    assert.ok((await notice.textContent())?.includes(said), `${said}: ${await notice.textContent()}`);
  }
  assert.match(await page.title(), /^\(2\) /);
  await notice.getByRole("button", { name: "Decline" }).click();
  await notice.waitFor({ state: "detached" });
  await challenge();
  await notice.getByRole("button", { name: "Accept" }).click();
  await page.waitForURL(/\/game\//);
  await page.locator(".board-area .pieces [data-cell]").first().waitFor({ state: "attached" });
  bot.close();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("the user's games are boards, those that wait first, and can be aborted there", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await page.locator("[data-rules=stymie]").click();
  await page.locator(".status.my-turn").waitFor();
  const name = (await page.locator(".me").textContent()) ?? "";
  const bot = await Bot.join(server.url);
  await bot.request({ type: "challenge", rules: "diam", seats: [bot.name, name], clock: { mode: "days", per_move_days: 1 } });
  await page.locator(".notice").getByRole("button", { name: "Accept" }).click();
  await page.waitForURL(/\/game\//);
  await page.locator(".brand").click();
  const tiles = page.locator(".own-game");
  await tiles.nth(1).getByText(`${bot.name} to move`).waitFor();
  assert.equal(await page.locator(".hero").count(), 0);
  await tiles.nth(0).getByText("Your move").waitFor();
  await tiles.nth(1).getByText(/^(1 d 00 h|23:59:\d\d)$/).waitFor();
  const own = await tiles.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  for (const href of own) assert.equal(await page.locator(`.watching a[href="${href}"]:visible`).count(), 0, "no game is shown twice");
  await tiles.nth(0).getByRole("button", { name: "Abort" }).click();
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "No");
  await tiles.nth(0).getByRole("button", { name: "Yes" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".own-game").length === 1);
  bot.close();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("a computer that takes on no further game says why, and the next level plays", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  // As many as one user may have with a bot of the server.
  for (let games = 0; games < 4; games += 1) {
    await page.locator("[data-rules=hexma]").click();
    await page.locator(".status.my-turn").waitFor();
    await page.locator(".brand").click();
  }
  await page.locator("[data-rules=hexma]").click();
  const why = "You have as many games with Computer (level 2) as one player may have. Finish one of them to begin another.";
  await page.locator(".toast", { hasText: `${why} You play Computer (level 1) instead.` }).waitFor();
  await page.locator(".game-page").getByText("Computer (level 1)").first().waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("the dialog checks what is entered, and takes half minutes", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  const dialog = await setUpGame(page, "person", { rules: "adamas", mode: "fischer", times: { base_ms: "0.7" }, options: { pieces: "200" } });
  const start = dialog.getByRole("button", { name: "Find an opponent" });
  await start.click();
  await dialog.getByText("Please enter whole or half minutes.").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "base_ms");
  await dialog.locator("[name=base_ms]").fill("0.5");
  await start.click();
  await dialog.getByText("Please enter a number from 2 to 99.").waitFor();
  await dialog.locator("[name=pieces]").fill("9");
  await dialog.locator("[name=size]").selectOption("4");
  await start.click();
  const own = page.locator(".waiting li");
  await own.getByText("30 s + 5 s a move").waitFor();
  assert.match((await own.textContent()) ?? "", /board of 4 a side · 9 pieces each/);
  await own.getByRole("button", { name: "Cancel" }).click();
  await own.waitFor({ state: "detached" });
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("going back restores how far a view was scrolled", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url, { viewport: { width: 360, height: 500 } });
  await page.locator(".open-game").waitFor();
  await page.evaluate(() => scrollTo(0, 420));
  await page.locator(".learn").nth(2).click();
  await page.waitForURL(/\/(rules|learn)\//);
  await page.locator("main h1").waitFor({ state: "attached" });
  assert.equal(await page.evaluate(() => scrollY), 0);
  await page.goBack();
  await page.waitForFunction(() => scrollY === 420);
  await page.goto(`${server.url}/rules/stymie`);
  await page.waitForFunction(() => document.documentElement.scrollHeight > innerHeight + 420);
  assert.equal(await page.evaluate(() => scrollY), 0, "an address that is typed opens at its top");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("an invitation leads a second browser without an account to the game", async () => {
  const ann = await visit(browser, server.url);
  const dialog = await setUpGame(ann.page, "friend", { rules: "hexma", seat: "0", mode: "days", times: { per_move_days: "2" } });
  await dialog.getByRole("button", { name: "Create a link" }).click();
  const link = await dialog.getByLabel("Link to the game").inputValue();
  assert.match(link, /\/join\/i_\w+$/);
  await ann.page.keyboard.press("Escape");
  await ann.page.locator(".waiting li").getByLabel("Link to the game").waitFor();
  const name = await ann.page.locator(".me").textContent();
  const bob = await visit(browser, link);
  await bob.page.getByRole("heading", { name: `${name} invites you to a game` }).waitFor();
  for (const said of ["Hexma", "not rated", "2 days a move", "They move first."]) {
    assert.ok((await bob.page.locator(".terms").textContent())?.includes(said), said);
  }
  assert.equal(await bob.page.title(), "Join a game · Adamant");
  await bob.page.getByRole("button", { name: "Play", exact: true }).click();
  await bob.page.waitForURL(/\/game\//);
  // The game begins in the first browser, too.
  await ann.page.waitForURL(bob.page.url());
  await ann.page.locator(".status.my-turn").waitFor();
  const eve = await visit(browser, link);
  await eve.page.waitForURL(bob.page.url());
  const gone = await visit(browser, `${server.url}/join/i_0123456789abcdef`);
  await gone.page.getByText("This invitation is no longer open.").waitFor();
  for (const { context, pageErrors } of [ann, bob, eve, gone]) {
    assert.deepEqual(pageErrors, []);
    await context.close();
  }
});

test("an invitation can be cancelled by its maker", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  const dialog = await setUpGame(page, "friend", { rules: "diam" });
  await dialog.getByRole("button", { name: "Create a link" }).click();
  await dialog.getByLabel("Link to the game").waitFor();
  await page.keyboard.press("Escape");
  const own = page.locator(".waiting li", { hasText: "Anyone with the link can join" });
  await own.getByRole("button", { name: "Cancel" }).click();
  await own.waitFor({ state: "detached" });
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("long names stay inside the page", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url, { viewport: { width: 360, height: 740 } });
  const names = ["W".repeat(20), "M".repeat(20)];
  const [bot, other] = await Promise.all(names.map((name) => Bot.join(server.url, name)));
  assert.ok(bot !== undefined && other !== undefined);
  await startGame([bot, other], { rules: "stymie" });
  await bot.request({ type: "seek", rules: "hexma" });
  await page.locator("[data-rules=diam]").click();
  await page.locator(".status.my-turn").waitFor();
  const name = (await page.locator(".me").textContent()) ?? "";
  await bot.request({ type: "challenge", rules: "diam", seats: [names[0], name] });
  await page.locator(".notice").waitFor();
  for (const [path = "", sign = ""] of [["/", ".waiting .challenge"], ["/live", ".mini-board"], ["/standings", ".notice"], ["/games", ".notice"]]) {
    await page.goto(`${server.url}${path}`);
    await page.locator(sign).first().waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `${path} is ${wide} wide`);
  }
  for (const each of [bot, other]) each.close();
  assert.deepEqual(pageErrors, []);
  await context.close();
});
