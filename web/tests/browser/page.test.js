// The page as a whole: its size, its content security policy, the lobby, and play by keyboard.

import assert from "node:assert/strict";
import { awaitTurn, browser, seededRandom, server, setUp, test, typeMove, visit } from "./harness.js";
import { joinGame, seekGame } from "./lobby.js";

/** @import {Page} from "playwright-core" */

setUp();

test("the browser runs no inline script and nothing from other origins", async () => {
  const { page, context } = await visit(browser, server.url);
  await page.locator("[data-rules]").first().waitFor();
  const refused = await page.evaluate(async () => {
    const script = document.createElement("script");
    /** @type {string[]} */
    const reasons = [];
    document.addEventListener("securitypolicyviolation", (event) => reasons.push(event.effectiveDirective));
    try {
      script.textContent = "window.ran = true";
    } catch {
      reasons.push("trusted types");
    }
    document.body.append(script);
    await fetch("https://elsewhere.example/").catch(() => reasons.push("fetch"));
    return { ran: "ran" in window, reasons };
  });
  assert.equal(refused.ran, false);
  assert.ok(refused.reasons.includes("trusted types") && refused.reasons.includes("fetch"), refused.reasons.join());
  await context.close();
});

test("without scripts the document says that it needs them, and no more", async () => {
  const { page, context } = await visit(browser, server.url, { javaScriptEnabled: false });
  await page.locator("noscript").waitFor();
  assert.equal(await page.locator(".late").boundingBox(), null);
  await context.close();
});

test("two users meet in the lobby and see each other's moves", async () => {
  const ann = await visit(browser, server.url);
  await seekGame(ann.page, { rules: "stymie", seat: "0", options: { size: "3" } });
  const bob = await visit(browser, server.url);
  await joinGame(bob.page);
  await bob.page.waitForURL(/\/game\//);
  await ann.page.locator(".status.my-turn").waitFor();
  await bob.page.locator(".status:not(.my-turn)").waitFor();
  await ann.page.locator('.cell[data-cell="c3"]').click();
  await ann.page.locator("button.play:enabled").click();
  await bob.page.locator(".status.my-turn").waitFor();
  await bob.page.locator('.pieces [data-cell="c3"]').waitFor({ state: "attached" });
  assert.match(await bob.page.title(), /^● Your move/);
  await typeMove(bob.page, "c3");
  await bob.page.locator(".move-form .error:not(:empty)").waitFor();
  // Before everybody has moved a game is aborted, not resigned.
  assert.equal(await bob.page.getByRole("button", { name: "Resign" }).count(), 0);
  await bob.page.getByRole("button", { name: "Abort" }).waitFor();
  await typeMove(bob.page, "e5");
  await ann.page.locator(".status.my-turn").waitFor();
  await bob.page.getByRole("button", { name: "Resign" }).click();
  await bob.page.getByRole("button", { name: "Yes" }).click();
  await ann.page.locator('[data-over="true"]').waitFor();
  const played = ann.page.url();
  await bob.page.getByRole("button", { name: "Rematch" }).click();
  await ann.page.getByText("would like to play again").waitFor();
  await ann.page.getByRole("button", { name: "Rematch" }).click();
  await ann.page.waitForURL((url) => url.href !== played);
  await bob.page.waitForURL(ann.page.url());
  assert.deepEqual([...ann.pageErrors, ...bob.pageErrors], []);
  await ann.context.close();
  await bob.context.close();
});

/**
 * Presses Tab until an element matches.
 * @param {Page} page
 * @param {string} wanted
 */
async function reach(page, wanted) {
  await page.locator(wanted).first().waitFor();
  while (!(await page.evaluate((selector) => document.activeElement?.matches(selector), wanted))) {
    await page.keyboard.press("Tab");
  }
}

/**
 * Returns the focused cell, and whether it has pieces.
 * @param {Page} page
 */
function focused(page) {
  return page.evaluate(() => {
    const name = document.activeElement?.getAttribute("data-cell") ?? "";
    return { name, free: document.querySelector(`.pieces [data-cell="${name}"]`) === null };
  });
}

test("a whole game can be started and played by keyboard", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await reach(page, "[data-person=stymie]");
  await page.keyboard.press("Enter");
  await reach(page, "[name=against]");
  await page.keyboard.press("ArrowLeft");
  await reach(page, "summary");
  await page.keyboard.press("Enter");
  // The options come with the list of games.
  await page.locator(".options [name=size]").waitFor();
  await reach(page, "[name=seat]");
  await page.keyboard.type("first");
  await reach(page, "[name=size]");
  await page.keyboard.type("5");
  await reach(page, ".set-up button[type=submit]");
  await page.keyboard.press("Enter");
  await page.locator(".status.my-turn").waitFor();
  assert.match((await page.locator(".rules-panel .about").textContent()) ?? "", /(board of|size) 5/);
  await reach(page, ".cell");
  const [random, seen] = [seededRandom(3), new Set()];
  const keys = ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"];
  let moves = 0;
  for (; (await awaitTurn(page)) === "move"; moves += 1) {
    // The focus stays where it was when the house moves.
    for (;;) {
      const { name, free } = await focused(page);
      seen.add(name);
      if (free) break;
      await page.keyboard.press(keys[random(keys.length)] ?? "");
    }
    const ply = await page.locator("[data-ply]").count();
    await page.keyboard.press("Space");
    await page.locator("button.play:enabled").waitFor();
    await page.keyboard.press("Enter");
    await page.locator(`[data-ply="${ply + 1}"]`).waitFor({ state: "attached" });
  }
  // A winning chain takes five octagons, at most two in a move. There is no other end.
  assert.ok(moves >= 3 && seen.size >= 3, `${moves} moves, over ${[...seen].join()}`);
  assert.match((await page.locator(".status").textContent()) ?? "", /won by joining both edges\.$/);
  const played = page.url();
  await reach(page, ".result-card .again");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.href !== played);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("a player resigns by keyboard, but not with one key held down", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await reach(page, "[data-rules=stymie]");
  await page.keyboard.press("Enter");
  await page.locator(".status.my-turn").waitFor();
  await reach(page, ".cell");
  assert.equal((await focused(page)).name, "a1");
  await page.keyboard.press("ArrowRight");
  assert.equal((await focused(page)).name, "c1");
  await reach(page, ".controls > button:last-child");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.locator(".confirm").waitFor({ state: "detached" });
  await reach(page, ".controls > button:last-child");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.locator('[data-over="true"]').waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});
