// The page as a whole: how light it is, what it lets happen, and what it does when the server goes away.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser, startServer, visit } from "./harness.js";

/** What a first visit may transfer, in bytes. */
const FIRST_LOAD_MAX = 150_000;

/** @type {import("./harness.js").Server} */
let server;
/** @type {import("playwright-core").Browser} */
let browser;

before(async () => {
  [server, browser] = await Promise.all([startServer(), startBrowser()]);
});

after(async () => {
  await browser.close();
  await server.stop();
});

test("a first visit is light, and a second one asks only for the document", async () => {
  const { page, context, complaints } = await visit(browser, server.url);
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
  assert.deepEqual(complaints, []);
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
  await ann.page.locator(".status.mine").waitFor();
  await bob.page.locator(".status:not(.mine)").waitFor();
  await ann.page.locator('.cell[data-cell="c3"]').click();
  await ann.page.locator("button.play:enabled").click();
  await bob.page.locator(".status.mine").waitFor();
  await bob.page.locator('.pieces [data-cell="c3"]').waitFor({ state: "attached" });
  assert.match(await bob.page.title(), /^● Your move/);
  await bob.page.getByLabel("Move in notation").fill("c3");
  await bob.page.keyboard.press("Enter");
  await bob.page.locator(".make .complaint:not(:empty)").waitFor();
  await bob.page.getByRole("button", { name: "Resign" }).click();
  await bob.page.getByRole("button", { name: "Yes" }).click();
  await ann.page.locator('[data-over="true"]').waitFor();
  const played = ann.page.url();
  await bob.page.getByRole("button", { name: "Play again" }).click();
  await ann.page.getByText("would like to play again").waitFor();
  await ann.page.getByRole("button", { name: "Play again" }).click();
  await ann.page.waitForURL((url) => url.href !== played);
  await bob.page.waitForURL(ann.page.url());
  assert.deepEqual([...ann.complaints, ...bob.complaints], []);
  await ann.context.close();
  await bob.context.close();
});

test("a board can be played by keyboard alone", async () => {
  const { page, context } = await visit(browser, server.url);
  await page.locator("[data-rules=stymie]").click();
  await page.locator(".status.mine").waitFor();
  await page.locator(".cell[tabindex='0']").focus();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-cell"));
  assert.equal(await focused(), "a1");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), "c1");
  await page.keyboard.press("Space");
  await page.locator("button.play:enabled").waitFor();
  await page.keyboard.press("Enter");
  await page.locator('[data-ply="1"]').waitFor({ state: "attached" });
  await context.close();
});
