// Wrong addresses, and views that load slowly.

import assert from "node:assert/strict";
import { browser, long, server, setUp, visit } from "./harness.js";

setUp();

/** Addresses where there is nothing, with the text that says so. */
const NOWHERE = [
  ["/foo", 404, "There is nothing at this address."],
  ["/RULES", 404, "There is nothing at this address."],
  ["/rules/diam/more", 404, "There is nothing at this address."],
  ["/rules/foo", 200, "There is no such game here."],
  ["/live/foo", 200, "There is no such game here."],
  ["/stats/foo", 200, "There is no such game here."],
  ["/standings/foo", 200, "There is no such game here."],
  ["/game/xxxxxxxx", 200, "There is no such game."],
  ["/game/xxxxxxxxxxxxxxxxxxxxxx", 200, "There is nothing at this address."],
  ["/game/%E0%A4%A", 200, "There is nothing at this address."],
  ["/user/not-here", 200, "There is no player called not-here."],
  ["/user/%3Cimg%20src=x%3E", 200, "There is nothing at this address."],
];

long("unknown addresses show a message and a link to the front page", async () => {
  const { page, context, pageErrors } = await visit(browser);
  for (const [path, status, text] of NOWHERE) {
    const response = await page.goto(`${server.url}${path}`);
    assert.equal(response?.status(), status, String(path));
    await page.locator(".not-found").waitFor();
    assert.ok((await page.locator(".not-found").textContent())?.includes(String(text)), String(path));
    assert.equal(await page.title(), "Not found · Adamant");
  }
  await page.getByRole("link", { name: "Go to the front page" }).click();
  await page.locator("[data-rules=adamas]").waitFor();
  // The browser itself reports the 404.
  assert.deepEqual(pageErrors.filter((each) => !each.includes("404 (Not Found)")), []);
  await context.close();
});

long("unknown addresses of the API return JSON", async () => {
  const response = await fetch(`${server.url}/foo`);
  assert.equal(response.status, 404);
  assert.equal((await response.json()).code, "not_found");
});

long("a trailing slash shows the same view", async () => {
  const { page, context, pageErrors } = await visit(browser);
  for (const [path, sign] of [["/rules/", "Adamas"], ["/rules/diam/", "Diam"], ["/live/", "Watch"], ["/account/", "Account"], ["/user/house/", "Computer"]]) {
    const response = await page.goto(`${server.url}${path}`);
    assert.equal(response?.status(), 200, path);
    await page.locator("h1", { hasText: sign }).waitFor();
    assert.equal(new URL(page.url()).pathname, path?.replace(/\/$/, ""));
  }
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a view waits for an absent server and loads when it returns", async () => {
  const { page, context } = await visit(browser, server.url);
  await page.locator("[data-rules=adamas]").click();
  await page.locator(".status.my-turn").waitFor();
  const game = new URL(page.url()).pathname;
  // The document loads, but the connection fails.
  let away = true;
  await page.routeWebSocket(/v1\/ws/, (socket) => {
    if (away) socket.close({ code: 1013 });
    else socket.connectToServer();
  });
  for (const path of [game, "/rules/diam", "/standings", "/live", "/user/house", "/"]) {
    away = true;
    await page.goto(`${server.url}${path}`);
    await page.getByText("Loading …").first().waitFor();
    away = false;
    await page.getByText("Loading …").first().waitFor({ state: "detached" });
    await page.locator("main h1").waitFor({ state: "attached" });
  }
  await context.close();
});
