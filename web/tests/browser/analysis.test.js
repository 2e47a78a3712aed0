// Analysis of games, loading of records, and games of two people at one screen.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { problems } from "./axe.js";
import { Bot, startGame, startPair } from "./bots.js";
import { browser, long, seededRandom, server, setUp, visit } from "./harness.js";
import { pickByKeys } from "./keyboard.js";
import { beginGame, openAs } from "./seated.js";
import { quiet, tryMove } from "./tried_moves.js";

/** @import {Page} from "playwright-core" */
/** @import {BotPair} from "./bots.js" */
/** @import {GameConfig} from "../../src/set_up/challenges.js" */

/** @type {BotPair} */
let pair;

setUp({
  ready: async () => {
    pair = await startPair(server.url);
    return () => pair.forEach((bot) => bot.close());
  },
});

/** A game of Hexma, whose random moves would never end it. */
const HEXMA = new URL("../../../rules/tests/hexma/records/connection.txt", import.meta.url);

/**
 * Plays some moves of a game, and ends it.
 * @param {GameConfig} config
 * @param {number} plies
 */
async function finishedGame(config, plies) {
  const match = await startGame(pair, config);
  const random = seededRandom(3);
  for (let ply = 0; ply < plies; ply += 1) await match.step(random);
  await match.resign();
  return match.game;
}

/**
 * Types a move on the analysis board.
 * @param {Page} page
 * @param {string} move
 */
async function typeTried(page, move) {
  const moves = page.locator(".move-tree [data-ply]");
  const before = await moves.count();
  const field = page.getByLabel("Move in notation");
  await field.fill(move);
  await field.press("Enter");
  await page.waitForFunction((count) => document.querySelectorAll(".move-tree [data-ply]").length > count, before);
  await quiet(page);
}

/** @param {Page} page */
const shownPly = (page) => page.locator(".move-tree [aria-current=step]").locator("..").getAttribute("data-ply");

