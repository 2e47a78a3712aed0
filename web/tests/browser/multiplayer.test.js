// Several users at one game: they play, watch, talk and look back, and the server may crash.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { browser, long, server, setUp, typeMove, visit } from "./harness.js";
import { joinGame, seekGame, setUpGame } from "./lobby.js";
import { openPair, playAgainstBots } from "./seated.js";

/** @import {Page} from "playwright-core" */

setUp();

/** A game of ann and bob. */
const pair = () => openPair(browser, server, { rules: "adamas" });

/**
 * @param {Page} page
 * @param {string} move
 */
async function play(page, move) {
  await page.locator(".status.my-turn").waitFor();
  await typeMove(page, move);
  await page.locator(".status:not(.my-turn)").waitFor();
}

/** @param {Page} page */
async function resign(page) {
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("button", { name: "Yes" }).click();
}

/**
 * @param {Page} page
 * @param {string} text
 */
async function speak(page, text) {
  await page.getByLabel("Say something").fill(text);
  await page.keyboard.press("Enter");
}

/**
 * @param {Page} page
 * @param {number} ply
 */
async function sees(page, ply) {
  await page.locator(`[data-ply="${ply}"]`).waitFor({ state: "attached" });
}

long("players and spectators resume a game after the server crashes", async () => {
  const { ann, bob } = await pair();
  const eve = await visit(browser, ann.page.url());
  await play(ann.page, "c1-c2");
  await play(bob.page, "c5-c4");
  await sees(eve.page, 2);
  await server.killAndStart();
  await play(ann.page, "c1-d1");
  for (const { page } of [bob, eve]) await sees(page, 3);
  await resign(bob.page);
  const name = await ann.page.locator(".me").textContent();
  for (const { page } of [ann, bob, eve]) {
    await page.locator('[data-over="true"]').waitFor();
    assert.equal(await page.locator(".status").textContent(), `${name} won by resignation.`);
  }
  for (const { context } of [ann, bob, eve]) await context.close();
});

long("three players play, a computer takes the seat of the first who leaves, and is the last one left", async () => {
  const ann = await visit(browser, server.url);
  await seekGame(ann.page, { rules: "adamas", players: "3", seat: "0" });
  const others = [await visit(browser, server.url), await visit(browser, server.url)];
  for (const [index, { page }] of others.entries()) {
    await page.getByText(`${index + 1} of 3`).waitFor();
    await joinGame(page);
  }
  const table = [ann, ...others];
  for (const { page } of table) await page.locator(".seat").nth(2).waitFor();
  // The seats of the second and third player are random: the page says whose turn it is.
  for (let ply = 0; ply < 3; ply += 1) {
    const mover = await Promise.any(
      table.map(async ({ page }) => {
        await page.locator(".status.my-turn").waitFor();
        return page;
      }),
    );
    await mover.locator(".cell.source").first().dispatchEvent("click");
    await mover.locator(".cell.target").first().dispatchEvent("click");
    await mover.locator("button.play:enabled").click();
    for (const { page } of table) await sees(page, ply + 1);
  }
  await resign(ann.page);
  const name = await ann.page.locator(".me").textContent();
  await ann.page.getByText("You have resigned. The others are asked whether Computer (level 4) plays on in your seat.").waitFor();
  for (const { page } of others) {
    const offer = page.locator(".offer", { hasText: `${name} has resigned. Shall Computer (level 4) play on in this seat? All clocks stand.` });
    await offer.getByRole("button", { name: "Accept" }).click();
  }
  for (const { page } of table) {
    await page.getByText(`Computer (level 4) plays on for ${name}.`).waitFor();
    await page.locator(".seat", { hasText: `for ${name}` }).waitFor();
  }
  for (const { page } of table) await sees(page, 4);
  await resign(/** @type {Page} */ (others[0]?.page));
  for (const { page } of table) await page.locator(".seat.out").waitFor();
  await resign(/** @type {Page} */ (others[1]?.page));
  const winner = "Computer \\(level 4\\)";
  for (const { page } of table) {
    await page.locator('[data-over="true"]').waitFor();
    assert.match((await page.locator(".status").textContent()) ?? "", new RegExp(`^${winner} won`));
  }
  for (const { context, pageErrors } of table) {
    assert.deepEqual(pageErrors, []);
    await context.close();
  }
});

