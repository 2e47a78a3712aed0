// The server's errors: a shown game stays.

import assert from "node:assert/strict";
import { browser, long, server, setUp, test, typeMove, visit } from "./harness.js";

/** @import {Page} from "playwright-core" */

setUp({ limited: true });

/** Moves that are typed as fast as the page accepts them. */
const TYPED = 24;

/**
 * Types a move to a free cell.
 * @param {Page} page
 */
async function moveAnywhere(page) {
  await page.locator(".status.my-turn").waitFor();
  const free = await page.evaluate(() => {
    const taken = new Set([...document.querySelectorAll(".pieces [data-cell]")].map((each) => each.getAttribute("data-cell")));
    const cells = [...document.querySelectorAll(".board-area .cell.octagon")].map((each) => each.getAttribute("data-cell") ?? "");
    return cells.find((cell) => !taken.has(cell)) ?? "";
  });
  const ply = await page.locator("[data-ply]").count();
  await typeMove(page, free);
  await page.locator(`[data-ply="${ply + 1}"]`).waitFor({ state: "attached" });
}

long("fast typing stays within the default rate limits", async () => {
  const { page, context, pageErrors } = await visit(browser);
  /** @type {string[]} */
  const errors = [];
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (String(payload).startsWith('{"type":"error"')) errors.push(String(payload));
    }),
  );
  await page.goto(server.url);
  await page.locator("[data-rules=stymie]").click();
  for (let moves = 0; moves < TYPED; moves += 1) {
    await moveAnywhere(page);
    if ((await page.locator('[data-over="true"]').count()) > 0) break;
  }
  assert.equal(await page.locator(".board-area adamant-board").count(), 1);
  assert.deepEqual(errors, []);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a refused request keeps the game on the page and is sent again", async () => {
  const { page, context, pageErrors } = await visit(browser);
  let refuse = false;
  let refused = 0;
  await page.routeWebSocket(/v1\/ws/, (socket) => {
    const there = socket.connectToServer();
    socket.onMessage((frame) => {
      const request = JSON.parse(String(frame));
      if (!refuse || request.type !== "watch") return there.send(frame);
      refused += 1;
      const failed = { type: "error", re: request.id, code: "rate_limited", message: "too many messages: at most 40 at once and 10 a second" };
      return socket.send(JSON.stringify({ ...failed, retry: "after", retry_after_ms: 6_000, limit: "messages" }));
    });
  });
  await page.goto(server.url);
  await page.locator("[data-rules=stymie]").click();
  await moveAnywhere(page);
  await page.locator(".status.my-turn").waitFor();
  refuse = true;
  await typeMove(page, "e5");
  await page.locator(".toast:not(:empty)").waitFor();
  assert.equal(await page.locator(".toast").textContent(), "That was a little fast. Try again in 6 seconds.");
  assert.equal(await page.locator(".board-area adamant-board").count(), 1);
  refuse = false;
  await page.locator('[data-ply="3"]').waitFor({ state: "attached" });
  assert.ok(refused > 0);
  await moveAnywhere(page);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("chat lines that were refused for their speed wait in their order, and are sent again", async () => {
  const { page, context, pageErrors } = await visit(browser);
  let refuse = true;
  await page.routeWebSocket(/v1\/ws/, (socket) => {
    const there = socket.connectToServer();
    let said = 0;
    socket.onMessage((frame) => {
      const request = JSON.parse(String(frame));
      if (request.type === "say") said += 1;
      if (!refuse || request.type !== "say" || said === 1) return there.send(frame);
      const failed = { type: "error", re: request.id, code: "rate_limited", message: "too many lines" };
      return socket.send(JSON.stringify({ ...failed, retry: "never", retry_after_ms: 6_000, limit: "lines" }));
    });
  });
  await page.goto(server.url);
  await page.locator("[data-rules=stymie]").click();
  await page.getByRole("tab", { name: "Chat" }).click();
  const field = page.getByPlaceholder("Say something");
  for (const line of ["one", "two", "three"]) {
    await field.fill(line);
    await field.press("Enter");
  }
  const unsent = page.locator(".unsent li");
  await unsent.nth(1).waitFor();
  assert.deepEqual(await unsent.allTextContents(), ["two", "three"]);
  await page.getByText("You are writing faster than the others can read. Try again in 6 seconds.").waitFor();
  refuse = false;
  await page.getByRole("button", { name: "Send again" }).click();
  await page.locator(".lines li").nth(2).waitFor();
  assert.deepEqual(await page.locator(".lines .text").allTextContents(), ["one", "two", "three"]);
  assert.equal(await unsent.count(), 0);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a chat line that is written without a connection stays in view until it is sent", async () => {
  const { page, context, pageErrors } = await visit(browser);
  let away = false;
  let cut = () => {};
  await page.routeWebSocket(/v1\/ws/, (socket) => {
    if (away) return void socket.close();
    const there = socket.connectToServer();
    cut = () => void Promise.all([socket.close(), there.close()]);
    return undefined;
  });
  await page.goto(server.url);
  await page.locator("[data-rules=stymie]").click();
  await page.getByRole("tab", { name: "Chat" }).click();
  away = true;
  cut();
  await page.locator(".banner:visible").waitFor();
  const field = page.getByPlaceholder("Say something");
  for (const line of ["one", "two"]) {
    await field.fill(line);
    await field.press("Enter");
  }
  const unsent = page.locator(".unsent li");
  await page.locator(".unsent [role=status]", { hasText: "Sent as soon as the server can be reached:" }).waitFor();
  assert.deepEqual(await unsent.allTextContents(), ["one", "two"]);
  assert.equal(await page.locator("[role=status] button").count(), 0, "what is announced has no buttons");
  away = false;
  await page.locator(".lines li").nth(1).waitFor();
  assert.deepEqual(await page.locator(".lines .text").allTextContents(), ["one", "two"]);
  await unsent.first().waitFor({ state: "detached" });
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a view that loads when the server has ended the connection says who must act", async () => {
  const { page, context } = await visit(browser);
  await page.routeWebSocket(/v1\/ws/, (socket) => void socket.close({ code: 4001, reason: "out of service" }));
  await page.goto(`${server.url}/standings`);
  await page.getByText("This appears when you connect again.").waitFor();
  await page.getByRole("button", { name: "Connect again" }).waitFor();
  await context.close();
});

