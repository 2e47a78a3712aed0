// Views about people: profiles, and lists of finished games.

import assert from "node:assert/strict";
import { problems } from "./axe.js";
import { Bot } from "./bots.js";
import { browser, long, server, setUp, visit } from "./harness.js";
import { playToTheEnd, signUp, visitAs } from "./people.js";
import { beginGame } from "./seated.js";

/** @import {Page} from "playwright-core" */

/** As long as a name can be. */
const LONG = "Wolfeschlegelsteinha";

/** More games than a page has. */
const MANY = 27;

/** @type {Bot} */
let ann;
/** @type {Bot} */
let bob;
/** @type {Bot} */
let cy;

setUp({
  ready: async () => {
    [ann, bob, cy] = [await signUp(server, LONG), await signUp(server, "bob"), await signUp(server, "cy")];
    await playToTheEnd([ann, bob], { rules: "stymie", rated: true }, { moves: ["a1", "b2"], loser: 1 });
    await playToTheEnd([bob, ann], { rules: "hexma" }, { moves: [], loser: 1 });
    const drawn = await beginGame([cy, ann], { rules: "diam" });
    await cy.request({ type: "move", game: drawn, turn: 0, move: "A1" });
    const { offer } = await cy.request({ type: "offer", game: drawn, what: "draw" });
    await ann.request({ type: "answer", game: drawn, offer, accept: true });
    for (let number = 0; number < MANY; number += 1) {
      await playToTheEnd([bob, cy], { rules: number === 0 ? "adamas" : "diam" }, { moves: [], loser: number % 2 });
    }
    await beginGame([bob, ann], { rules: "hexma" });
  },
});

/** @param {Page} page */
const rows = (page) => page.locator(".finished-game");

/**
 * A field of the form that chooses games.
 * @param {Page} page
 * @param {string} name
 */
const field = (page, name) => page.locator(`.filters [name=${name}]`);

/**
 * Waits until the list has exactly these games, each with these words.
 * @param {Page} page
 * @param {RegExp[]} wanted
 */
async function listed(page, wanted) {
  const areListed = (/** @type {string[]} */ sources) => {
    const listed = [...document.querySelectorAll(".finished-game")];
    const texts = listed.map((row) => /** @type {HTMLElement} */ (row).innerText.replace(/\s+/g, " "));
    return texts.length === sources.length && sources.every((source, index) => new RegExp(source).test(texts[index] ?? ""));
  };
  const waiting = page.waitForFunction(areListed, wanted.map((words) => words.source));
  await waiting.catch(async (error) => assert.fail(`${error}: ${await rows(page).allInnerTexts()}`));
}

/**
 * The request that lets the server call a browser.
 * @param {string} endpoint
 */
function subscription(endpoint) {
  const p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
  return { type: "push_subscribe", endpoint, p256dh, auth: "BTBZMqHH6r4Tts7J_aSIgg" };
}

