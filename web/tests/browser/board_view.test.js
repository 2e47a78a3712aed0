// What a board shows and how it answers a pointer, without a game: marks, orientation, names for
// screen readers, settings, and the contrasts of every theme.

import assert from "node:assert/strict";
import { browser, long, server, setUp, typeMove, visit } from "./harness.js";

/** @import {Page} from "playwright-core" */
/** @import {BoardSetup, BoardView} from "../../src/board/board.js" */
/** @import {Highlight} from "../../src/board/markers.js" */

setUp();

/** Cells of Stymie's shapes: octagons, and squares between them. */
const CELLS = [0, 1, 2].flatMap((x) =>
  [0, 1, 2].flatMap((y) => [
    { name: `${"ace"[x]}${2 * y + 1}`, x: x - 1, y: 1 - y, shape: "octagon" },
    ...(x < 2 && y < 2 ? [{ name: `${"bd"[x]}${2 * y + 2}`, x: x - 0.5, y: 0.5 - y, shape: "square" }] : []),
  ]),
);
const EDGES = [
  { seat: 0, name: "home", cells: ["a1", "c1", "e1"] },
  { seat: 1, name: "home", cells: ["a5", "c5", "e5"] },
];

/**
 * What to show, as plain data.
 * @typedef {Omit<BoardView, "highlights" | "pickable" | "movable"> & { highlights?: Record<string, Highlight[]>, pickable?: string[] }} PlainView
 */

/**
 * Opens the page's document without its script, which contains the board's module, too.
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
async function openEmpty(options) {
  const visitor = await visit(browser, undefined, options);
  await visitor.page.route("**/main.js", (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
  await visitor.page.goto(server.url);
  return visitor;
}

/**
 * Puts a board on an otherwise empty page.
 * @param {Page} page
 * @param {BoardSetup} setup
 * @param {PlainView} view
 */
async function put(page, setup, view) {
  await page.evaluate(
    async ([setup, cells, edges, letters]) => {
      const { Board } = await import(new URL("board/board.js", /** @type {HTMLScriptElement} */ (document.querySelector("script[src]")).src).href);
      document.body.replaceChildren();
      const board = new Board();
      board.id = "board";
      board.style.width = "300px";
      document.body.append(board, ...document.querySelectorAll("svg.paint"));
      board.setLayout({ type: "layout", re: "", game: "", cells, edges, letters }, setup);
    },
    /** @type {const} */ ([setup, CELLS, EDGES, ["O", "X"]]),
  );
  await show(page, view);
}

/**
 * @param {Page} page
 * @param {PlainView} view
 */
function show(page, view) {
  return page.evaluate(({ highlights = {}, pickable, ...rest }) => {
    const board = /** @type {import("../../src/board/board.js").Board} */ (document.querySelector("#board"));
    const sets = new Map(Object.entries(highlights).map(([cell, own]) => [cell, new Set(own)]));
    board.show({ ...rest, highlights: sets, ...(pickable && { pickable: new Set(pickable) }) });
  }, view);
}

/**
 * Returns the middle of a cell on the screen.
 * @param {Page} page
 * @param {string} cell
 */
async function middle(page, cell) {
  const box = await page.locator(`.cells [data-cell="${cell}"] .area`).boundingBox();
  assert.ok(box);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width };
}

/** Records the cells that the user picks. @param {Page} page */
async function recordPicks(page) {
  await page.evaluate(() => {
    const picks = /** @type {string[]} */ ([]);
    Object.assign(globalThis, { picks });
    document.querySelector("#board")?.addEventListener("pick", (event) => picks.push(/** @type {CustomEvent} */ (event).detail.cell));
  });
  return () => page.evaluate(() => /** @type {{ picks: string[] }} */ (/** @type {unknown} */ (globalThis)).picks);
}