long("talk reaches its room as plain text, and users can mute each other", async () => {
  const { ann, bob } = await pair();
  const eve = await visit(browser, ann.page.url());
  for (const { page } of [ann, bob, eve]) await page.getByRole("tab", { name: "Chat" }).click();
  const line = `<img src=x onerror="document.title='owned'"> &amp; <script>1</script> ${server.url}`;
  await speak(ann.page, line);
  for (const { page } of [ann, bob]) {
    await page.locator(".lines .text").waitFor();
    assert.equal(await page.locator(".lines .text").textContent(), line);
    assert.equal(await page.locator("main img, main script").count(), 0);
  }
  const name = await ann.page.locator(".me").textContent();
  await bob.page.getByRole("button", { name: `Mute ${name}` }).click();
  await bob.page.locator(".lines li").waitFor({ state: "detached" });
  await bob.page.getByRole("button", { name: `Unmute ${name}` }).click();
  await bob.page.locator(".lines li").waitFor();
  await ann.page.getByRole("button", { name: "Take this line back" }).click();
  for (const { page } of [ann, bob]) await page.locator(".lines li").waitFor({ state: "detached" });
  assert.equal(await eve.page.locator(".lines li").count(), 0, "the players are by themselves");
  await eve.page.goto(`${server.url}/user/${encodeURIComponent("<img src=x>")}`);
  await eve.page.locator(".not-found").waitFor();
  assert.equal(await eve.page.locator("main img").count(), 0);
  for (const { context, pageErrors } of [ann, bob, eve]) {
    assert.deepEqual(pageErrors, []);
    await context.close();
  }
});