test("without storage the page works for this visit, and says so", async () => {
  const { page, context, pageErrors } = await visit(browser);
  await page.addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(globalThis, name, { get: () => { throw new DOMException("denied", "SecurityError"); } });
  });
  await page.goto(server.url);
  await page.locator(".trouble", { hasText: "This browser stores nothing" }).getByRole("button").click();
  await page.locator("[data-rules=stymie]").click();
  await moveAnywhere(page);
  assert.equal(await page.locator(".trouble").count(), 0, "it is said once");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("a part that fails to load is loaded again, and an error of the page is shown", async () => {
  const { page, context } = await visit(browser, server.url, { serviceWorkers: "block" });
  await page.locator("[data-rules]").first().waitFor();
  let failures = 0;
  await page.route(/standings/, (route) => (route.request().resourceType() === "script" && failures++ === 0 ? route.abort() : route.continue()));
  await page.evaluate(() => /** @type {HTMLElement | null} */ (document.querySelector("nav a[href='/standings']"))?.click());
  await page.getByText("This part of the page could not be loaded.").waitFor();
  await page.getByText("This part of the page could not be loaded.").waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Standings" }).waitFor();
  await page.evaluate(() => void Promise.reject(new Error("out of order")));
  await page.locator(".trouble", { hasText: "out of order" }).getByRole("button", { name: "Load the page again" }).waitFor();
  await context.close();
});
