// A new user plays against the house with clicks only.

import assert from "node:assert/strict";
import { awaitTurn, browser, long, scaled, seededRandom, server, setUp, test, visit } from "./harness.js";
import { makeMove } from "./random_player.js";
import { Bot } from "./bots.js";

/** @import {Page} from "playwright-core" */

setUp();

/** Moves after which the player resigns, so that random games end. */
const MOVES_MAX = 150;

/** Moves of the short form, in which only the quickest game is played to its end. */
const MOVES_SHORT = { adamas: 8, hexma: 8, stymie: 8, diam: MOVES_MAX };

/** Classes of cells that the last move changed. */
const LAST = ["last-from", "last-to", "last-captured"];

/**
 * Records the highlighted last move and the number of listed moves in each frame before which the
 * document has changed. The others show what the one before has shown.
 * @param {Page} page
 */
async function noteLastMoves(page) {
  await page.evaluate((classes) => {
    const seen = new Set();
    Object.assign(window, { seen });
    const named = (/** @type {string} */ which) =>
      [...document.querySelectorAll(`.board-area .cell.${which}`)].map((cell) => cell.getAttribute("data-cell")).sort();
    const look = () => {
      const marked = classes.map(named);
      const over = document.querySelector(".replaying") !== null;
      if (!over && marked.some((cells) => cells.length > 0)) {
        seen.add(JSON.stringify([document.querySelectorAll("[data-ply]").length, ...marked]));
      }
    };
    let waits = false;
    const lookSoon = () => {
      if (!waits) {
        requestAnimationFrame(() => {
          waits = false;
          look();
        });
      }
      waits = true;
    };
    lookSoon();
    new MutationObserver(lookSoon).observe(document, { subtree: true, childList: true, attributeFilter: ["class"] });
  }, LAST);
}

/**
 * Returns the cells that each move changed, by the server's positions.
 * @param {string} game
 */
async function movesOf(game) {
  const bot = await Bot.join(server.url);
  /** @type {any[]} */
  const boards = [];
  for (let more = true; more; ) {
    const page = await bot.request({ type: "positions", game, from_ply: boards.length, limit: 100 });
    boards.push(...page.positions);
    more = page.more;
  }
  bot.close();
  return boards.slice(1).map((board, ply) => {
    const [was, is] = [boards[ply].position, board.position];
    const cells = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort();
    const differ = cells.filter((cell) => was[cell] !== is[cell]);
    const lost = differ.filter((cell) => (was[cell] ?? "").startsWith(is[cell] ?? ""));
    const gained = differ.filter((cell) => !lost.includes(cell));
    const captured = board.captures.map((/** @type {{ cell: string }} */ { cell }) => cell).sort();
    return JSON.stringify([ply + 1, lost, gained, captured]);
  });
}

for (const [rules, short] of Object.entries(MOVES_SHORT)) {
  scaled(`a guest plays a game of ${rules} against the house and sees each last move`, { short, long: MOVES_MAX }, async (most) => {
    const { page, context, pageErrors } = await visit(browser, server.url);
    await page.locator(`[data-rules=${rules}]`).click();
    const random = seededRandom(7);
    let moves = 0;
    await noteLastMoves(page);
    while ((await awaitTurn(page)) === "move") {
      if (moves > 0) await page.locator(".cell.last-from, .cell.last-to").first().waitFor({ state: "attached" });
      if (moves === most) {
        await page.getByRole("button", { name: "Resign" }).click();
        await page.getByRole("button", { name: "Yes" }).click();
        await page.locator('[data-over="true"]').waitFor();
        break;
      }
      await makeMove(page, random);
      moves += 1;
    }
    assert.ok(moves > 0);
    assert.match((await page.locator(".status").textContent()) ?? "", /won|draw/);
    const played = await movesOf(new URL(page.url()).pathname.replace("/game/", ""));
    const seen = await page.evaluate(() => [.../** @type {any} */ (window).seen]);
    assert.deepEqual(seen.filter((move) => !played.includes(move)), [], "nothing else is marked");
    assert.ok(seen.length >= moves, `${seen.length} last moves were seen at ${moves} turns`);
    assert.deepEqual(pageErrors, []);
    await context.close();
  });
}

