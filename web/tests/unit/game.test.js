// What the game's view computes without drawing: clocks, changes between positions, moves put
// together from clicks, and following the server's state.

import assert from "node:assert/strict";
import { test } from "node:test";
import { changes } from "../../src/board/changes.js";
import { Geometry } from "../../src/board/geometry.js";
import { Boards, KEPT_MAX } from "../../src/game/position_cache.js";
import { face, left } from "../../src/game/clock.js";
import { Composer } from "../../src/game/move_input.js";
import { Feed } from "../../src/game/game_sync.js";
import { World, event } from "./fake_env.js";

const CLOCK = { mode: "fischer", base_ms: 60_000, inc_ms: 0, left_ms: [30_000, 20_000], running: 1, since: 5_000 };

test("only the running clock counts, and stops at nought", () => {
  assert.equal(left(CLOCK, 0, 9_000), 30_000);
  assert.equal(left(CLOCK, 1, 9_000), 16_000);
  assert.equal(left(CLOCK, 1, 4_000), 20_000, "the server's clock is never ahead of itself");
  assert.equal(left(CLOCK, 1, 90_000), 0);
  assert.equal(left({ mode: "none" }, 0, 1), undefined);
});

test("a clock's face is rounded up", () => {
  const faces = [0, 1, 9_940, 10_000, 59_001, 61_000, 3_600_000, 86_399_000, 86_400_000, 90_000_000, 172_799_000];
  assert.deepEqual(faces.map(face), [
    "0.0", "0.1", "10.0", "0:10", "1:00", "1:01", "1:00:00", "23:59:59", "1 d 00 h", "1 d 01 h", "2 d 00 h",
  ]);
});

test("pieces fly only where it is clear who went where", () => {
  const split = changes({ c1: "OOO" }, { c1: "O", c2: "O", d1: "O" });
  assert.deepEqual(split.flights, [{ from: "c1", to: "c2" }, { from: "c1", to: "d1" }]);
  const merge = changes({ a1: "O", b1: "O" }, { c1: "OO" });
  assert.deepEqual(merge.flights, [{ from: "a1", to: "c1" }, { from: "b1", to: "c1" }]);
  const capture = changes({ a1: "O", b1: "X" }, { b1: "O" });
  assert.deepEqual([capture.lost, capture.gained], [["a1"], ["b1"]]);
  assert.deepEqual(changes({}, { a1: "V", b2: "V" }).flights, []);
});

test("goals that two seats share are one line, and arrow keys go to neighbours", () => {
  const cells = [0, 1, 2].flatMap((x) => [0, 1].map((y) => ({ name: `${x}${y}`, x, y, shape: "point" })));
  const edges = [0, 1].map((seat) => ({ seat, name: "home", cells: ["00", "10", "20"] }));
  const layout = { type: /** @type {const} */ ("layout"), re: "l", game: "g", cells, edges, letters: ["O", "X"] };
  const geometry = new Geometry(layout);
  assert.deepEqual(geometry.goals.map((goal) => goal.seats), [[0, 1]]);
  assert.ok(geometry.goals[0]?.line.every((place) => place.y < 0), "it lies outside");
  assert.equal(geometry.towards("00", 1, 0), "10");
  assert.equal(geometry.towards("10", 0, 1), "11");
  assert.equal(geometry.towards("00", -1, 0), undefined);
});

/** A world in which a turn is being composed. */
async function composing() {
  const world = new World();
  world.connection.open();
  world.welcome();
  const composer = new Composer(world.connection, "g", () => {});
  const answer = async (/** @type {object} */ sketch, turn = 4) => {
    await tasks();
    const asked = world.line.next("hints");
    world.line.say({ type: "hints", re: asked.id, game: "g", turn, to_move: 0, cells: [], sketch });
    await tasks();
    return asked.sketch;
  };
  composer.begin(4);
  await answer({ move: null, from: [], to: [], next: [{ cell: "a1", as: "from" }] });
  return { world, composer, answer };
}

