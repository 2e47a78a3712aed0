// The page as a whole: how light it is, what it lets happen, and what it does when the server goes away.

import assert from "node:assert/strict";
import { test } from "node:test";
import { awaitTurn, seededRandom, setUp, visit } from "./harness.js";

/** @import {Page} from "playwright-core" */

/** What a first visit may transfer, in bytes. */
const FIRST_LOAD_MAX = 150_000;

const { server, browser } = await setUp();

test("a first visit is light, and a second one asks only for the document", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await page.locator("[data-rules]").first().waitFor();
  const weigh = () =>
    page.evaluate(() => {
      const loaded = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
      return loaded.map((entry) => ({
        name: entry.name,
        bytes: /** @type {PerformanceResourceTiming} */ (entry).transferSize,
      }));
    });
  const first = await weigh();
  const bytes = first.reduce((sum, entry) => sum + entry.bytes, 0);
  assert.ok(first.length > 10 && bytes > 10_000 && bytes < FIRST_LOAD_MAX, `${bytes} bytes`);
  await page.reload();
  await page.locator("[data-rules]").first().waitFor();
  const again = (await weigh()).filter((entry) => entry.bytes > 0 && entry.name !== page.url());
  assert.deepEqual(again, []);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("nothing inline and nothing from elsewhere runs", async () => {
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

test("two visitors meet over the lobby and see each other's moves", async () => {
  const ann = await visit(browser, server.url);
  await ann.page.locator("[name=against]").selectOption("anyone");
  await ann.page.locator("[name=rules]").selectOption("stymie");
  await ann.page.locator("[name=size]").fill("3");
  await ann.page.locator("[name=seat]").selectOption("0");
  await ann.page.getByRole("button", { name: "Start" }).click();
  const bob = await visit(browser, server.url);
  await bob.page.getByRole("button", { name: "Join", exact: true }).click();
  await ann.page.locator(".status.my-turn").waitFor();
  await bob.page.locator(".status:not(.my-turn)").waitFor();
  await ann.page.locator('.cell[data-cell="c3"]').click();
  await ann.page.locator("button.play:enabled").click();
  await bob.page.locator(".status.my-turn").waitFor();
  await bob.page.locator('.pieces [data-cell="c3"]').waitFor({ state: "attached" });
  assert.match(await bob.page.title(), /^● Your move/);
  await bob.page.getByLabel("Move in notation").fill("c3");
  await bob.page.keyboard.press("Enter");
  await bob.page.locator(".move-form .error:not(:empty)").waitFor();
  await bob.page.getByRole("button", { name: "Resign" }).click();
  await bob.page.getByRole("button", { name: "Yes" }).click();
  await ann.page.locator('[data-over="true"]').waitFor();
  const played = ann.page.url();
  await bob.page.getByRole("button", { name: "Play again" }).click();
  await ann.page.getByText("would like to play again").waitFor();
  await ann.page.getByRole("button", { name: "Play again" }).click();
  await ann.page.waitForURL((url) => url.href !== played);
  await bob.page.waitForURL(ann.page.url());
  assert.deepEqual([...ann.pageErrors, ...bob.pageErrors], []);
  await ann.context.close();
  await bob.context.close();
});

/**
 * Goes on with the Tab key to the first thing that fits.
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
 * The cell that the keyboard is at, and whether anything stands there.
 * @param {Page} page
 */
function focused(page) {
  return page.evaluate(() => {
    const name = document.activeElement?.getAttribute("data-cell") ?? "";
    return { name, free: document.querySelector(`.pieces [data-cell="${name}"]`) === null };
  });
}

test("a whole game can be set up and played to its end by keyboard alone", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  // The list of games is there before it is chosen from.
  await page.locator("[name=rules] option[value=stymie]").waitFor({ state: "attached" });
  await reach(page, "[name=rules]");
  await page.keyboard.type("St");
  await reach(page, "[name=size]");
  await page.keyboard.type("5");
  await reach(page, "[name=seat]");
  await page.keyboard.type("first");
  await reach(page, ".new-game button[type=submit]");
  await page.keyboard.press("Enter");
  await page.locator(".status.my-turn").waitFor();
  assert.match((await page.locator(".game-page .about").first().textContent()) ?? "", /Stymie.*size 5/);
  await reach(page, ".cell");
  const [random, seen] = [seededRandom(3), new Set()];
  const keys = ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"];
  let moves = 0;
  for (; (await awaitTurn(page)) === "move"; moves += 1) {
    // Wherever the house has moved meanwhile, one goes on from where one was.
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
  // A chain across takes five octagons, of which a move has two at the most; there is no other end.
  assert.ok(moves >= 3 && seen.size >= 3, `${moves} moves, over ${[...seen].join()}`);
  assert.match((await page.locator(".status").textContent()) ?? "", /wins: two edges connected\.$/);
  const played = page.url();
  await reach(page, ".controls button");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.href !== played);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("a game can be given up by keyboard, and not by one key held down", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await reach(page, "[data-rules=stymie]");
  await page.keyboard.press("Enter");
  await page.locator(".status.my-turn").waitFor();
  await reach(page, ".cell");
  assert.equal((await focused(page)).name, "a1");
  await page.keyboard.press("ArrowRight");
  assert.equal((await focused(page)).name, "c1");
  await reach(page, ".controls .buttons button:last-child");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.locator(".confirm").waitFor({ state: "detached" });
  await reach(page, ".controls .buttons button:last-child");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.locator('[data-over="true"]').waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});
