// A newcomer learns a game: the first moves and a puzzle by the keyboard alone and by touch alone,
// a step of the rules with the server's objection, and answers to wrong moves.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { LESSONS } from "../../src/learn/lessons.js";
import { readPuzzles } from "../../src/learn/puzzles.js";
import { browser, long, server, setUp, visit } from "./harness.js";
import { pickByKeys } from "./keyboard.js";

/** @import {Locator, Page} from "playwright-core" */
/** @import {Puzzle} from "../../src/learn/puzzles.js" */

setUp();

/** The puzzles by game. @type {Record<string, Puzzle[]>} */
const PUZZLES = {};
for (const kind of Object.keys(LESSONS)) PUZZLES[kind] = readPuzzles(await readFile(new URL(`../../src/learn/puzzles/${kind}.jsonl`, import.meta.url), "utf8"));

/**
 * Returns the puzzles of a game in order.
 * @param {string} kind
 */
const puzzlesOf = (kind) => PUZZLES[kind] ?? [];

/**
 * Returns the middle of a cell on the screen.
 * @param {Locator} within
 * @param {string} cell
 */
async function middleOf(within, cell) {
  const area = within.locator(`.cells [data-cell="${cell}"]`);
  await area.waitFor({ state: "attached" });
  return area.evaluate((element) => {
    element.scrollIntoView({ block: "center" });
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  });
}

/**
 * @param {Page} page
 * @param {string} cell
 */
async function tap(page, cell) {
  const { x, y } = await middleOf(page.locator(".explore"), cell);
  await page.touchscreen.tap(x, y);
}

/**
 * @param {Page} page
 * @param {Locator} within
 * @param {string} cell
 */
async function click(page, within, cell) {
  const { x, y } = await middleOf(within, cell);
  await page.mouse.click(x, y);
}

/**
 * Plays the composed move as soon as it is one.
 * @param {Page} page
 * @param {() => Promise<void>} play
 */
async function playWhenReady(page, play) {
  await page.locator(".explore-buttons [data-key=play]").waitFor();
  await play();
}