/** Lets everything that waits for a promise go on. */
function tasks() {
  return new Promise((resolve) => setImmediate(resolve));
}

test("a click joins in the role that the server names, and takes the place of another", async () => {
  const { composer, answer, world } = await composing();
  composer.pick("a1", "", false);
  const from = [{ cell: "a1" }];
  assert.deepEqual(
    await answer({ move: null, from, to: [], next: [{ cell: "b1", as: "to" }, { cell: "c1", as: "to" }] }),
    { from: [{ cell: "a1" }], to: [] },
  );
  composer.pick("b1", "", false);
  const next = [{ cell: "c1", as: "to", instead_of: "b1" }];
  await answer({ move: "a1-b1", from, to: [{ cell: "b1" }], next });
  world.line.say({ type: "ok", re: world.line.next("try").id, legal: true, position: { b1: "O" } });
  await tasks();
  assert.deepEqual(composer.preview, { position: { b1: "O" }, threatened: [] });
  composer.pick("c1", "", false);
  const asked = await answer({ move: null, from, to: [{ cell: "c1" }], next: [] });
  assert.deepEqual(asked, { from, to: [{ cell: "c1" }] });
});

test("a further click on a destination adds pieces, and after the most takes it out", async () => {
  const { composer, answer } = await composing();
  composer.pick("a1", "", false);
  const from = [{ cell: "a1" }];
  const to = (/** @type {number} */ pieces) => [{ cell: "b1", pieces, least: 1, most: 2 }];
  await answer({ move: null, from, to: to(1), next: [] });
  composer.pick("b1", "", false);
  assert.deepEqual((await answer({ move: null, from, to: to(2), next: [] })).to, [{ cell: "b1", pieces: 2 }]);
  composer.pick("b1", "", false);
  assert.deepEqual((await answer({ move: null, from, to: [], next: [] })).to, []);
});

test("a click that leads nowhere says why in the server's words, and drops the sketch", async () => {
  const { composer, answer } = await composing();
  composer.pick("a1", "", false);
  await answer({ move: null, from: [{ cell: "a1" }], to: [], next: [] });
  composer.pick("z9", "", false);
  const why = "a1 and z9 are not on one line";
  const asked = await answer({ move: null, why, from: [{ cell: "a1" }], to: [{ cell: "z9" }], next: [] });
  assert.deepEqual(asked, { from: [{ cell: "a1" }], to: [{ cell: "z9" }] });
  assert.deepEqual([composer.begun, composer.complaint], [false, why]);
});

test("what is picked up and dropped nowhere leaves everything as it was", async () => {
  const { composer, answer, world } = await composing();
  composer.pick("a1", "", false);
  const from = [{ cell: "a1" }];
  const next = [{ cell: "b1", as: "to" }];
  await answer({ move: null, from, to: [], next });
  composer.grab("a1", "");
  await tasks();
  assert.ok(!world.line.has("hints"), "it is chosen already");
  composer.release();
  await tasks();
  assert.deepEqual(composer.answer?.from, from);
  composer.grab("a1", "");
  composer.drop("z9", 1, false);
  const asked = await answer({ move: null, why: "Not there.", from, to: [{ cell: "z9" }], next: [] });
  assert.deepEqual(asked, { from, to: [{ cell: "z9" }] });
  assert.deepEqual([composer.answer?.to, composer.complaint], [[], "Not there."]);
});