long("a spectator analyses a finished game from the ply on the board, and comes back to it", async () => {
  const game = await finishedGame({ rules: "stymie" }, 6);
  const { page, context, pageErrors } = await visit(browser, `${server.url}/game/${game}#3`);
  await page.getByRole("button", { name: "Analyse this position" }).click();
  await page.waitForURL(`**/analysis/game/${game}?ply=3`);
  await quiet(page);
  assert.equal(await shownPly(page), "3");
  await tryMove(page, seededRandom(5));
  const tried = page.locator(".move-tree .variation [aria-current=step]");
  await tried.waitFor();
  const move = (await tried.locator(".notation").textContent()) ?? "";
  await page.waitForURL(`**/analysis/game/${game}#3:${move}`);
  await page.reload();
  await tried.waitFor();
  assert.equal(await page.locator(".opinion-text").textContent(), "", "the opinion is off by default");
  await page.getByLabel("Computer's opinion").check();
  await page.locator(".opinion .best").waitFor();
  assert.match((await page.locator(".opinion-text").textContent()) ?? "", /^The computer \(medium\) would play: \S+ .*\.$/);
  await page.locator(".opinion .best").click();
  await page.locator(".move-tree .variation [data-ply='5'] [aria-current=step]").waitFor();
  await page.getByRole("button", { name: "Back to the game" }).click();
  await page.waitForURL(`**/analysis/game/${game}?ply=3`);
  await page.keyboard.press("End");
  await page.getByText("The game ended here:").waitFor();
  await page.getByRole("link", { name: "Open the game" }).click();
  await page.locator(".result-card").getByRole("link", { name: "Analyse" }).waitFor();
  await page.locator(".share-menu summary").click();
  await page.getByRole("button", { name: "Copy the link of a picture" }).waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("perfect play is told where it is known, and its moves can be tried", async () => {
  const game = await finishedGame({ rules: "stymie", options: { size: 3 } }, 2);
  const { page, context, pageErrors } = await visit(browser, `${server.url}/analysis/game/${game}?ply=1`);
  await quiet(page);
  await page.getByLabel("Computer's opinion").check();
  await page.locator(".opinion select").selectOption("perfect play");
  const said = page.locator(".opinion-text", { hasText: / (wins|loses) by force: \d+ moves? to the end\. (The only best move|Best moves): / });
  await said.waitFor();
  await page.locator(".opinion .best").first().click();
  await page.locator(".move-tree [aria-current=step]").waitFor();
  await said.waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("in a game of one's own moves can be tried, but the computer has no opinion", async () => {
  const users = [await Bot.join(server.url, "cleo"), await Bot.join(server.url, "dora")];
  const game = await beginGame(users, { rules: "hexma" });
  const { page, context, pageErrors } = await openAs(browser, server, /** @type {Bot} */ (users[0]), game);
  await page.getByRole("button", { name: "Analyse this position" }).click();
  await quiet(page);
  await typeTried(page, "n14-p12");
  await page.getByLabel("Computer's opinion").check();
  await page.getByText("While you play this game, the computer has no opinion on it.").waitFor();
  // What is tried is not played.
  await page.getByRole("link", { name: "Open the game" }).click();
  await page.getByText("Your move.").first().waitFor();
  assert.equal(await page.locator("[data-ply]").count(), 0);
  assert.deepEqual(pageErrors, []);
  await context.close();
  users[1]?.close();
});

long("seats are played by whoever played them in the game, and who left it stays out", async () => {
  const [ann, ben, cy] = [await Bot.join(server.url, "ann-1"), await Bot.join(server.url, "ben-1"), await Bot.join(server.url, "cy-1")];
  const swapped = await beginGame([ann, ben], { rules: "stymie", options: { size: 4, swap: true } });
  await ann.request({ type: "move", game: swapped, turn: 0, move: "c3" });
  await ben.request({ type: "move", game: swapped, turn: 1, move: "swap" });
  const { page, context, pageErrors } = await visit(browser, `${server.url}/analysis/game/${swapped}`);
  await page.getByText("ann-1 to move.").waitFor();
  await page.getByRole("button", { name: "One move back" }).click();
  await page.getByText("ben-1 to move.").waitFor();
  const three = await beginGame([ann, ben, cy], { rules: "hexma" });
  await ann.request({ type: "resign", game: three });
  await page.goto(`${server.url}/analysis/game/${three}`);
  await page.getByText("ben-1 to move.").waitFor();
  await tryMove(page, seededRandom(2));
  await page.getByText("cy-1 to move.").waitFor();
  await tryMove(page, seededRandom(2));
  await page.getByText("ben-1 to move.").waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
  for (const bot of [ann, ben, cy]) bot.close();
});

long("a user with a keyboard tries a move, and goes along the moves", async () => {
  const { page, context, pageErrors } = await visit(browser, `${server.url}/analysis/hexma`);
  await quiet(page);
  await pickByKeys(page, "n14");
  await pickByKeys(page, "p12");
  await page.locator(".move-tree [data-ply='1'] [aria-current=step]").waitFor();
  await page.waitForURL("**/analysis/hexma#n14-p12");
  await page.locator(".replay input").focus();
  await page.keyboard.press("ArrowLeft");
  await page.waitForURL("**/analysis/hexma?ply=0#n14-p12");
  await page.getByText("Blue to move.").waitFor();
  // A typed move that is none changes nothing.
  await page.getByLabel("Move in notation").fill("n14-a1");
  await page.keyboard.press("Enter");
  await page.locator(".analysis-said .error").filter({ hasText: "." }).waitFor();
  assert.equal(await page.locator(".move-tree [data-ply]").count(), 1);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

/**
 * Begins a game at one screen.
 * @param {Page} page
 * @param {string} rules
 * @param {Record<string, string>} fields by name
 */
async function beginHotSeat(page, rules, fields = {}) {
  await page.goto(`${server.url}/analysis/${rules}?hotseat`);
  await page.locator(".analysis-set-up .names input").first().waitFor();
  for (const [name, value] of Object.entries(fields)) {
    const field = page.locator(`.analysis-set-up [name=${name}]`);
    if ((await field.evaluate((each) => each.tagName)) === "SELECT") await field.selectOption(value);
    else await field.fill(value);
  }
  await page.getByRole("button", { name: "Begin" }).click();
  await quiet(page);
}

/** Small boards, on which random moves soon end a game. @type {Record<string, Record<string, string>>} */
const SMALL = { adamas: { size: "2", pieces: "2" }, stymie: { size: "4" }, diam: {} };

for (const [rules, options] of Object.entries(SMALL)) {
  // The quickest game is that of the short form.
  const add = rules === "diam" ? long : long;
  add(`two people play a whole game of ${rules} at one screen`, async () => {
    const { page, context, pageErrors } = await visit(browser);
    await beginHotSeat(page, rules, { "name-0": "Zoë", "name-1": "Max", ...options });
    const random = seededRandom(11);
    const card = page.locator(".analysis-said .result-card:not([hidden])");
    for (let moves = 0; (await card.count()) === 0; moves += 1) {
      await tryMove(page, random);
      if (moves !== 2) continue;
      await page.reload();
      await quiet(page);
      assert.equal(await page.locator(".move-tree [data-ply]").count(), 3, "a reload loses nothing");
    }
    assert.match((await card.locator(".outcome").textContent()) ?? "", /^(Zoë won|Max won|A draw)$/);
    if (rules !== "adamas") assert.ok((await page.locator(".cell.winning").count()) > 1, "what won is lit");
    const saved = page.waitForEvent("download");
    await page.locator(".analysis-tools").getByRole("button", { name: "Save as text" }).click();
    const text = await readFile(await (await saved).path(), "utf8");
    assert.match(text, new RegExp(`^${rules} challenge .*Zoe Max\n`));
    assert.equal(text.trim().split("\n").length - 1, await page.locator(".move-tree [data-ply]").count());
    await page.getByRole("button", { name: "Play again" }).click();
    await page.getByText("Max to move.").waitFor();
    assert.deepEqual(pageErrors, []);
    await context.close();
  });
}

long("two people play Hexma, take a move back, and the board turns to whoever is to move", async () => {
  const { page, context, pageErrors } = await visit(browser);
  await beginHotSeat(page, "hexma");
  const record = (await readFile(HEXMA, "utf8")).split("\n").filter((line) => /^[a-y]\d/.test(line));
  const height = async () => (await page.locator('.analysis-board .cells [data-cell="m1"]').boundingBox())?.y ?? 0;
  const first = await height();
  await typeTried(page, record[0] ?? "");
  await page.getByText("Orange to move.").waitFor();
  assert.ok((await height()) > first, "the other side is near now");
  await page.getByRole("button", { name: "Take back" }).click();
  await page.getByText("Blue to move.").waitFor();
  await quiet(page);
  assert.equal(await height(), first);
  await page.getByLabel("Turn the board to the player to move").uncheck();
  for (const move of record) await typeTried(page, move);
  await page.locator(".result-card .outcome").filter({ hasText: "Blue won" }).waitFor();
  assert.ok((await page.locator(".cell.winning").count()) > 5);
  assert.equal(await height(), first);
  await page.locator(".analysis-tools").getByRole("link", { name: "Analyse" }).click();
  await page.getByRole("heading", { name: "Analysis: Hexma" }).waitFor();
  await page.locator(`.move-tree [data-ply="${record.length}"]`).waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a kept game that cannot be shown gives way to a new one", async () => {
  const { page, context } = await visit(browser, `${server.url}/analysis`);
  await page.evaluate(() => localStorage.setItem("adamant.hotseat.diam", JSON.stringify({ options: {}, users: ["Zoë", "Max"], moves: ["Z9"] })));
  await page.goto(`${server.url}/analysis/diam?hotseat`);
  await page.locator(".analysis-said .error").filter({ hasText: "." }).waitFor();
  await page.getByRole("button", { name: "New game" }).click();
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByText("Zoë to move.").waitFor();
  await context.close();
});

long("records are loaded from files in both formats, and from dropped text", async () => {
  const game = await finishedGame({ rules: "adamas" }, 7);
  const read = async (/** @type {string} */ what) => (await fetch(`${server.url}/v1/games/${game}/${what}`)).text();
  const { page, context, pageErrors } = await visit(browser);
  for (const [name, what] of [["game.txt", "record"], ["game.jsonl", "log"]]) {
    await page.goto(`${server.url}/analysis`);
    await page.locator("input[type=file]").setInputFiles({ name: name ?? "", mimeType: "text/plain", buffer: Buffer.from(await read(what ?? "")) });
    await page.getByRole("heading", { name: "Analysis: Adamas" }).waitFor();
    await page.locator(".move-tree [data-ply='7'] [aria-current=step]").waitFor();
    await page.locator(".sides li").filter({ hasText: pair[0].name }).waitFor();
  }
  const dropped = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "game.txt", { type: "text/plain" }));
    return data;
  }, "stymie challenge -size=4 eve fay\nc3\nb2,c1\na9\n");
  await page.locator(".analysis-page").dispatchEvent("drop", { dataTransfer: dropped });
  await page.getByRole("heading", { name: "Analysis: Stymie" }).waitFor();
  await page.getByText("Move 3, a9, cannot be made, so the moves end before it.").waitFor();
  await page.locator(".move-tree [data-ply='2'] [aria-current=step]").waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a file that is no record is refused with a clear message", async () => {
  const { page, context, pageErrors } = await visit(browser, `${server.url}/analysis`);
  const choose = (/** @type {Buffer} */ buffer) => page.locator("input[type=file]").setInputFiles({ name: "file", mimeType: "application/octet-stream", buffer });
  const says = (/** @type {string} */ text) => page.locator(".loader .error").filter({ hasText: text }).waitFor();
  await choose(Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
  await says("This is no text file.");
  await choose(Buffer.alloc((1 << 20) + 1, "a"));
  await says("This is too large for the record of a game.");
  const paste = page.getByLabel("Record or moves");
  await paste.fill("Dear Ann, how are you?");
  await page.getByRole("button", { name: "Open" }).click();
  await says("is no move");
  await paste.fill("c1-c2 c5-c4");
  await page.getByRole("button", { name: "Open" }).click();
  await says("choose the game that they belong to");
  await page.locator("[name=rules]").selectOption("adamas");
  await page.getByRole("button", { name: "Open" }).click();
  await page.locator(".move-tree [data-ply='2'] [aria-current=step]").waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("an address with illegal moves shows those before, and one of another game none", async () => {
  const { page, context, pageErrors } = await visit(browser, `${server.url}/analysis/adamas?size=2&pieces=2#b1-a1,c1;b3-z9;b3-b2`);
  await page.getByText("Move 2, b3-z9, cannot be made").waitFor();
  await page.locator(".move-tree [data-ply='1'] [aria-current=step]").waitFor();
  await page.goto(`${server.url}/analysis/adamas?size=99`);
  await page.locator(".analysis-said .error").filter({ hasText: "size" }).waitFor();
  await page.goto(`${server.url}/analysis/game/zzzzzzzz`);
  await page.getByText("There is no such game.").waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("the computer's analysis of a finished game is read with the keyboard, and a turning point is played again", async () => {
  const [ann, ben] = [await Bot.join(server.url, "ann-2"), await Bot.join(server.url, "ben-2")];
  const game = await beginGame([ann, ben], { rules: "diam" });
  // With the sixth move ben lets ann win, and ann does not see it.
  const moves = ["A1", "X2", "A5", "X3", "B1", "Y2", "B6", "Y5"];
  for (const [turn, move] of moves.entries()) await (turn % 2 === 0 ? ann : ben).request({ type: "move", game, turn, move });
  await ann.request({ type: "resign", game });
  const { page, context, pageErrors } = await visit(browser, `${server.url}/game/${game}`, { bypassCSP: true });
  await page.locator(".result-card").getByRole("link", { name: "Computer analysis" }).click();
  const graph = page.getByRole("slider", { name: "Chances of ann-2 after each move" });
  await graph.waitFor();
  assert.equal(await graph.getAttribute("aria-valuemax"), "8");
  await page.getByText(/^ann-2: accuracy \d+ %$/).waitFor();

  await graph.focus();
  await page.keyboard.press("ArrowLeft");
  await page.locator(".move-tree [data-ply='7'] [aria-current=step]").waitFor();
  assert.match((await graph.getAttribute("aria-valuetext")) ?? "", /^Move 7, B6: \d+ % for ann-2, a blunder$/);
  await page.getByText("A win was missed.").first().waitFor();
  await page.locator(".move-tree [data-ply='7'] .mark.blunder").waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.locator(".suggested-mark").first().waitFor();
  assert.deepEqual(await problems(page), []);

  await page.locator(".turning-points [data-ply='7']").getByRole("button", { name: "Play it again from here" }).click();
  await page.locator(".move-tree [data-ply='6'] [aria-current=step]").waitFor();
  await quiet(page);
  assert.equal(await page.locator(".suggested-mark").count(), 0, "the reader finds the move alone");
  await typeTried(page, "B5");
  await page.locator(".result-card").filter({ hasText: "ann-2" }).waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
  for (const bot of [ann, ben]) bot.close();
});