long("a press marks a cell at once, if something can be done there", async () => {
  const { page, context, pageErrors } = await openEmpty();
  await put(page, { live: true, labels: true }, { position: { a1: "O" }, pickable: ["a1"] });
  const rings = () => page.locator(".chosen-ring").count();
  const [own, other] = [await middle(page, "a1"), await middle(page, "c3")];
  await page.mouse.move(own.x, own.y);
  await page.mouse.down();
  assert.equal(await rings(), 1, "before the button is released");
  await page.mouse.up();
  await show(page, { position: { a1: "O" }, pickable: ["a1"] });
  assert.equal(await rings(), 0, "the next state decides");
  await page.mouse.move(other.x, other.y);
  await page.mouse.down();
  assert.equal(await rings(), 0);
  await page.mouse.up();
  const hovered = await page.locator('.cells [data-cell="c3"] .area').evaluate((area) => getComputedStyle(area).fill);
  const still = await page.locator('.cells [data-cell="c5"] .area').evaluate((area) => getComputedStyle(area).fill);
  assert.equal(hovered, still, "a cell where nothing can be done does not react to the mouse");
  await page.evaluate(() => /** @type {any} */ (document.querySelector("#board")).refuse("c3"));
  await page.locator(".refused").waitFor({ state: "attached" });
  await page.locator(".refused").waitFor({ state: "detached" });
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a finger beside a cell means the nearest one where something can be done", async () => {
  const { page, context } = await openEmpty({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });
  await put(page, { live: true, labels: true }, { position: {}, pickable: ["b2", "e5"] });
  const picks = await recordPicks(page);
  const square = await middle(page, "b2");
  await page.touchscreen.tap(square.x - square.width / 2 - 8, square.y);
  assert.deepEqual(await picks(), ["b2"], "beside the square, on an octagon");
  const far = await middle(page, "a5");
  await page.touchscreen.tap(far.x, far.y);
  assert.deepEqual(await picks(), ["b2", "a5"], "nothing is in reach: the cell itself");
  await context.close();
});

long("a player's side is down, and the arrow keys and the flip follow", async () => {
  const { page, context } = await openEmpty();
  const isBelow = async (/** @type {string} */ one, /** @type {string} */ other) => (await middle(page, one)).y > (await middle(page, other)).y;
  await put(page, { live: true, labels: true, orientation: 0 }, { position: {} });
  assert.ok(await isBelow("a1", "a5"));
  await put(page, { live: true, labels: true, orientation: 1 }, { position: {} });
  assert.ok(await isBelow("a5", "a1"));
  await page.evaluate(() => /** @type {any} */ (document.querySelector("#board")).takeFocus());
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-cell"));
  assert.equal(await focused(), "a1");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.match(String(await focused()), /^[ab]\d$/);
  assert.notEqual(await focused(), "a1", "a1 is at the top now");
  await page.locator(".focus-ring").waitFor({ state: "attached" });
  await page.evaluate(() => /** @type {any} */ (document.querySelector("#board")).flip());
  assert.ok(await isBelow("a1", "a5"));
  assert.notEqual(await focused(), null, "the focus stays on the board");
  await context.close();
});

long("screen readers hear rows, whose pieces stand where, and what can be done", async () => {
  const { page, context } = await openEmpty();
  await put(
    page,
    { live: true, labels: true, own: 0, users: ["ann", "bob"], name: "Stymie: ann - bob" },
    { position: { a1: "OOO", c3: "X", e3: "OX" }, highlights: { a1: ["chosen"], c3: ["capture"], a3: ["target"] } },
  );
  const name = async (/** @type {string} */ cell) => (await page.locator(`.cells [data-cell="${cell}"]`).getAttribute("aria-label")) ?? "";
  assert.equal(await name("a1"), "a1, your stack of 3, chosen, your goal, near edge");
  assert.equal(await name("c3"), "c3, piece of bob, captures");
  assert.equal(await name("a3"), "a3, empty, can go here");
  assert.equal(await name("e3"), "e3, from the bottom O X, the top one of bob");
  assert.equal(await name("c5"), "c5, empty, goal, near edge");
  assert.equal(await page.locator('[aria-selected="true"]').getAttribute("data-cell"), "a1");
  assert.deepEqual(await page.locator('[aria-selected="false"]').evaluateAll((cells) => cells.map((cell) => cell.getAttribute("data-cell")).sort()), ["a3", "c3"]);
  assert.deepEqual(await page.locator("[role=row]").evaluateAll((rows) => rows.map((row) => row.children.length)), [3, 2, 3, 2, 3]);
  assert.equal(await page.locator("[role=grid]").getAttribute("aria-label"), "Stymie: ann - bob");
  await put(page, { live: false, labels: false, name: "Stymie: ann - bob" }, { position: {} });
  assert.equal(await page.locator("[role=img]").getAttribute("aria-label"), "Stymie: ann - bob");
  await context.close();
});

