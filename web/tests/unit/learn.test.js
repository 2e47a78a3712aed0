// Lessons and puzzles: what a reader's move comes to.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { DONE, LESSONS } from "../../src/learn/lessons.js";
import { Progress } from "../../src/learn/progress.js";
import { judge, readPuzzles, refutationOf } from "../../src/learn/puzzles.js";
import { strings } from "../../src/strings/strings.js";

/** @import {Explored} from "../../src/wire.js" */
/** @import {Puzzle} from "../../src/learn/puzzles.js" */

/** Puzzles of a game, at the least. */
const PUZZLES_MIN = 150;

/** @param {string} kind */
const puzzlesOf = async (kind) => readPuzzles(await readFile(new URL(`../../src/learn/puzzles/${kind}.jsonl`, import.meta.url), "utf8"));

/**
 * @param {number | null} toMove
 * @param {number[]} [winners]
 * @returns {Explored}
 */
const position = (toMove, winners) => ({
  type: "explored",
  re: "1",
  rules: "hexma@1",
  options: {},
  players: 2,
  captures: [],
  moves: [],
  ply: 0,
  to_move: toMove,
  position: {},
  result: winners === undefined ? null : { places: [], reason: "connected", winners },
});

/** @type {Puzzle} */
const WIN = {
  id: "w", rules: "diam", options: {}, moves: ["a"], goal: "win", plies: 3, choices: 9, grade: 1,
  solution: ["m1", "r1", "m2"], also: ["m1b"], refutations: [{ reply: "x" }, { reply: "y", moves: ["bad"] }],
};

test("a wrong move is answered by the reply that refutes it", () => {
  assert.equal(refutationOf(WIN, "bad"), "y");
  assert.equal(refutationOf(WIN, "other"), "x");
  assert.deepEqual(judge(WIN, "bad", 0, position(1), position(0)), { kind: "wrong", reply: "y" });
});

test("the solution is answered by the longest defence, and another one that is as fast by none", () => {
  assert.deepEqual(judge(WIN, "m1", 0, position(1), position(0)), { kind: "reply", reply: "r1" });
  assert.deepEqual(judge(WIN, "m1b", 0, position(1), position(0)), { kind: "solved" });
});

test("a win in three has two replies", () => {
  /** @type {Puzzle} */
  const three = { ...WIN, plies: 5, solution: ["m1", "r1", "m2", "r2", "m3"] };
  assert.deepEqual(judge(three, "m2", 2, position(1), position(0)), { kind: "reply", reply: "r2" });
  assert.deepEqual(judge(three, "m1b", 2, position(1), position(0)), { kind: "wrong", reply: undefined });
  assert.deepEqual(judge(three, "m9", 4, position(1), position(null, [1])), { kind: "solved" });
});

test("any move that wins ends the puzzle, and one that does not is wrong", () => {
  assert.deepEqual(judge(WIN, "m9", 2, position(1), position(null, [1])), { kind: "solved" });
  assert.deepEqual(judge(WIN, "m9", 2, position(1), position(null, [0])), { kind: "wrong", reply: undefined });
  assert.deepEqual(judge(WIN, "m9", 2, position(1), position(null, [0, 1])), { kind: "wrong", reply: undefined });
  assert.deepEqual(judge(WIN, "m9", 2, position(1), position(0)), { kind: "wrong", reply: undefined });
});

test("the only saving move solves the puzzle at once", () => {
  /** @type {Puzzle} */
  const save = { ...WIN, goal: "save", solution: ["m1"] };
  assert.deepEqual(judge(save, "m1", 0, position(0), position(1)), { kind: "solved" });
  assert.deepEqual(judge(save, "bad", 0, position(0), position(1)), { kind: "wrong", reply: "y" });
});

test("the browser remembers what was solved, and survives what others store", () => {
  const stored = new Map();
  const storage = { getItem: (/** @type {string} */ key) => stored.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => stored.set(key, value) };
  const progress = new Progress(storage);
  progress.add("one");
  progress.add("one");
  assert.ok(new Progress(storage).has("one"));
  assert.ok(!progress.has("two"));
  for (const [key] of stored) stored.set(key, "{no json");
  assert.ok(!progress.has("one"));
  progress.add("two");
  assert.ok(progress.has("two"));
});

test("a step knows a hop from a step, and two hops from one", () => {
  const cells = [["a", 0], ["b", 1], ["c", 2], ["d", 4]].map(([name, x]) => ({ name: String(name), x: Number(x), y: 0, shape: /** @type {const} */ ("point") }));
  const layout = { type: /** @type {const} */ ("layout"), re: "1", game: "", cells, edges: [], letters: ["O", "X"] };
  const made = (/** @type {string} */ to) => ({ before: position(0), after: position(1), layout, changes: { lost: ["a"], gained: [to] } });
  assert.deepEqual(["b", "c", "d"].map((to) => DONE.hop(made(to))), [false, true, true]);
  assert.deepEqual(["b", "c", "d"].map((to) => DONE.hops(made(to))), [false, false, true]);
});

test("every lesson has its texts", () => {
  for (const [kind, { guided, steps }] of Object.entries(LESSONS)) {
    assert.ok(strings.learn.goal[kind], kind);
    for (const { key } of [...guided, { key: "done" }]) assert.ok(strings.learn.guided[kind]?.[key], `${kind} ${key}`);
    for (const { key } of steps) assert.ok(strings.learn.steps[kind]?.[key], `${kind} ${key}`);
    assert.ok(steps.length >= 4 && steps.length <= 6 && guided.length === 3, kind);
  }
});

test("every game has enough puzzles, the easy ones first", async () => {
  for (const kind of Object.keys(LESSONS)) {
    const own = await puzzlesOf(kind);
    assert.ok(own.length >= PUZZLES_MIN, `${kind}: ${own.length}`);
    assert.equal(new Set(own.map(({ id }) => id)).size, own.length);
    own.reduce((before, puzzle) => {
      assert.ok(before.grade <= puzzle.grade, puzzle.id);
      return puzzle;
    });
    for (const { id, rules, moves, solution, plies, goal } of own) {
      assert.ok(id.startsWith(`${kind}-`) && strings.kind(rules) === kind && moves.length > 0, id);
      assert.equal(solution.length, goal === "win" ? plies : 1, id);
    }
  }
});
