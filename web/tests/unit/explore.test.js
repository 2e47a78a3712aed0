// Trying moves on a board: clicks become a sketch, the server answers, a move comes out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Exploration } from "../../src/explore/exploration.js";
import { MoveInput } from "../../src/game/move_input.js";

/** @import {Connection} from "../../src/net/connection.js" */
/** @import {Explored, SketchAnswer} from "../../src/wire.js" */

/** @type {Explored} */
const START = {
  type: "explored",
  re: "1",
  rules: "adamas@1",
  options: {},
  players: 2,
  captures: [],
  moves: [],
  ply: 0,
  to_move: 0,
  position: { c1: "OO" },
  result: null,
  steps: { words: ["swap"], first: [{ cell: "c1", as: "from", }] },
};

/** @param {(sketch: any) => SketchAnswer} answer */
function tested(answer) {
  /** @type {any[]} */
  const requests = [];
  const connection = /** @type {Connection} */ (/** @type {unknown} */ ({
    request: async (/** @type {any} */ request) => {
      requests.push(request);
      if (request.moves.includes("bad")) throw new Error("no");
      return request.sketch === undefined ? START : { ...START, sketch: answer(request.sketch) };
    },
  }));
  const exploration = new Exploration(connection, { rules: "adamas", options: {}, players: 2 });
  /** @type {string[]} */
  const moves = [];
  /** @type {string[]} */
  const refused = [];
  const input = new MoveInput(exploration.source(async (move) => moves.push(move)), {
    onChange: () => {},
    onObjection: (why) => refused.push(why),
    onError: (error) => assert.fail(String(error)),
  });
  input.autoPlay = true;
  input.begin(1, START.steps);
  return { requests, exploration, input, moves, refused };
}

/** Lets pending promises settle. */
function settle() {
  return new Promise((resolve) => setImmediate(resolve));
}

/** One source and one target, as in Hexma. @param {any} sketch @returns {SketchAnswer} */
function oneToOne({ from = [], to = [] }) {
  const next = to.length > 0 ? [{ cell: "c2", as: /** @type {const} */ ("to"), instead_of: to[0].cell }] : ["c2", "c3"].map((cell) => ({ cell, as: /** @type {const} */ ("to") }));
  const isMove = to.length > 0 && to[0].cell !== "d9";
  return { move: isMove ? `c1-${to[0].cell}` : null, ...(to[0]?.cell === "d9" ? { why: "c1 and d9 are not on one line" } : {}), from, to, next };
}

test("two clicks are a move, which is made at once where nothing is left to decide", async () => {
  const { input, moves, requests } = tested(oneToOne);
  assert.deepEqual([...input.movable], ["c1"]);
  input.pick("c1");
  input.pick("c3");
  await settle();
  assert.deepEqual(moves, ["c1-c3"]);
  assert.equal(requests.length, 2, "a click asks once");
  assert.ok(!input.active, "a second move needs a new position");
});

test("a wrong click changes nothing and says why", async () => {
  const { input, moves, refused } = tested(oneToOne);
  input.pick("c1");
  input.pick("d9");
  await settle();
  assert.deepEqual(refused, ["c1 and d9 are not on one line."]);
  assert.deepEqual(input.draft.answer?.from.map(({ cell }) => cell), ["c1"]);
  input.pick("c2");
  await settle();
  assert.deepEqual(moves, ["c1-c2"]);
});

test("a click on nothing is refused without a request", async () => {
  const { input, refused, requests } = tested(oneToOne);
  input.pick("d9");
  await settle();
  assert.deepEqual([refused, requests.length], [[""], 0]);
});

test("an amount is left to the reader, who plays the move", async () => {
  const { input, moves } = tested(({ from = [], to = [] }) => ({
    move: to.length > 0 ? `c1-${to[0].pieces ?? 1}xc2` : null,
    from,
    to: to.map((/** @type {any} */ each) => ({ pieces: 1, ...each, least: 1, most: 2 })),
    next: to.length > 0 ? [] : [{ cell: "c2", as: "to" }],
  }));
  input.pick("c1");
  input.pick("c2");
  await settle();
  assert.deepEqual(moves, []);
  input.pick("c2");
  await settle();
  assert.equal(input.open?.entry.pieces, 2, "a second click adds a piece");
  input.undo();
  await settle();
  assert.equal(input.open?.entry.pieces, 1);
  input.play();
  await settle();
  assert.deepEqual(moves, ["c1-1xc2"]);
});

test("a piece of the reserve goes where it is put", async () => {
  const { input, moves, refused } = tested(({ to }) => ({ move: to[0].cell === "1" ? `${to[0].choice}1` : null, why: "sector 2 is full", from: [], to, next: [] }));
  input.place("2", "B");
  await settle();
  assert.deepEqual(refused, ["Sector 2 is full."]);
  input.place("1", "B");
  await settle();
  assert.deepEqual(moves, ["B1"]);
});

test("clicks from before a new position have no effect", async () => {
  const { input, moves } = tested(oneToOne);
  input.pick("c1");
  input.pick("c3");
  input.begin(2, START.steps);
  await settle();
  assert.deepEqual(moves, []);
  assert.ok(!input.draft.started);
});

test("an exploration asks for a position once, and again after a refusal", async () => {
  const { exploration, requests } = tested(oneToOne);
  await Promise.all([exploration.after(), exploration.after()]);
  assert.equal(requests.length, 1);
  await assert.rejects(exploration.after(["bad"]));
  await assert.rejects(exploration.after(["bad"]));
  assert.equal(requests.length, 3);
});
