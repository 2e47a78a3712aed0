// The board with mouse and finger: drags, threats, automatic play, and earlier positions.

import assert from "node:assert/strict";
import { browser, long, server, setOption, setUp, test, typeMove, visit } from "./harness.js";
import { Bot } from "./bots.js";
import { beginGame, openAs, openPair } from "./seated.js";

/** @import {BrowserContextOptions, Locator, Page} from "playwright-core" */

setUp();

/**
 * Starts a game of ann, who moves first, and bob.
 * @param {string} rules
 * @param {BrowserContextOptions} [options] of ann's browser
 */
async function pair(rules, options) {
  const { ann, bob } = await openPair(browser, server, { rules }, options);
  await settled(ann.page);
  const close = async () => {
    for (const { context, pageErrors } of [ann, bob]) {
      assert.deepEqual(pageErrors, []);
      await context.close();
    }
  };
  return { ann: ann.page, bob: bob.page, close };
}

/** @param {Page} page */
async function settled(page) {
  await page.locator('.move-form[aria-busy="false"]').waitFor({ state: "attached" });
}

/**
 * Returns the centre of a cell on the screen.
 * @param {Page} page
 * @param {string} name
 */
async function middle(page, name) {
  const area = page.locator(`.board-area .cells [data-cell="${name}"] .area`);
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  assert.ok(box, name);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/**
 * Drags the pieces of a cell to another with the mouse.
 * @param {Page} page
 * @param {string} from
 * @param {string} to
 */
async function carry(page, from, to) {
  const [start, end] = [await middle(page, from), await middle(page, to)];
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2, { steps: 4 });
  await page.mouse.move(end.x, end.y, { steps: 4 });
  await page.locator(".ghost").waitFor();
}

/**
 * @param {Page} page
 * @param {string} from
 * @param {string} to
 */
async function drag(page, from, to) {
  await carry(page, from, to);
  await page.mouse.up();
  await page.locator(".ghost").waitFor({ state: "detached" });
  await settled(page);
}

/**
 * Waits until the page shows a sketched move.
 * @param {Page} page
 * @param {string} move
 */
async function composed(page, move) {
  await page.locator("output.move").getByText(move, { exact: true }).waitFor();
}

/** @param {Locator} stack */
async function number(stack) {
  return (await stack.locator(".letter").textContent()) ?? "";
}

/**
 * @param {Page} page
 * @param {string} move
 */
async function type(page, move) {
  await page.locator(".status.my-turn").waitFor();
  await typeMove(page, move);
  await page.locator(".status:not(.my-turn)").waitFor();
}

test("a piece is dragged to a legal cell and returns from an illegal one", async () => {
  const { ann, close } = await pair("hexma");
  const source = "k13";
  await carry(ann, source, "k9");
  await ann.locator(".cell.target").first().waitFor();
  const target = await ann.locator(".cell.target").first().getAttribute("data-cell");
  assert.ok(target);
  assert.equal(await ann.locator(`.board-area .pieces [data-cell="${source}"]`).getAttribute("visibility"), "hidden");
  // Back to its cell, and then to an illegal one: the server gives the reason.
  const home = await middle(ann, source);
  await ann.mouse.move(home.x, home.y);
  await ann.mouse.up();
  await ann.locator(".cell.target").first().waitFor({ state: "detached" });
  await drag(ann, source, "m1");
  await ann.locator(".move-form .error").filter({ hasText: "m1 is occupied" }).waitFor();
  assert.equal(await ann.locator(".cell.chosen").count(), 0);
  // Escape cancels a drag as well.
  await carry(ann, source, target);
  await ann.keyboard.press("Escape");
  await ann.locator(".ghost").waitFor({ state: "detached" });
  await ann.mouse.up();
  await settled(ann);
  assert.equal(await ann.locator(".cell.chosen").count(), 0);
  await drag(ann, source, target);
  // The move is complete with the drop.
  await ann.locator('[data-ply="1"]').waitFor({ state: "attached" });
  await close();
});

long("a stack is split piece by piece, dragged whole with shift, and merged", async () => {
  const { ann, bob, close } = await pair("adamas");
  const stack = (/** @type {string} */ cell) => ann.locator(`.board-area .pieces [data-cell="${cell}"]`);
  await carry(ann, "c1", "c2");
  assert.equal(await ann.locator(".drag > :first-child .letter").textContent(), "7", "what stays is shown");
  assert.equal(await ann.locator(".ghost .piece").count(), 1);
  assert.equal(await ann.locator(".ghost .letter").count(), 0, "one goes along, without a number");
  await ann.mouse.up();
  await composed(ann, "c1-c2");
  await drag(ann, "c1", "c2");
  await composed(ann, "2xc1-c2");
  await drag(ann, "c1", "d1");
  await composed(ann, "c1-2xc2,d1");
  assert.equal(await number(stack("c1")), "5");
  await carry(ann, "c1", "d1");
  await ann.keyboard.down("Shift");
  assert.equal(await ann.locator(".ghost .letter").textContent(), "5", "it says so without being moved");
  await ann.getByText("Shift or long press: the whole stack.").waitFor();
  await ann.mouse.up();
  await ann.keyboard.up("Shift");
  await composed(ann, "c1-2xc2,6xd1");
  assert.equal(await stack("c1").count(), 0, "nothing is left to pick up");
  await ann.keyboard.press("Enter");
  await ann.locator('[data-ply="1"]').waitFor({ state: "attached" });
  await type(bob, "c5-e3");
  await ann.locator(".status.my-turn").waitFor();
  await settled(ann);
  await ann.keyboard.down("Shift");
  await drag(ann, "d1", "c1");
  await ann.keyboard.up("Shift");
  await composed(ann, "6xd1-c1");
  await drag(ann, "c2", "c1");
  await composed(ann, "c2,6xd1-c1");
  await close();
});