test("the second level is proposed for a first game, and the page remembers the chosen level of the computer", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  const levels = page.locator(".quick-play .levels input");
  await levels.first().waitFor({ state: "attached" });
  const names = await levels.evaluateAll((radios) => radios.map((radio) => radio.getAttribute("value")));
  assert.deepEqual(names, ["easy", "level2", "level3", "medium", "level5", "level6", "level7", "hard"]);
  assert.ok(await page.getByRole("radio", { name: "2" }).isChecked());
  const about = page.locator(".quick-play .about-level");
  await about.getByText("It often picks a good move.").waitFor();
  await page.getByRole("radio", { name: "8" }).check();
  await about.getByText("It looks as far ahead as it can.").waitFor();
  await page.locator("[data-rules=stymie]").click();
  await page.locator(".status.my-turn").waitFor();
  assert.match((await page.locator("main").textContent()) ?? "", /Computer \(level 8\)/);
  await page.goto(server.url);
  assert.ok(await page.locator(".quick-play").getByRole("radio", { name: "8" }).isChecked());
  // The dialog for a new game starts with the same choice, and can change it.
  await page.locator("[data-person=hexma]").click();
  const dialog = page.locator("dialog[open]");
  await dialog.getByRole("radio", { name: "Computer" }).check();
  assert.ok(await dialog.getByRole("radio", { name: "8" }).isChecked());
  await dialog.getByRole("radio", { name: "1", exact: true }).check();
  await dialog.locator("summary").click();
  await dialog.locator("[name=seat]").selectOption("0");
  await dialog.getByRole("button", { name: "Play" }).click();
  await page.locator(".status.my-turn").waitFor();
  assert.match((await page.locator("main").textContent()) ?? "", /Computer \(level 1\)/);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("three play with two computers, or with a friend and one", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  const ben = await Bot.join(server.url, "ben-3");
  const dialog = page.locator("dialog[open]");
  const setUpForThree = async (/** @type {string} */ against) => {
    await page.locator("[data-person=hexma]").click();
    await dialog.getByRole("radio", { name: against }).check();
    if (!(await dialog.locator("[name=players]").isVisible())) await dialog.locator("summary").click();
    await dialog.locator("[name=players]").selectOption("3");
    await dialog.locator("[name=seat]").selectOption("0");
  };
  await setUpForThree("Computer");
  await dialog.getByText("Both computers play at this level.").waitFor();
  await dialog.getByRole("button", { name: "Play" }).click();
  await page.locator(".status.my-turn").waitFor();
  const players = page.locator("main");
  for (const computer of ["Computer (level 2)", "Computer B (level 2)"]) await players.getByText(computer).first().waitFor();

  await page.goto(server.url);
  await setUpForThree("Friend");
  await dialog.getByRole("radio", { name: "by name" }).check();
  await dialog.getByLabel("The computer takes the third seat").check();
  await dialog.getByRole("button", { name: "Challenge" }).click();
  await dialog.getByText("Please enter the name of one player.").waitFor();
  await dialog.getByRole("textbox", { name: "Name" }).fill("ben-3");
  await dialog.getByRole("button", { name: "Challenge" }).click();
  await dialog.waitFor({ state: "detached" });
  const { challenges } = await ben.request({ type: "challenges" });
  await ben.request({ type: "accept", challenge: challenges[0].challenge });
  await page.locator(".status.my-turn").waitFor();
  for (const user of ["ben-3", "Computer (level 2)"]) await players.getByText(user).first().waitFor();
  assert.deepEqual(pageErrors, []);
  ben.close();
  await context.close();
});