long("earlier positions of a live game can be shown and linked to", async () => {
  const { ann, bob } = await pair();
  await play(ann.page, "c1-c2");
  await play(bob.page, "c5-c4");
  await bob.page.getByRole("slider").fill("1");
  await bob.page.getByText("Move 1 of 2.").waitFor();
  await bob.page.locator('.pieces [data-cell="c4"]').waitFor({ state: "detached" });
  await play(ann.page, "c1-d1");
  await bob.page.getByText("Move 1 of 3.").waitFor();
  const eve = await visit(browser, bob.page.url());
  assert.match(eve.page.url(), /#1$/);
  await eve.page.locator('.pieces [data-cell="c2"]').waitFor({ state: "attached" });
  assert.equal(await eve.page.locator('.pieces [data-cell="c4"]').count(), 0);
  await eve.page.keyboard.press("ArrowRight");
  await eve.page.locator('.pieces [data-cell="c4"]').waitFor({ state: "attached" });
  await eve.page.keyboard.press("End");
  await eve.page.locator('.pieces [data-cell="d1"]').waitFor({ state: "attached" });
  assert.equal(new URL(eve.page.url()).hash, "");
  for (const { context, pageErrors } of [ann, bob, eve]) {
    assert.deepEqual(pageErrors, []);
    await context.close();
  }
});

long("a saved journal ends with the signed event while the game goes on", async () => {
  const { ann, bob } = await pair();
  await play(ann.page, "c1-c2");
  await sees(bob.page, 1);
  await ann.page.route("**/log", async (route) => {
    await play(bob.page, "c5-c4");
    await route.continue();
  });
  const download = ann.page.waitForEvent("download");
  await ann.page.getByRole("button", { name: "Settings" }).click();
  await ann.page.getByRole("button", { name: "Save signed record" }).click();
  const saved = await download;
  assert.match(saved.suggestedFilename(), /\.jsonl$/);
  const lines = (await readFile(await saved.path(), "utf8")).trimEnd().split("\n");
  const kinds = lines.map((line) => JSON.parse(line)).map(({ type, kind }) => kind ?? type);
  assert.deepEqual(kinds, ["created", "started", "moved", "signature"]);
  for (const { context, pageErrors } of [ann, bob]) {
    assert.deepEqual(pageErrors, []);
    await context.close();
  }
});

long("an undone move disappears from the list and the positions", async () => {
  const { ann, bob } = await pair();
  await play(ann.page, "c1-c2");
  await play(bob.page, "c5-c4");
  await ann.page.getByRole("slider").fill("1");
  await ann.page.locator('.pieces [data-cell="c4"]').waitFor({ state: "detached" });
  await ann.page.getByRole("slider").fill("2");
  await bob.page.getByRole("button", { name: "Take back" }).click();
  await ann.page.getByRole("button", { name: "Accept" }).click();
  await play(bob.page, "c5-d4");
  await sees(ann.page, 2);
  await play(ann.page, "c1-d1");
  await ann.page.getByRole("slider").fill("2");
  await ann.page.locator('.pieces [data-cell="d4"]').waitFor({ state: "attached" });
  assert.equal(await ann.page.locator('.pieces [data-cell="c4"]').count(), 0);
  for (const { context, pageErrors } of [ann, bob]) {
    assert.deepEqual(pageErrors, []);
    await context.close();
  }
});

/** Opens the front page as a user with a name. */
async function guest() {
  const visitor = await visit(browser, server.url);
  await visitor.page.locator("[data-rules=diam]").click();
  await visitor.page.locator(".status.my-turn").waitFor();
  await visitor.page.locator(".brand").click();
  await visitor.page.locator(".own-game").waitFor();
  return { ...visitor, name: (await visitor.page.locator(".me").textContent()) ?? "" };
}

long("a challenge shows its terms, can be cancelled, and reports a decline", async () => {
  const [ann, bob] = [await guest(), await guest()];
  const challenge = async () => {
    const dialog = ann.page.locator("dialog[open]");
    assert.equal(await dialog.locator("[name=names]").inputValue(), bob.name);
    await dialog.locator("[name=rules][value=hexma]").check();
    await dialog.locator("[name=time][value=none]").check();
    await dialog.getByText("A player who is away on their turn for 7 days may lose the game.").waitFor();
    await dialog.getByRole("button", { name: "Challenge" }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await ann.page.goto(`${server.url}/user/${bob.name}`);
  await ann.page.getByRole("button", { name: "Challenge" }).click();
  const own = ann.page.locator(".waiting li", { hasText: `waiting for ${bob.name}` });
  const received = bob.page.locator(".waiting li", { hasText: `${ann.name} challenges you` });
  await challenge();
  await ann.page.locator(".brand").click();
  await own.waitFor();
  await received.waitFor();
  assert.match((await received.textContent()) ?? "", /Hexma · not rated · no clock · A player who is away .* · the first player is chosen at random/);
  // The notice would only repeat what the front page says.
  assert.equal(await bob.page.locator(".notice").count(), 0);
  await ann.page.reload();
  await own.getByRole("button", { name: "Cancel" }).click();
  await received.waitFor({ state: "detached" });
  await own.waitFor({ state: "detached" });
  await ann.page.goto(`${server.url}/user/${bob.name}`);
  await ann.page.getByRole("button", { name: "Challenge" }).click();
  await challenge();
  await received.waitFor();
  await bob.page.getByRole("button", { name: "Decline" }).click();
  await ann.page.locator(".toast", { hasText: `${bob.name} has declined your challenge.` }).waitFor();
  for (const { context, pageErrors } of [ann, bob]) {
    assert.deepEqual(pageErrors, []);
    await context.close();
  }
});

long("a declined rematch is no longer waited for", async () => {
  const { ann, bob } = await pair();
  await play(ann.page, "c1-c2");
  await play(bob.page, "c5-c4");
  await resign(bob.page);
  await ann.page.getByRole("button", { name: "Rematch" }).click();
  const waiting = ann.page.getByText("Waiting for the other player …");
  await waiting.waitFor();
  await bob.page.goto(`${server.url}/rules`);
  await bob.page.locator(".notice").getByRole("button", { name: "Decline" }).click();
  await ann.page.locator(".toast", { hasText: "has declined your challenge." }).waitFor();
  await waiting.waitFor({ state: "detached" });
  for (const { context, pageErrors } of [ann, bob]) {
    assert.deepEqual(pageErrors, []);
    await context.close();
  }
});

long("the page reports a declined offer", async () => {
  const { ann, bob } = await pair();
  await play(ann.page, "c1-c2");
  await play(bob.page, "c5-c4");
  await ann.page.getByRole("button", { name: "Draw" }).click();
  await bob.page.getByRole("button", { name: "Decline" }).click();
  const name = await bob.page.locator(".me").textContent();
  await ann.page.locator(".toast", { hasText: `${name} declines: no draw.` }).waitFor();
  await bob.page.goto(server.url);
  await bob.page.locator("[data-rules=stymie]").click();
  await typeMove(bob.page, "a1");
  await sees(bob.page, 2);
  await bob.page.getByRole("button", { name: "Draw" }).click();
  await bob.page.locator(".toast", { hasText: "Computer (level 2) declines: no draw." }).waitFor();
  for (const { context, pageErrors } of [ann, bob]) {
    assert.deepEqual(pageErrors, []);
    await context.close();
  }
});

long("live games move on the front page", async () => {
  const { ann, bob } = await pair();
  const game = new URL(ann.page.url()).pathname;
  const eve = await visit(browser, server.url);
  const board = eve.page.locator(`.watching a[href="${game}"]`);
  await board.locator('.pieces [data-cell="c1"]').waitFor({ state: "attached" });
  await play(ann.page, "c1-c2");
  await board.locator('.pieces [data-cell="c2"]').waitFor({ state: "attached" });
  await play(bob.page, "c5-c4");
  await resign(bob.page);
  await board.waitFor({ state: "hidden" });
  for (const { context, pageErrors } of [ann, bob, eve]) {
    assert.deepEqual(pageErrors, []);
    await context.close();
  }
});

long("pages of other origins cannot connect as the user", async () => {
  const elsewhere = createServer((_, response) => response.end("<title>elsewhere</title>"));
  await new Promise((resolve) => elsewhere.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = /** @type {import("node:net").AddressInfo} */ (elsewhere.address());
  const { page, context } = await visit(browser, server.url);
  await page.locator("[data-rules=adamas]").click();
  await page.locator(".status").waitFor();
  await page.goto(`http://127.0.0.1:${address.port}/`);
  const outcome = await page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const socket = new WebSocket(url, ["adamant.v1.json"]);
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("refused");
      }),
    `${server.url.replace("http", "ws")}/v1/ws`,
  );
  assert.equal(outcome, "refused");
  assert.equal(await page.evaluate(() => localStorage.length), 0);
  await context.close();
  await new Promise((resolve) => elsewhere.close(resolve));
});

/**
 * The share of each seat's goals, by seat, that shows their colour, and how far they differ from
 * the ground beside the board.
 * @param {Page} page
 * @param {Page} blank a page without a policy, which reads the picture
 */
async function goalsSeen(page, blank) {
  const goals = await page.evaluate(() =>
    [0, 1, 2].map((seat) =>
      [.../** @type {NodeListOf<SVGPathElement>} */ (document.querySelectorAll(`.goal.seat${seat}`))].flatMap((goal) => {
        const colour = (getComputedStyle(goal).stroke.match(/\d+/g) ?? []).map(Number);
        return Array.from({ length: 19 }, (_, index) => {
          const { x, y } = goal.getPointAtLength((goal.getTotalLength() * (index + 1)) / 20).matrixTransform(goal.getScreenCTM() ?? undefined);
          return { x, y, colour };
        });
      }),
    ),
  );
  const picture = `data:image/png;base64,${(await page.screenshot()).toString("base64")}`;
  return blank.evaluate(
    async ({ picture: source, goals: seats }) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
      context.drawImage(image, 0, 0);
      const at = (/** @type {number} */ x, /** @type {number} */ y) => [...context.getImageData(Math.round(x), Math.round(y), 1, 1).data].slice(0, 3);
      const apart = (/** @type {number[]} */ one, /** @type {number[]} */ other) => Math.max(...one.map((value, index) => Math.abs(value - (other[index] ?? 0))));
      const near = (/** @type {number} */ x, /** @type {number} */ y) => [-4, -3, -2, -1, 0, 1, 2, 3, 4].flatMap((d) => [at(x + d, y), at(x, y + d)]);
      return seats.map((points) => ({
        shown: points.filter(({ x, y, colour }) => near(x, y).some((pixel) => apart(pixel, colour) < 20)).length / points.length,
        differs: Math.min(...points.map(({ x, y }) => Math.max(...near(x, y).map((pixel) => apart(pixel, at(2, 2)))))),
      }));
    },
    { picture, goals },
  );
}