test("a finger drags pieces, drags a whole stack after a long press, and scrolls elsewhere", async () => {
  const { ann, close } = await pair("adamas", { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });
  const wire = await ann.context().newCDPSession(ann);
  const touch = async (/** @type {"touchStart" | "touchMove" | "touchEnd"} */ kind, /** @type {{ x: number, y: number }[]} */ points) => {
    await wire.send("Input.dispatchTouchEvent", { type: kind, touchPoints: points });
  };
  const slide = async (/** @type {{ x: number, y: number }} */ start, /** @type {{ x: number, y: number }} */ end) => {
    for (let step = 1; step <= 8; step += 1) {
      const part = step / 8;
      await touch("touchMove", [{ x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part }]);
    }
  };
  const scrolled = () => ann.evaluate(() => Math.round(scrollY));
  const [start, end] = [await middle(ann, "c1"), await middle(ann, "a1")];
  const before = await scrolled();
  await touch("touchStart", [start]);
  await slide(start, end);
  await ann.locator(".ghost").waitFor();
  await touch("touchEnd", []);
  await composed(ann, "c1-a1");
  assert.equal(await scrolled(), before, "the page stays where it is under a piece that is dragged");
  await touch("touchStart", [start]);
  await ann.locator(".ghost").waitFor();
  assert.equal(await ann.locator(".ghost .letter").textContent(), "7", "the finger rests on all that is left");
  await slide(start, end);
  await touch("touchEnd", []);
  await composed(ann, "8xc1-a1");
  const empty = await middle(ann, "c3");
  await touch("touchStart", [empty]);
  await slide(empty, { x: empty.x, y: empty.y - 150 });
  await touch("touchEnd", []);
  await ann.waitForFunction((from) => Math.abs(scrollY - from) > 50, before);
  await composed(ann, "8xc1-a1");
  // A tap is a click.
  const tapped = await middle(ann, "c1");
  await touch("touchStart", [tapped]);
  await touch("touchEnd", []);
  await ann.locator("output.move:not(.ready)").waitFor();
  await close();
});

long("threats are shown on demand, and the page remembers the option", async () => {
  const { ann, bob, close } = await pair("adamas");
  const threats = (/** @type {Page} */ page) => page.locator(".board-area .threat");
  assert.equal(await threats(ann).count(), 0);
  await ann.keyboard.press("t");
  await threats(ann).first().waitFor();
  await ann.reload();
  await threats(ann).first().waitFor();
  // A sketched move is shown as it would leave the board.
  await settled(ann);
  await ann.locator('.cell[data-cell="c1"]').dispatchEvent("click");
  await ann.locator('.cell[data-cell="d1"]').dispatchEvent("click");
  await composed(ann, "c1-d1");
  assert.equal(await threats(ann).count(), 0);
  await ann.keyboard.press("Escape");
  await type(ann, "c1-e1,c2,4xc3,a1");
  await type(bob, "c5-3xa3,c4");
  await threats(ann).first().waitFor();
  assert.equal(await threats(ann).count(), 1);
  assert.equal(await threats(bob).count(), 0, "only ann has switched it on");
  // The same holds for earlier positions.
  await ann.keyboard.press("ArrowLeft");
  await threats(ann).first().waitFor({ state: "detached" });
  await ann.keyboard.press("Home");
  await threats(ann).first().waitFor();
  await setOption(ann, "Show threats", false);
  await threats(ann).first().waitFor({ state: "detached" });
  await close();
  const other = await pair("hexma");
  assert.equal(await other.ann.locator(".view-option").getByText("Show threats").count(), 0, "nothing is captured here");
  await other.close();
});