long("a sketch, a sent move, the last move and the winning cells are drawn", async () => {
  const { page, context } = await openEmpty();
  const before = { a1: "OOO", e5: "X" };
  await put(page, { live: true, labels: true }, { position: before, path: [{ from: "e1", to: "e5" }], preview: { a1: "OO", a5: "O", e5: "X" } });
  const classed = (/** @type {string} */ name) => page.locator(`.pieces .${name}`).evaluateAll((all) => all.map((each) => each.getAttribute("data-cell")).sort());
  assert.deepEqual(await classed("preview"), ["a1", "a5"]);
  assert.equal(await page.locator(".last-path").count(), 1, "the last move stays marked");
  assert.equal(await page.locator(".planned-path").count(), 1);
  await show(page, { position: before, preview: { a1: "OO", a5: "O", e5: "X" }, sent: true });
  assert.deepEqual([await classed("preview"), await classed("sent")], [[], ["a1", "a5"]]);
  assert.equal(await page.locator(".sent-path").count(), 1);
  await show(page, { position: { a1: "OO", a5: "O", e5: "X" }, winning: ["a1", "a3", "a5"] });
  assert.deepEqual([await classed("preview"), await classed("sent")], [[], []]);
  assert.equal(await page.locator(".cell.winning").count(), 3);
  assert.equal(await page.locator(".winning-chain").count(), 1);
  await context.close();
});

long("higher stacks stand higher, whatever their height", async () => {
  const { page, context } = await openEmpty();
  let height = 0;
  for (const pieces of [1, 2, 5, 6, 12, 24, 36]) {
    await put(page, { live: true, labels: true }, { position: { c3: "O".repeat(pieces) } });
    const box = await page.locator(".pieces .side").boundingBox();
    assert.ok(box && box.height > height + 0.5, `${pieces} pieces`);
    height = box.height;
    assert.equal(await page.locator(".pieces .letter").count(), pieces > 1 ? 1 : 0);
  }
  await context.close();
});