long("the goals of three players are seen in every theme", async () => {
  const { page, close } = await playAgainstBots(browser, server, { rules: "hexma" }, { seats: 3 });
  const { page: blank, context } = await visit(browser);
  await page.locator(".goal").first().waitFor({ state: "attached" });
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme });
    for (const board of ["paper", "wood", "slate"]) {
      await page.evaluate((name) => (document.documentElement.dataset["board"] = name), board);
      for (const [seat, { shown, differs }] of (await goalsSeen(page, blank)).entries()) {
        assert.ok(shown > 0.8 && differs > 60, `seat ${seat}, ${colorScheme} ${board}: ${shown} shown, ${differs} from the ground`);
      }
    }
  }
  await close();
  await context.close();
});

long("the computer plays itself for a user who watches", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  const dialog = await setUpGame(page, "person", { rules: "diam" });
  await dialog.locator("[name=against][value=computer]").check();
  await dialog.getByLabel("Only watch: the computer plays itself").check();
  assert.equal(await dialog.locator("[name=time]").first().isVisible(), false);
  await dialog.getByRole("button", { name: "Watch", exact: true }).click();
  await page.waitForURL(/\/game\//);
  await page.locator("[data-ply=\"2\"]").waitFor({ state: "attached" });
  assert.deepEqual(pageErrors, []);
  await context.close();
});