long("an unambiguous move is played at once, unless the player wants to confirm it", async () => {
  const { ann, bob, close } = await pair("hexma");
  const first = async (/** @type {Page} */ page, /** @type {string} */ source) => {
    await settled(page);
    await page.locator(`.cell[data-cell="${source}"]`).dispatchEvent("click");
    await page.locator(".cell.target").first().dispatchEvent("click");
  };
  await setOption(ann, "Play moves at once", false);
  await first(ann, "k13");
  await ann.locator("button.play:enabled").waitFor();
  assert.equal(await ann.locator('[data-ply="1"]').count(), 0);
  await ann.keyboard.press("Escape");
  await ann.reload();
  await ann.locator(".cells .cell").first().waitFor();
  await first(ann, "k13");
  await ann.locator("button.play:enabled").waitFor();
  await ann.keyboard.press("Escape");
  await setOption(ann, "Play moves at once", true);
  await first(ann, "k13");
  await ann.locator('[data-ply="1"]').waitFor({ state: "attached" });
  await first(bob, "k5");
  await bob.locator('[data-ply="2"]').waitFor({ state: "attached" });
  await ann.locator(".status.my-turn").waitFor();
  await settled(ann);
  await drag(ann, "m13", "l12");
  await ann.locator('[data-ply="3"]').waitFor({ state: "attached" });
  await close();
});

/** Plies of a long game: more positions than one request returns. */
const PLIES = 200;

/**
 * Lets two guests play a game of Hexma, and returns its id.
 * @param {Page} page
 * @param {number} plies
 */
function longGame(page, plies) {
  return page.evaluate(async (plies) => {
    const url = `${location.origin.replace("http", "ws")}/v1/ws`;
    /** @type {string} */
    let game = "";
    const sockets = ["long-a", "long-b"].map((guest) => {
      const socket = new WebSocket(url, ["adamant.v1.json"]);
      const say = (/** @type {object} */ message) => socket.send(JSON.stringify(message));
      socket.onopen = () => say({ type: "hello", id: "h", proto: [1], auth: { guest }, caps: ["legal"] });
      return { socket, say };
    });
    const [first, second] = /** @type {[typeof sockets[0], typeof sockets[0]]} */ (sockets);
    await new Promise((resolve) => {
      let here = 0;
      const heard = (/** @type {typeof first} */ { say }) => (/** @type {MessageEvent} */ { data }) => {
        const frame = JSON.parse(data);
        if (frame.type === "welcome") here += 1;
        if (frame.type === "welcome" && here === 2) {
          first.say({ type: "challenge", id: "c", rules: "hexma", seats: ["long-a", "long-b"] });
        }
        if (frame.type === "challenged") say({ type: "accept", id: "a", challenge: frame.challenge });
        if (frame.type !== "your_turn") return;
        game = frame.game;
        if (frame.ply >= plies) return resolve(undefined);
        const move = frame.legal[(frame.ply * 7_919) % frame.legal.length];
        say({ type: "move", id: `m${frame.turn}`, game, turn: frame.turn, move });
      };
      for (const each of [first, second]) each.socket.onmessage = heard(each);
    });
    for (const { socket } of sockets) socket.close();
    return game;
  }, plies);
}

long("browsing a long game requests few positions and none twice", async () => {
  const plies = PLIES;
  const { page, context, pageErrors } = await visit(browser, server.url);
  const game = await longGame(page, plies);
  /** @type {Record<string, number>} */
  const asked = {};
  page.on("websocket", (socket) =>
    socket.on("framesent", ({ payload }) => {
      const { type } = JSON.parse(String(payload));
      asked[type] = (asked[type] ?? 0) + 1;
    }),
  );
  await page.goto(`${server.url}/game/${game}`);
  const slider = page.getByRole("slider");
  await page.locator(`[data-ply="${plies}"]`).waitFor({ state: "attached" });
  const watched = asked["watch"];
  const walk = async (/** @type {string} */ key, /** @type {(step: number) => number} */ ply) => {
    for (let step = 1; step <= plies; step += 1) {
      await page.keyboard.press(key);
      assert.equal(await slider.inputValue(), String(ply(step)));
    }
  };
  await walk("ArrowLeft", (step) => plies - step);
  await page.getByText("Start position.").waitFor();
  assert.ok((asked["positions"] ?? 0) <= Math.ceil((plies + 1) / 100), JSON.stringify(asked));
  await page.locator('.board-area .pieces [data-cell="k13"]').waitFor({ state: "attached" });
  const before = { ...asked };
  await walk("ArrowRight", (step) => step);
  const { ping: _, ...more } = asked;
  assert.deepEqual(more, Object.fromEntries(Object.entries(before).filter(([type]) => type !== "ping")));
  assert.equal(asked["watch"], watched, "earlier boards need no new snapshot");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("the second player of Adamas has their own pieces near, also after a reload", async () => {
  const users = [await Bot.join(server.url), await Bot.join(server.url)];
  const game = await beginGame(users, { rules: "adamas" });
  const [first, second] = /** @type {[Bot, Bot]} */ (users);
  await first.request({ type: "move", game, turn: 0, move: "c1-c2" });
  const { page, context, pageErrors } = await openAs(browser, server, second, game);
  const height = async (/** @type {string} */ cell) => (await page.locator(`.board-area .cells [data-cell="${cell}"]`).boundingBox())?.y ?? 0;
  const isNear = async () => (await height("c5")) > (await height("c1"));
  assert.ok(await isNear());
  await page.reload();
  await page.locator(".board-area .cell").first().waitFor();
  assert.ok(await isNear());
  assert.deepEqual(pageErrors, []);
  await context.close();
  first.close();
});
