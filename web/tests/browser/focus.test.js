// The keyboard's focus: it always stays on a visible element.

import assert from "node:assert/strict";
import { browser, long, server, setUp, typeMove, visit } from "./harness.js";
import { tabTo } from "./keyboard.js";
import { playAgainstBots } from "./seated.js";

/** @import {Page} from "playwright-core" */

setUp();

/**
 * Records every frame in which no element has the focus.
 * @param {Page} page
 */
async function noteFalls(page) {
  await page.evaluate(() => {
    /** @type {string[]} */
    const falls = [];
    Object.assign(window, { falls });
    let last = "";
    const look = () => {
      const { activeElement } = document;
      if (activeElement === document.body) falls.push(`after ${last}`);
      else last = `${activeElement?.tagName} ${activeElement?.textContent?.slice(0, 30)}`;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

/** @param {Page} page */
function falls(page) {
  return page.evaluate(() => [...new Set(/** @type {any} */ (window).falls)]);
}

/** Returns the focused element. @param {Page} page */
function held(page) {
  return page.evaluate(() => {
    const { activeElement: element } = document;
    return `${element?.tagName.toLowerCase()} ${element?.getAttribute("name") ?? element?.getAttribute("class") ?? ""}`.trim();
  });
}

long("the dialog for a new game works by keyboard and keeps the focus", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await page.locator("[data-person=adamas]").focus();
  await page.keyboard.press("Enter");
  await page.locator("dialog[open]").waitFor();
  assert.equal(await held(page), "input rules");
  await page.locator(".options [name=pieces]").waitFor({ state: "attached" });
  for (const [name, keys] of Object.entries({
    rules: ["ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp"],
    against: ["ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown"],
    time: ["ArrowDown", "ArrowDown", "ArrowDown"],
  })) {
    await page.locator(`[name=${name}]:checked`).focus();
    for (const key of keys) {
      await page.keyboard.press(key);
      assert.equal(await held(page), `input ${name}`, `${name} after ${key}`);
    }
  }
  await page.locator("summary").focus();
  await page.keyboard.press("Enter");
  for (const [name, keys] of Object.entries({
    mode: ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"],
    players: ["ArrowDown", "ArrowUp"],
    seat: ["ArrowDown"],
    size: ["ArrowDown"],
    delay: ["ArrowDown"],
  })) {
    await page.locator(`dialog select[name=${name}]`).focus();
    for (const key of keys) {
      await page.keyboard.press(key);
      assert.equal(await held(page), `select ${name}`, `${name} after ${key}`);
    }
  }
  await page.keyboard.press("Escape");
  await page.locator("dialog.set-up[open]").waitFor({ state: "detached" });
  assert.equal(await held(page), "button quiet");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("each view focuses its content, has one heading and is announced", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await page.locator(".skip").waitFor({ state: "attached" });
  await page.keyboard.press("Tab");
  assert.equal(await held(page), "a skip");
  await page.keyboard.press("Enter");
  assert.equal(await held(page), "main");
  await noteFalls(page);
  for (const [link, title] of [["Rules", "Rules: Adamas"], ["Standings", "Standings: Adamas"], ["Log in", "Account"], ["Adamant", "Play"]]) {
    await page.locator(".top").getByRole("link", { name: link, exact: true }).focus();
    await page.keyboard.press("Enter");
    assert.equal(await held(page), "main");
    await page.locator(".visually-hidden[role=status]", { hasText: title }).waitFor({ state: "attached" });
    assert.equal(await page.title(), `${title} · Adamant`);
    assert.equal(await page.locator("h1").count(), 1);
  }
  await page.locator("[data-rules=diam]").focus();
  await page.keyboard.press("Enter");
  await page.locator(".status.my-turn").waitFor();
  assert.equal(await held(page), "main");
  assert.match((await page.locator("h1").textContent()) ?? "", /^Diam: .+ – Computer \(level 2\)$/);
  await page.goBack();
  await page.locator("[data-rules=diam]").waitFor();
  assert.equal(await held(page), "main");
  assert.deepEqual(await falls(page), []);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("typing moves and browsing positions keep the focus", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await page.locator("[data-rules=stymie]").click();
  await page.locator(".status.my-turn").waitFor();
  await page.locator("button.keys").focus();
  await page.keyboard.press("Enter");
  await noteFalls(page);
  for (const [index, move] of ["a1", "c 15", "o1 "].entries()) {
    await page.keyboard.type(move);
    await page.keyboard.press("Enter");
    await page.locator(`[data-ply="${index * 2 + 2}"]`).waitFor({ state: "attached" });
    await page.locator(".status.my-turn").waitFor();
    await page.waitForFunction(() => document.activeElement?.matches(".notation input"));
  }
  await page.getByRole("button", { name: "One move back" }).focus();
  for (let ply = 5; ply >= 0; ply -= 1) {
    await page.keyboard.press("Enter");
    await page.getByText(ply === 0 ? "Start position." : `Move ${ply} of 6.`).waitFor();
  }
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("type")), "range");
  await page.getByRole("button", { name: "Current position" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Resign" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.locator('[data-over="true"]').waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === "Rematch");
  assert.deepEqual(await falls(page), []);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("the keyboard begins at a piece of one's own, and hears where no move begins", async () => {
  const { page, close, pageErrors } = await playAgainstBots(browser, server, { rules: "adamas" });
  await page.locator(".status.my-turn").waitFor();
  const cell = page.locator(".board-area .cells [tabindex='0']");
  await tabTo(page, page.locator(".board-area adamant-board"));
  assert.match((await cell.getAttribute("aria-label")) ?? "", /, your (piece|stack)/);
  const other = await page.locator(".pieces .seat1").first().evaluate((piece) => piece.closest("[data-cell]")?.getAttribute("data-cell") ?? "");
  await page.locator(`.board-area .cells [data-cell="${other}"]`).focus();
  await page.keyboard.press(" ");
  await page.locator(".action-bar [role=alert]", { hasText: `No move begins at ${other}.` }).waitFor();
  // A window as low as many laptops have: the short remark leaves room for whose turn it is.
  await page.setViewportSize({ width: 1366, height: 768 });
  assert.ok(((await page.locator(".status.my-turn").boundingBox())?.height ?? 0) > 10);
  assert.deepEqual(pageErrors, []);
  await close();
});

long("what a phone's menu opens gives the focus back, and resigning moves it to the result", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url, { viewport: { width: 390, height: 844 } });
  await page.locator("[data-rules=stymie]").click();
  await page.locator(".status.my-turn").waitFor();
  await typeMove(page, "a1");
  await page.locator('[data-ply="2"]').waitFor({ state: "attached" });
  const menu = page.getByRole("button", { name: "More actions" });
  for (const [choice, sheet] of [["Settings", "Settings"], ["Keys", "Keys"]]) {
    await menu.focus();
    await page.keyboard.press("Enter");
    await page.locator(".game-menu").getByRole("button", { name: choice }).press("Enter");
    await page.locator("dialog[open]", { hasText: sheet }).waitFor();
    await page.keyboard.press("Escape");
    assert.match(await held(page), /open-menu/, choice);
  }
  await page.keyboard.press("Enter");
  await page.locator(".game-menu").getByRole("button", { name: "Resign" }).press("Enter");
  await page.getByRole("button", { name: "Yes" }).press("Enter");
  await page.waitForFunction(() => document.activeElement?.textContent === "Rematch");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("arriving spectators do not move the focus", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await page.locator("[data-rules=hexma]").click();
  await page.locator(".status.my-turn").waitFor();
  await page.locator(".seat .user").last().focus();
  await noteFalls(page);
  const eve = await visit(browser, page.url());
  await page.getByText("1 spectator").waitFor();
  await eve.context.close();
  await page.getByText("1 spectator").waitFor({ state: "detached" });
  assert.equal(await held(page), "a user");
  assert.deepEqual(await falls(page), []);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a reconnect keeps the focus and the input", async () => {
  const { page, context } = await visit(browser, server.url);
  await page.locator("[data-person=hexma]").click();
  await page.locator("dialog [name=time][value=custom]").check();
  await page.locator("summary").click();
  await page.locator("[name=players]").selectOption("3");
  await page.locator("[name=base_ms]").fill("7.5");
  await page.locator("[name=delay]").selectOption("2");
  await page.locator("[name=base_ms]").focus();
  await noteFalls(page);
  const restarted = async () => {
    // The page requests what it shows after the welcome.
    const loaded = new Promise((resolve) => {
      page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => /"(catalogue|pong)"/.test(String(payload)) && resolve(undefined)));
    });
    await server.killAndStart();
    await loaded;
    await page.locator(".banner").waitFor({ state: "hidden" });
  };
  await restarted();
  assert.equal(await held(page), "input base_ms");
  for (const [name, value] of Object.entries({ players: "3", mode: "fischer", base_ms: "7.5", delay: "2" })) {
    assert.equal(await page.locator(`dialog [name=${name}]`).inputValue(), value, name);
  }
  for (const chosen of ["[name=rules][value=hexma]", "[name=against][value=person]", "[name=time][value=custom]"]) {
    assert.ok(await page.locator(`dialog ${chosen}`).isChecked(), chosen);
  }
  await page.goto(`${server.url}/account`);
  const form = page.locator("form", { hasText: "Sign up" });
  await form.locator("[name=user]").fill("Peter");
  await form.locator("[name=password]").fill("a long password");
  await restarted();
  assert.equal(await form.locator("[name=user]").inputValue(), "Peter");
  assert.equal(await form.locator("[name=password]").inputValue(), "a long password");
  assert.equal(await held(page), "input password");
  await context.close();
});