long("a profile tells finished games from its player's side", async () => {
  const { page, context, pageErrors } = await visit(browser, `${server.url}/user/${LONG.toLowerCase()}`);
  const date = new Date().toLocaleDateString("en-GB", { dateStyle: "medium" });
  await listed(page, [
    new RegExp(`^Against cy The players agreed to it. Diam · ${date} · Analyse Draw$`),
    /^Against bob By resignation\. Hexma · .* Lost$/,
    /^Against bob The opponent resigned\. Stymie · rated · .* Won \+162$/,
  ]);
  assert.equal(await page.locator("h1").textContent(), LONG);
  assert.equal(await page.title(), `${LONG} · Adamant`);
  const rating = page.locator(".ratings li");
  assert.match((await rating.innerText()).replace(/\s+/g, " "), /^Stymie 1662 ± \d+ provisional 1 rated game: 1 won, 0 drawn, 0 lost( 1662 1500)?$/);

  await field(page, "result").selectOption("lost");
  await listed(page, [/Hexma/]);
  assert.equal(new URL(page.url()).hash, "#result=lost");
  await field(page, "result").selectOption("");
  await field(page, "opponent").fill("CY");
  await field(page, "opponent").press("Enter");
  await listed(page, [/Diam/]);
  // The address leads to the same games.
  await page.goto(`${server.url}/user/${LONG}#rules=stymie&rated=1`);
  await page.reload();
  await listed(page, [/Stymie/]);
  await rows(page).locator(".who").click();
  await page.locator(".board-area .cell").first().waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a profile shows the games that its player plays now", async () => {
  const game = await beginGame([ann, cy], { rules: "hexma" });
  const { page, context, pageErrors } = await visit(browser, `${server.url}/user/${LONG}`);
  const board = page.locator(`.current-games a[href="/game/${game}"]`);
  await board.locator(".cell").first().waitFor();
  await ann.request({ type: "resign", game });
  await board.locator(".result", { hasText: "cy won by resignation." }).waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a challenge from a profile begins a game when it is accepted", async () => {
  const theirs = await visitAs(browser, server, bob, "/rules/adamas");
  await theirs.page.locator(".me", { hasText: "bob" }).waitFor();
  const own = await visitAs(browser, server, cy, "/user/bob");
  await own.page.getByRole("button", { name: "Challenge" }).click();
  const dialog = own.page.locator("dialog[open]");
  await dialog.locator("[name=rules][value=stymie]").check();
  assert.equal(await dialog.locator("[name=names]").inputValue(), "bob");
  await dialog.getByRole("button", { name: "Challenge" }).click();
  await own.page.locator(".toast", { hasText: "Challenge sent." }).waitFor();
  await theirs.page.locator(".notice").getByRole("button", { name: "Accept" }).click();
  for (const { page } of [own, theirs]) await page.waitForURL(/\/game\//);
  assert.equal(own.page.url(), theirs.page.url());
  assert.deepEqual([...own.pageErrors, ...theirs.pageErrors], []);
  await own.context.close();
  await theirs.context.close();
});

long("a profile blocks its player, and ends that", async () => {
  const { page, context, pageErrors } = await visitAs(browser, server, cy, `/user/${LONG}`);
  await page.getByRole("button", { name: "Block", exact: true }).click();
  await page.getByRole("button", { name: "Unblock" }).waitFor();
  assert.deepEqual((await cy.request({ type: "blocks" })).users, [LONG]);
  await page.getByRole("button", { name: "Unblock" }).click();
  await page.getByRole("button", { name: "Block", exact: true }).waitFor();
  assert.deepEqual((await cy.request({ type: "blocks" })).users, []);
  await page.goto(`${server.url}/user/cy`);
  await page.locator("h1", { hasText: "cy" }).waitFor();
  assert.equal(await page.getByRole("button", { name: /Block|Challenge/ }).count(), 0, "one's own profile");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("the feed of a profile is a file, not a view", async () => {
  const { page, context } = await visit(browser, `${server.url}/user/bob`);
  const [response] = await Promise.all([
    page.waitForResponse(`${server.url}/user/bob/feed.atom`),
    page.getByRole("link", { name: "Feed" }).click(),
  ]);
  assert.match(response.headers()["content-type"] ?? "", /^application\/atom\+xml/);
  await context.close();
});

long("finished games are found by player, game and result, page by page", async () => {
  const { page, context, pageErrors } = await visit(browser, `${server.url}/games#user=cy&opponent=bob`);
  await rows(page).nth(24).waitFor();
  assert.equal(await rows(page).count(), 25);
  await page.getByRole("button", { name: "More" }).click();
  await listed(page, Array.from({ length: MANY }, () => /^Against bob/));
  assert.equal(await page.getByRole("button", { name: "More" }).count(), 0);

  await field(page, "rules").selectOption("adamas");
  await listed(page, [/Adamas .* Won$/]);
  await field(page, "result").selectOption("lost");
  await page.getByText("No finished games match.").waitFor();
  await field(page, "user").fill("bob");
  await field(page, "opponent").fill("");
  await page.getByRole("button", { name: "Show" }).click();
  await listed(page, [/^Against cy By resignation\. Adamas .* Lost$/]);
  assert.equal(new URL(page.url()).hash, "#rules=adamas&user=bob&result=lost");

  await field(page, "user").fill("no name");
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("no name cannot be the name of a player.").waitFor();
  await field(page, "user").fill("");
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("Please enter a player", { exact: false }).waitFor();
  await field(page, "result").selectOption("");
  await listed(page, [/^bob – cy cy won by resignation\. Adamas/]);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a webhook is set, shown with its secret once, replaced and deleted", async () => {
  const { page, context, pageErrors } = await visitAs(browser, server, bob, "/account");
  const hook = page.locator("section.webhook");
  await hook.locator("[name=webhook]").fill("http://example.org/");
  await hook.getByRole("button", { name: "Set" }).click();
  await hook.getByText("Please enter an address that begins with https://.").waitFor();
  await hook.locator("[name=webhook]").fill("https://127.0.0.1/");
  await hook.getByRole("button", { name: "Set" }).click();
  await hook.getByText("it leads to an address that is not public", { exact: false }).waitFor();
  await hook.locator("[name=webhook]").fill("https://hooks.example.net/one");
  await hook.getByRole("button", { name: "Set" }).click();
  const secret = (await hook.locator(".secret").textContent()) ?? "";
  assert.match(secret, /^whsec_[0-9a-f]{64}$/);
  await hook.locator(".url", { hasText: "https://hooks.example.net/one" }).waitFor();
  await hook.getByText("no failures", { exact: false }).waitFor();
  await page.reload();
  await hook.locator(".url").waitFor();
  assert.equal(await hook.locator(".secret").count(), 0);
  await hook.locator("[name=webhook]").fill("https://hooks.example.net/two");
  await hook.getByRole("button", { name: "Replace" }).click();
  await hook.locator(".url", { hasText: "https://hooks.example.net/two" }).waitFor();
  assert.notEqual(await hook.locator(".secret").textContent(), secret);
  await hook.getByRole("button", { name: "Delete" }).click();
  await hook.locator(".url").waitFor({ state: "detached" });
  assert.equal((await bob.request({ type: "webhook_get" })).url, undefined);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("the browsers that the server calls are listed and can be removed", async () => {
  for (const host of ["fcm.googleapis.com", "push.example.net"]) await bob.request(subscription(`https://${host}/send/1`));
  const { page, context, pageErrors } = await visitAs(browser, server, bob, "/account");
  const list = page.locator(".notify-settings .rows li");
  await list.nth(1).waitFor();
  assert.deepEqual(await list.locator(".who").allTextContents(), ["Chrome", "push.example.net"]);
  await list.filter({ hasText: "Chrome" }).getByRole("button", { name: "Remove" }).click();
  await list.nth(1).waitFor({ state: "detached" });
  const { subscriptions } = await bob.request({ type: "push_list" });
  assert.deepEqual(subscriptions.map((/** @type {{ endpoint: string }} */ each) => each.endpoint), ["https://push.example.net/send/1"]);
  assert.equal(await page.locator(".notify-settings a").getAttribute("href"), "/user/bob/feed.atom");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a guest has notifications, but no webhook", async () => {
  const guest = await Bot.join(server.url, "Opal-1");
  await guest.request(subscription("https://push.example.net/send/2"));
  const { page, context, pageErrors } = await visitAs(browser, server, guest, "/account");
  await page.locator(".notify-settings .rows li").waitFor();
  await page.locator("[name=challenges]").waitFor();
  assert.equal(await page.locator("section.webhook").count(), 0);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  long(`views about people fit on a phone, and axe finds no serious problem, ${colorScheme}`, async () => {
    await ann.request({ type: "webhook_set", url: `https://hooks.example.net/${"long".repeat(40)}` });
    const phone = { viewport: { width: 360, height: 740 }, colorScheme, bypassCSP: true };
    const { page, context, pageErrors } = await visitAs(browser, server, ann, "/", phone);
    for (const [path, sign] of /** @type {const} */ ([
      [`/user/${LONG}`, ".current-games .cell"],
      [`/games#user=${LONG}`, ".finished-game"],
      ["/games", ".finished-game"],
      ["/account", ".webhook .url"],
    ])) {
      await page.goto(`${server.url}${path}`);
      await page.locator(sign).first().waitFor();
      if (path !== "/account") await page.locator(".finished-game").first().waitFor();
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 360, `${path} is ${wide} wide`);
      assert.deepEqual(await problems(page), [], path);
    }
    assert.deepEqual(pageErrors, []);
    await context.close();
  });
}
