// What leaves the page: games within other pages, pictures, and previews of links.

import assert from "node:assert/strict";
import http from "node:http";
import { startGame, startPair } from "./bots.js";
import { browser, seededRandom, server, setUp, test, visit } from "./harness.js";

/** @import {AddressInfo} from "node:net" */
/** @import {BotPair} from "./bots.js" */

/** @type {BotPair} */
let pair;

setUp({
  ready: async () => {
    pair = await startPair(server.url);
    return () => pair.forEach((bot) => bot.close());
  },
});

const random = seededRandom(7);

/**
 * Serves a page of another origin.
 * @param {string} body
 */
async function otherPage(body) {
  const other = http.createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>Elsewhere</title><body style="background: rgb(255, 0, 0)">${body}`);
  });
  await new Promise((resolve) => other.listen(0, "127.0.0.1", () => resolve(undefined)));
  other.unref();
  return `http://localhost:${/** @type {AddressInfo} */ (other.address()).port}/`;
}

test("another page frames a game, which follows its moves and acts for nobody", async () => {
  const match = await startGame(pair, { rules: "stymie" });
  const frame = `<iframe src="${server.url}/embed/game/${match.game}?transparent" width="480" height="600"></iframe>`;
  const { page, context, pageErrors } = await visit(browser, await otherPage(frame));
  const embedded = page.frameLocator("iframe");
  await embedded.locator(".cell").first().waitFor();
  await match.step(random);
  await embedded.locator(".pieces [data-cell]").first().waitFor({ state: "attached" });
  assert.equal(await embedded.locator("button, input").count(), 0);
  assert.equal(await embedded.locator("a").getAttribute("target"), "_blank");
  const background = await embedded.locator("html").evaluate((element) => getComputedStyle(element).backgroundColor);
  assert.equal(background, "rgba(0, 0, 0, 0)");
  assert.deepEqual(pageErrors, []);
  await context.close();
  await match.resign();
});

test("the page itself cannot be framed", async () => {
  const { page, context } = await visit(browser, await otherPage(`<iframe src="${server.url}/"></iframe>`));
  await page.locator("iframe").waitFor();
  const frame = page.frames()[1];
  assert.equal(await frame?.locator("main").count(), 0);
  await context.close();
});

test("another page shows a picture of a board", async () => {
  const match = await startGame(pair, { rules: "diam" });
  await match.step(random);
  const pictures = ["svg", "png"].map((kind) => `<img src="${server.url}/game/${match.game}/board.${kind}?ply=1&size=200">`);
  const { page, context } = await visit(browser, await otherPage(pictures.join("")));
  await page.waitForFunction(() => [...document.images].length === 2 && [...document.images].every((image) => image.complete));
  assert.deepEqual(await page.evaluate(() => [...document.images].map((image) => image.naturalWidth)), [200, 200]);
  await context.close();
  await match.resign();
});

test("a link to a game has a title, a sentence and a picture for previews", async () => {
  const match = await startGame(pair, { rules: "hexma" });
  await match.step(random);
  await match.resign();
  const { page, context } = await visit(browser, `${server.url}/game/${match.game}`);
  /** @param {string} name */
  const meta = (name) => page.locator(`meta[property="${name}"]`).getAttribute("content");
  assert.equal(await meta("og:title"), `Hexma: ${pair[0].name} – ${pair[1].name}`);
  assert.match((await meta("og:description")) ?? "", /won by resignation after 1 move\.$/);
  const address = (await meta("og:image")) ?? "";
  // Unoptimized servers paint large pictures slowly.
  const picture = await context.request.get(address.replace(/size=\d+$/, "size=64"));
  assert.equal(picture.headers()["content-type"], "image/png");
  await page.goto(`${server.url}/user/${pair[0].name}`);
  assert.equal(await meta("og:title"), pair[0].name);
  await context.close();
});