long("a newcomer makes the first moves and solves a puzzle by the keyboard alone", async () => {
  const { page, context, pageErrors } = await visit(browser, `${server.url}/learn/stymie`);
  for (const [index, { clicks }] of (LESSONS["stymie"]?.guided ?? []).entries()) {
    await page.getByText(`Move ${index + 1} of 3`).waitFor();
    for (const cell of clicks) await pickByKeys(page, cell);
    await playWhenReady(page, () => page.keyboard.press("Enter"));
  }
  await page.getByText("Well done!").waitFor();
  // A game is as near as a puzzle.
  assert.equal(await page.locator(".guided").getByRole("button", { name: "Play the computer" }).count(), 1);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^Puzzle 1 of/ }).waitFor();
  await page.locator(".explore [data-cell]").first().waitFor({ state: "attached" });
  for (const cell of (puzzlesOf("stymie")[0]?.solution[0] ?? "").split(",")) await pickByKeys(page, cell);
  // A move to which nothing can be added is made at once.
  await page.getByText("Solved!").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^Puzzle 2 of/ }).waitFor();
  await page.goto(`${server.url}/learn`);
  await page.getByRole("link", { name: "Puzzles: 1 solved" }).waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a newcomer makes the first moves and solves a puzzle by touch alone", async () => {
  const { page, context, pageErrors } = await visit(browser, `${server.url}/learn`, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await page.locator('a[href="/learn/diam"]').tap();
  for (const [index, { clicks }] of (LESSONS["diam"]?.guided ?? []).entries()) {
    await page.getByText(`Move ${index + 1} of 3`).waitFor();
    for (const what of clicks) {
      if (what.startsWith("+")) await page.locator(".explore-reserve .wanted").tap();
      else await tap(page, what);
    }
    await playWhenReady(page, () => page.locator(".explore-buttons [data-key=play]").tap());
  }
  await page.getByText("Well done!").waitFor();
  await page.goto(`${server.url}/puzzles/diam/1`);
  await page.getByText("Each side has 3 kinds of pieces").waitFor();
  await page.goto(`${server.url}/puzzles/hexma/1`);
  const [from, to] = (puzzlesOf("hexma")[0]?.solution[0] ?? "").split("-");
  await page.locator(".explore .cell.source").first().waitFor({ state: "attached" });
  await tap(page, from ?? "");
  await page.locator(`.explore .cell.target[data-cell="${to}"]`).waitFor({ state: "attached" });
  await tap(page, to ?? "");
  await page.getByText("Solved!").waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "nothing runs out sideways");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a win in two is chosen by its difficulty, answered by the page, and counted", async () => {
  const own = puzzlesOf("hexma");
  const number = own.findIndex(({ plies, also }) => plies === 3 && also.length === 0) + 1;
  const { grade, solution, id } = own[number - 1] ?? assert.fail("there is none");
  const all = own.filter((puzzle) => puzzle.grade === grade).length;
  const { page, context, pageErrors } = await visit(browser, `${server.url}/learn/hexma`);
  await page.getByText(`Difficulty ${grade}: 0 of ${all} solved`).click();
  await page.getByRole("link", { name: `Puzzle ${number}`, exact: true }).click();
  await page.getByText("Win in 2 moves").waitFor();
  const board = page.locator(".explore");
  const play = async (/** @type {string} */ move = "") => {
    const [from = "", to = ""] = move.split("-");
    await page.locator(`.explore .cell.source[data-cell="${from}"]`).waitFor({ state: "attached" });
    await click(page, board, from);
    await page.locator(`.explore .cell.target[data-cell="${to}"]`).waitFor({ state: "attached" });
    await click(page, board, to);
  };
  await play(solution[0]);
  await page.getByText("Right! Now win with").waitFor();
  await play(solution[2]);
  await page.getByText("Solved!").waitFor();
  assert.ok((await page.evaluate(() => localStorage.getItem("adamant.learnt")))?.includes(id));
  await page.getByRole("link", { name: "Next puzzle" }).click();
  await page.getByRole("heading", { name: `Puzzle ${number + 1} of ${own.length}` }).waitFor();
  await page.goto(`${server.url}/learn/hexma`);
  await page.getByText(`Difficulty ${grade}: 1 of ${all} solved`).waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a wrong move in a puzzle is answered by the reply that refutes it, and can be taken back", async () => {
  const own = puzzlesOf("hexma");
  const number = own.findIndex(({ goal, plies }) => goal === "save" && plies === 1) + 1;
  const { page, context } = await visit(browser, `${server.url}/puzzles/hexma/${number}`);
  await page.getByText("Only one move does not lose").waitFor();
  const right = own[number - 1]?.solution[0] ?? "";
  const sources = page.locator(".explore .cell.source");
  await sources.first().waitFor({ state: "attached" });
  const names = await sources.evaluateAll((cells) => cells.map((cell) => cell.getAttribute("data-cell") ?? ""));
  const board = page.locator(".explore");
  await click(page, board, names.find((name) => !right.startsWith(name)) ?? "");
  const target = page.locator(".explore .cell.target").first();
  await target.waitFor({ state: "attached" });
  await click(page, board, (await target.getAttribute("data-cell")) ?? "");
  await page.getByText(/loses: .* wins at once/).waitFor();
  await page.getByRole("button", { name: "Try again" }).press("Enter");
  await page.getByText("Only one move does not lose").waitFor();
  await page.getByRole("button", { name: "Show the solution" }).click();
  await page.getByText(`The solution: ${right}`).waitFor();
  await context.close();
});

long("a step of the rules accepts the move it asks for, and says why others are none", async () => {
  const { page, context, pageErrors } = await visit(browser, `${server.url}/rules/adamas`);
  const step = page.locator(".steps > li").first();
  await step.locator(".cell.source").first().waitFor({ state: "attached" });
  await click(page, step, "c1");
  await step.locator(".cell.target").first().waitFor({ state: "attached" });
  await click(page, step, "d3");
  await step.getByText("not on one line").waitFor();
  await click(page, step, "c3");
  await step.getByRole("button", { name: "Play" }).click();
  await step.getByText("Right.").waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});