test("pieces that are dropped add up, and a second stack joins the first where both go", async () => {
  const { composer, answer, world } = await composing();
  const tried = async () => {
    world.line.say({ type: "ok", re: world.line.next("try").id, legal: true, position: {} });
    await tasks();
  };
  composer.grab("a1", "");
  const from = [{ cell: "a1" }];
  assert.deepEqual(await answer({ move: null, from, to: [], next: [{ cell: "c1", as: "to" }] }), { from, to: [] });
  composer.drop("c1", 2, false);
  const to = [{ cell: "c1", pieces: 2, least: 1, most: 5 }];
  const next = [{ cell: "b1", as: "from" }];
  assert.deepEqual(await answer({ move: "2xa1-c1", from, to, next }), { from, to: [{ cell: "c1", pieces: 2 }] });
  await tried();
  composer.grab("a1", "");
  composer.drop("c1", 3, true);
  const asked = await answer({ move: "5xa1-c1", from, to: [{ ...to[0], pieces: 5 }], next });
  assert.deepEqual(asked.to, [{ cell: "c1", pieces: 5 }]);
  await tried();
  composer.grab("b1", "");
  await tasks();
  // It cannot begin a move by itself here; where another goes it may go along.
  composer.drop("c1", 1, false);
  const joined = await answer({ move: "5xa1,b1-c1", from: [...from, { cell: "b1", pieces: 1 }], to: [{ cell: "c1" }], next: [] });
  assert.deepEqual(joined, { from: [...from, { cell: "b1", pieces: 1 }], to: [{ cell: "c1", pieces: 5 }] });
});

test("a complete move is made at once where that is wanted, an open one never", async () => {
  const { composer, answer, world } = await composing();
  composer.atOnce = true;
  composer.pick("a1", "", false);
  const from = [{ cell: "a1" }];
  await answer({ move: null, from, to: [], next: [{ cell: "b1", as: "to" }, { cell: "c1", as: "to" }] });
  const say = async (/** @type {object} */ sketch) => {
    await answer(sketch);
    world.line.say({ type: "ok", re: world.line.next("try").id, legal: true, position: {} });
    await tasks();
  };
  composer.pick("b1", "", false);
  await say({ move: "a1-b1", from, to: [{ cell: "b1", pieces: 1, least: 1, most: 2 }], next: [{ cell: "c1", as: "to" }] });
  assert.ok(!world.line.has("move"), "there is an amount to decide");
  composer.pick("c1", "", false);
  await say({ move: "a1-c1", from, to: [{ cell: "c1" }], next: [{ cell: "d1", as: "to" }] });
  assert.ok(!world.line.has("move"), "there may be more to it");
  composer.pick("d1", "", false);
  await say({ move: "a1-d1", from, to: [{ cell: "d1" }], next: [{ cell: "b1", as: "to", instead_of: "d1" }] });
  assert.equal(world.line.next("move").move, "a1-d1");
});

test("an answer about another turn is dropped, and a refused move leaves the last state", async () => {
  const { composer, answer, world } = await composing();
  composer.pick("a1", "", false);
  await answer({ move: null, from: [{ cell: "a1" }], to: [], next: [] }, 5);
  assert.ok(!composer.begun);
  composer.play("a1-z9");
  await tasks();
  const asked = world.line.next("move");
  assert.deepEqual([asked.id, asked.turn], ["g:4", 4]);
  world.line.say({ type: "error", re: asked.id, code: "illegal_move", message: "Not on one line.", retry: "never" });
  await tasks();
  assert.deepEqual([composer.complaint, composer.preview, composer.begun], ["Not on one line.", undefined, false]);
});