long("the pointer on a listed move shows the board after it, within the window", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await page.locator("[data-rules=stymie]").click();
  await page.locator(".status.my-turn").waitFor();
  await typeMove(page, "a1");
  await page.locator('[data-ply="2"]').waitFor({ state: "attached" });
  await page.locator(".status.my-turn").waitFor();
  const peek = page.locator(".peek");
  await page.locator('[data-ply="1"]').hover();
  await peek.waitFor();
  await peek.locator('.pieces [data-cell="a1"]').waitFor({ state: "attached" });
  assert.equal(await peek.locator(".pieces [data-cell]").count(), 1);
  const { x, y, width, height } = (await peek.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
  assert.ok(x >= 0 && y >= 0 && x + width <= 1280 && y + height <= 800, JSON.stringify({ x, y, width, height }));
  await page.locator('[data-ply="2"]').hover();
  await peek.locator(".pieces [data-cell]").nth(1).waitFor({ state: "attached" });
  await page.locator(".brand").hover();
  await peek.waitFor({ state: "hidden" });
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("an element beside a cell stays within the board", async () => {
  const { page, context } = await openEmpty();
  await put(page, { live: true, labels: true }, { position: {} });
  const board = await page.locator("#board").boundingBox();
  assert.ok(board);
  for (const cell of ["a1", "e1", "a5", "e5", "c3"]) {
    await page.evaluate((cell) => {
      const stepper = document.createElement("button");
      stepper.textContent = "a wide stepper";
      /** @type {any} */ (document.querySelector("#board")).placeBeside(cell, stepper);
    }, cell);
    const box = await page.locator(".board-popover").boundingBox();
    assert.ok(box && box.x >= board.x - 1 && box.x + box.width <= board.x + board.width + 1, cell);
    const { y, width } = await middle(page, cell);
    assert.ok(box.y >= y + width / 2 || box.y + box.height <= y - width / 2, `${cell} is not covered`);
  }
  await page.evaluate(() => /** @type {any} */ (document.querySelector("#board")).placeBeside("c3", undefined));
  assert.ok(await page.locator(".board-popover").isHidden());
  await context.close();
});

long("the settings change all boards at once", async () => {
  const { page, context } = await openEmpty();
  await put(page, { live: true, labels: true }, { position: { c3: "X" } });
  const set = (/** @type {string} */ name, /** @type {string} */ value) =>
    page.evaluate(
      async ([name, value]) => {
        const { viewSettings } = await import(new URL("ui/view_settings.js", /** @type {HTMLScriptElement} */ (document.querySelector("script[src]")).src).href);
        viewSettings.set(name, value);
      },
      /** @type {const} */ ([name, value]),
    );
  const count = (/** @type {string} */ selector) => page.locator(selector).count();
  assert.deepEqual([await count(".edge-labels text"), await count(".cell .label")], [10, 0]);
  await set("coordinates", "cells");
  assert.deepEqual([await count(".edge-labels text"), await count(".cell .label")], [0, 13]);
  await set("coordinates", "off");
  assert.deepEqual([await count(".edge-labels text"), await count(".cell .label")], [0, 0]);
  assert.equal(await count(".pieces .letter"), 0);
  await set("letters", "on");
  assert.equal(await page.locator(".pieces .letter").textContent(), "X");
  await context.close();
});

long("every theme has the contrasts that eyes need", async () => {
  const { page, context } = await openEmpty();
  await put(page, { live: true, labels: true }, { position: {} });
  for (const scheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const theme of ["paper", "wood", "slate"]) {
      const found = await page.evaluate(contrasts, theme);
      for (const [what, { is, least }] of Object.entries(found)) assert.ok(is >= least, `${what} on ${theme}, ${scheme}: ${is.toFixed(2)}`);
    }
  }
  await context.close();
});

/**
 * Measures contrasts of a theme; runs in the page.
 * @param {string} theme
 */
function contrasts(theme) {
  document.documentElement.dataset["board"] = theme;
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const probe = document.body.appendChild(document.createElement("i"));
  const luminance = (/** @type {string} */ name, owner = "") => {
    probe.className = owner;
    probe.style.color = `var(--${name})`;
    if (!canvas) throw new Error("no canvas");
    canvas.fillStyle = getComputedStyle(probe).color;
    canvas.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (/** @type {number} */ one, /** @type {number} */ other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  const pair = (/** @type {string} */ one, /** @type {string} */ other, /** @type {number} */ least) => ({ is: ratio(luminance(one), luminance(other)), least });
  /** @type {Record<string, { is: number, least: number }>} */
  const found = {
    "names in cells": pair("cell-label", "cell", 4.5),
    "names in squares": pair("cell-label", "cell-alt", 4.5),
    "names along the edge": pair("soft", "paper", 4.5),
    "edges of cells": pair("cell-line", "cell", 1.6),
    "edges of squares": pair("cell-line", "cell-alt", 1.6),
    "the ring of the chosen cell": pair("chosen", "cell", 3),
    "the ring of the focus": pair("accent", "cell", 3),
    "dots of targets": pair("hint", "cell", 3),
    "marks of captures": pair("warn", "cell", 3),
    "winning cells": pair("win", "cell", 3),
    "edges of controls": pair("edge", "paper", 3),
    "edges of controls on cards": pair("edge", "card", 3),
  };
  for (const seat of [0, 1, 2]) {
    for (const kind of seat < 2 ? [0, 1, 2] : [0]) {
      const owner = `piece seat${seat} kind${kind}`;
      const cell = luminance("cell");
      const against = Math.max(ratio(luminance("fill", owner), cell), ratio(luminance("rim", owner), cell));
      found[`pieces of ${owner}`] = { is: against, least: 3 };
      found[`numbers on ${owner}`] = { is: ratio(luminance("sign", owner), luminance("fill", owner)), least: 4.5 };
    }
  }
  for (const seat of [0, 1]) {
    const of = (/** @type {number} */ kind) => luminance("fill", `piece seat${seat} kind${kind}`);
    found[`kinds of seat ${seat}`] = { is: ratio(of(1), of(2)), least: 3 };
  }
  probe.remove();
  return found;
}
