// Accounts: checks of names and passwords before they are sent, and what happens to a guest's
// games.

import assert from "node:assert/strict";
import WebSocket from "ws";
import { setUpGame } from "./lobby.js";
import { browser, long, server, setUp, test, typeMove, visit } from "./harness.js";

/** @import {Page} from "playwright-core" */

setUp();

/**
 * Fills in a form of the account page and sends it.
 * @param {Page} page
 * @param {"Sign up" | "Log in"} which
 * @param {string} name
 * @param {string} password
 */
async function send(page, which, name, password) {
  const form = page.locator("form").filter({ has: page.getByRole("heading", { name: which }) });
  await form.locator("[name=user]").fill(name);
  await form.locator("[name=password]").fill(password);
  await form.getByRole("button", { name: which, exact: true }).click();
  return form.locator(".error");
}

/**
 * Plays a move as a guest, and opens the account page.
 * @param {Page} page
 */
async function playAsGuest(page) {
  await page.goto(server.url);
  await page.locator("[data-rules=stymie]").click();
  await page.locator(".status.my-turn").waitFor();
  await typeMove(page, "a1");
  await page.locator('[data-ply="2"]').waitFor({ state: "attached" });
  const guest = (await page.locator(".me").textContent()) ?? "";
  await page.locator(".me").click();
  await page.locator("form").first().waitFor();
  return guest;
}

long("the form explains invalid names and passwords", async () => {
  const { page, context, pageErrors } = await visit(browser, `${server.url}/account`);
  for (const [name = "", password = "", said] of [
    ["", "long enough", "2 to 20 letters and digits, - and _ in between."],
    ["a", "long enough", "2 to 20 letters and digits, - and _ in between."],
    ["no blanks", "long enough", "2 to 20 letters and digits, - and _ in between."],
    ["Peter", "", "Please enter a password."],
    ["Peter", "short", "At least 8 characters."],
    ["Peter", "ü".repeat(129), "That password is too long."],
  ]) {
    const answer = await send(page, "Sign up", name, password);
    assert.equal(await answer.textContent(), said);
  }
  const answer = await send(page, "Log in", "Peter", "a wrong one");
  await answer.filter({ hasText: "Wrong name or password." }).waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("a guest whose games are over signs up under another name and keeps them", async () => {
  const { page, context, pageErrors } = await visit(browser);
  const guest = await playAsGuest(page);
  await page.goBack();
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("button", { name: "Yes" }).click();
  await page.locator('[data-over="true"]').waitFor();
  await page.locator(".me").click();
  await page.getByText(`You may choose another name now; what you have played stays under ${guest} in its record.`, { exact: false }).waitFor();
  await send(page, "Sign up", "Griselda", "long enough");
  await page.locator(".me", { hasText: "Griselda" }).waitFor();
  await page.goto(`${server.url}/user/Griselda`);
  await page.locator(".finished-game", { hasText: `${guest} – Computer (level 2)` }).waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("a guest with unfinished games keeps the name or starts again under another", async () => {
  const { page, context, pageErrors } = await visit(browser);
  const guest = await playAsGuest(page);
  const answer = await send(page, "Sign up", "Perpetua", "long enough");
  await answer.getByText(`You have unfinished games as ${guest}.`, { exact: false }).waitFor();
  await answer.getByRole("button", { name: `Sign up as ${guest}` }).click();
  await page.waitForURL(`${server.url}/`);
  await page.locator(".own-game", { hasText: "Computer (level 2)" }).waitFor();
  assert.equal(await page.locator(".me").textContent(), guest);
  await context.close();

  const other = await visit(browser);
  await playAsGuest(other.page);
  const left = await send(other.page, "Log in", "Perpetua", "long enough");
  await left.getByText("stay behind, one of them unfinished", { exact: false }).waitFor();
  const again = await send(other.page, "Sign up", "Perpetua", "long enough");
  await again.getByRole("button", { name: "Start again as Perpetua" }).click();
  await other.page.locator(".me", { hasText: "Perpetua" }).waitFor();
  await other.page.waitForURL(`${server.url}/`);
  await other.page.getByRole("button", { name: "I have kept it" }).click();

  // The form shows what is usual in a rated game, and what it makes.
  const dialog = await setUpGame(other.page, "person", { rules: "stymie" });
  const [rated, swap] = [dialog.locator("[name=rated]"), dialog.locator("[name=swap]")];
  await rated.check();
  assert.ok(await swap.isChecked());
  await swap.uncheck();
  await dialog.getByRole("button", { name: "Find an opponent" }).click();
  const seek = other.page.locator(".waiting li");
  await seek.waitFor();
  assert.doesNotMatch((await seek.textContent()) ?? "", /swap/);
  assert.deepEqual([...pageErrors, ...other.pageErrors], []);
  await other.context.close();
});

/**
 * Returns the server's answer to a `hello` with a token.
 * @param {string | null} token
 * @returns {Promise<any>}
 */
function hello(token) {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/v1/ws`, ["adamant.v1.json"]);
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("open", () => socket.send(JSON.stringify({ type: "hello", id: "1", proto: [1], auth: { token } })));
    socket.once("message", (data) => {
      resolve(JSON.parse(String(data)));
      socket.close();
    });
  });
}

test("an account is closed with its password", async () => {
  const { page, context, pageErrors } = await visit(browser, `${server.url}/account`);
  await send(page, "Sign up", "Leaver", "long enough");
  await page.getByRole("button", { name: "I have kept it" }).click();
  await page.goto(`${server.url}/account`);
  await page.locator("summary", { hasText: "Close this account" }).click();
  const form = page.locator("details").filter({ hasText: "Close this account" });
  const close = form.getByRole("button", { name: "Close this account" });
  await form.locator("[name=password]").fill("long enough");
  await close.click();
  await form.getByText("Please tick that you are sure.").waitFor();
  await form.getByLabel("I want to close it for good.").check();
  await form.locator("[name=password]").fill("a wrong one");
  await close.click();
  await form.getByText("Wrong name or password.").waitFor();
  await form.locator("[name=password]").fill("long enough");
  await close.click();
  await page.getByText("The account Leaver is closed.").waitFor();
  await page.locator(".me", { hasText: "Leaver" }).waitFor({ state: "detached" });
  await page.goto(`${server.url}/account`);
  const answer = await send(page, "Log in", "Leaver", "long enough");
  await answer.filter({ hasText: "Wrong name or password." }).waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("logging out as a guest warns about lost games and revokes the token", async () => {
  const { page, context, pageErrors } = await visit(browser);
  const guest = await playAsGuest(page);
  const token = await page.evaluate(() => localStorage.getItem("adamant.token"));
  assert.equal((await hello(token)).type, "welcome");
  /** @type {string[]} */
  const asked = [];
  page.once("dialog", (dialog) => {
    asked.push(dialog.message());
    dialog.accept();
  });
  await page.getByRole("button", { name: "Log out" }).click();
  await page.locator(".me", { hasText: "Log in" }).waitFor();
  assert.match(asked.join(), /cannot come back under this name, and your unfinished games are lost/);
  assert.equal(await page.evaluate(() => localStorage.getItem("adamant.token")), null);
  assert.equal((await hello(token)).code, "unauthorized", guest);
  assert.deepEqual(pageErrors, []);
  await context.close();
});