test("the board follows the server's snapshots, one question at a time", async () => {
  const world = new World();
  world.connection.open();
  world.welcome();
  let changed = 0;
  /** @type {string[]} */
  const said = [];
  const feed = new Feed(world.connection, "g", {
    changed: () => (changed += 1),
    event: () => {},
    missing: () => said.push("missing"),
    refused: (refused) => said.push(refused.failed.code),
  });
  const lastMove = () => feed.lastMove;
  const line = ["m1", "m2", "m3", "m4", "m5", "m6"];
  const snapshot = async (/** @type {number} */ seq, /** @type {Record<string, string>} */ position, moves = line.slice(0, seq)) => {
    const { id } = world.line.next("watch");
    const seats = [{ user: "ann" }];
    world.line.say({ type: "snapshot", re: id, game: "g", seq, chain: "c", ply: moves.length, moves, position, seats, result: null });
    await tasks();
  };
  const moved = async (/** @type {number} */ ply, /** @type {string[]} */ cells) => {
    const captures = cells.map((cell) => ({ cell, seat: 1, pieces: "X" }));
    world.line.say({ ...event("g", ply, "moved"), ply, captures });
    await tasks();
  };
  feed.open();
  world.line.say({ type: "layout", re: world.line.next("layout").id, game: "g", cells: [], edges: [], letters: ["O"] });
  await tasks();
  await snapshot(2, { a1: "O" });
  assert.deepEqual([changed, feed.seat()], [1, 0]);
  await moved(3, ["b1"]);
  await snapshot(3, { b1: "O" });
  assert.deepEqual(lastMove(), { lost: ["a1"], gained: ["b1"], flights: [{ from: "a1", to: "b1" }], captured: ["b1"] });
  await moved(4, []);
  await moved(5, []);
  assert.equal(world.line.sent.filter((frame) => frame.type === "watch").length, 1);
  await snapshot(5, { c1: "O" });
  assert.deepEqual(feed.snapshot?.position, { c1: "O" });
  assert.equal(lastMove(), undefined, "two moves are not one");
  assert.ok(!world.line.has("watch"), "the answer knew of both");
  await moved(6, []);
  await snapshot(6, { a1: "O" });
  assert.deepEqual(lastMove()?.lost, ["c1"]);
  feed.refresh();
  await snapshot(7, { c1: "O" }, line.slice(0, 5));
  assert.equal(lastMove(), undefined, "a move that was taken back is no move");
  feed.refresh();
  const { id } = world.line.next("watch");
  world.line.say({ type: "error", re: id, code: "forbidden", message: "no", retry: "never" });
  await tasks();
  feed.refresh();
  world.line.say({ type: "error", re: world.line.next("watch").id, code: "not_found", message: "no", retry: "never" });
  await tasks();
  assert.deepEqual(said, ["forbidden", "missing"]);
  feed.close();
});

test("boards are asked for by the page, no page twice, and only so many are kept", async () => {
  const world = new World();
  world.connection.open();
  world.welcome();
  const boards = new Boards(world.connection, "g", () => {});
  let moves = Array.from({ length: 2 * KEPT_MAX }, (_, ply) => `m${ply + 1}`);
  boards.follow(moves);
  const asked = () => world.line.sent.filter((frame) => frame.type === "positions").length;
  const answer = async () => {
    const { id, from_ply, limit } = world.line.next("positions");
    const last = Math.min(from_ply + limit - 1, moves.length);
    const positions = [];
    for (let ply = from_ply; ply <= last; ply += 1) positions.push({ ply, captures: [], position: {}, to_move: 0 });
    world.line.say({ type: "positions", re: id, game: "g", positions, more: false });
    await tasks();
    return [from_ply, limit];
  };
  let pages = 0;
  for (let ply = 0; ply <= moves.length; ply += 1) {
    boards.at(ply);
    for (; asked() > 0; pages += 1) await answer();
    assert.equal(boards.at(ply)?.board.ply, ply);
  }
  assert.equal(pages, 2 * KEPT_MAX / 100 + 1);
  assert.equal(boards.at(moves.length - KEPT_MAX + 2)?.board.ply, moves.length - KEPT_MAX + 2);
  assert.equal(asked(), 0, "what is near is kept");
  assert.equal(boards.at(1), undefined);
  assert.deepEqual(await answer(), [0, 100], "what is far was forgotten");
  // A move that was taken back takes its board along; the rest of its page is known.
  moves = ["m1", "m2", "other", "m4"];
  boards.follow(moves);
  assert.equal(boards.at(2)?.board.ply, 2);
  assert.equal(boards.at(3), undefined);
  assert.deepEqual(await answer(), [3, 97]);
});
