// The logic of a game's view: clocks, changes of positions, sketched moves, and the server's state.

import assert from "node:assert/strict";
import { test } from "node:test";
import { changes } from "../../src/board/changes.js";
import { Geometry } from "../../src/board/geometry.js";
import { PositionCache, CACHED_MAX } from "../../src/game/position_cache.js";
import { formatTime, timeLeft } from "../../src/game/clock.js";
import { MoveInput, movesOf } from "../../src/game/move_input.js";
import { GameSync } from "../../src/game/game_sync.js";
import { takenBack } from "../../src/game/taken_back.js";
import { FakeEnv, event } from "./fake_env.js";

const CLOCK = { mode: "fischer", base_ms: 60_000, inc_ms: 0, left_ms: [30_000, 20_000], running: 1, since: 5_000 };

test("only the running clock counts down, and it stops at zero", () => {
  assert.equal(timeLeft(CLOCK, 0, 9_000), 30_000);
  assert.equal(timeLeft(CLOCK, 1, 9_000), 16_000);
  assert.equal(timeLeft(CLOCK, 1, 4_000), 20_000, "the server's clock is never ahead of itself");
  assert.equal(timeLeft(CLOCK, 1, 90_000), 0);
  assert.equal(timeLeft({ mode: "none" }, 0, 1), undefined);
});

test("clock times are rounded up", () => {
  const faces = [0, 1, 9_940, 10_000, 59_001, 61_000, 3_600_000, 86_399_000, 86_400_000, 90_000_000, 172_799_000];
  assert.deepEqual(faces.map(formatTime), [
    "0.0", "0.1", "10.0", "0:10", "1:00", "1:01", "1:00:00", "23:59:59", "1 d 00 h", "1 d 01 h", "2 d 00 h",
  ]);
});

test("a takeback of the player to move takes the answers back, too", () => {
  /** @param {string} moves @param {number} next @param {number} players @param {string} [state] */
  const game = (moves, next, players, state = "in") =>
    /** @type {any} */ ({ moves: moves.split(" ").filter(Boolean), to_move: next, seats: Array.from({ length: players }, () => ({ state })) });
  assert.equal(takenBack(game("a b", 0, 2), 0), 2);
  assert.equal(takenBack(game("a b", 0, 2), 1), 1);
  assert.equal(takenBack(game("a", 1, 2), 1), 0, "who has not moved");
  assert.equal(takenBack(game("a b c d", 1, 3), 1), 3);
  assert.equal(takenBack(game("a b pass", 1, 2), 1), 1, "a skip is no move");
  assert.equal(takenBack(game("a swap c", 0, 2), 0), 0, "nobody takes back what was before the change of seats");
  assert.equal(takenBack(game("a b c", 0, 3, "resigned"), 0), 1);
});

test("only unambiguous moves are animated", () => {
  const split = changes({ c1: "OOO" }, { c1: "O", c2: "O", d1: "O" });
  assert.deepEqual(split.flights, [{ from: "c1", to: "c2" }, { from: "c1", to: "d1" }]);
  const merge = changes({ a1: "O", b1: "O" }, { c1: "OO" });
  assert.deepEqual(merge.flights, [{ from: "a1", to: "c1" }, { from: "b1", to: "c1" }]);
  const capture = changes({ a1: "O", b1: "X" }, { b1: "O" });
  assert.deepEqual([capture.lost, capture.gained], [["a1"], ["b1"]]);
  assert.deepEqual(changes({}, { a1: "V", b2: "V" }).flights, []);
});

test("a shared goal has a strip for each seat, and arrow keys go to neighbours", () => {
  const cells = [0, 1, 2].flatMap((x) => [0, 1].map((y) => ({ name: `${x}${y}`, x, y, shape: "point" })));
  const edges = [0, 1].map((seat) => ({ seat, name: "top", cells: ["00", "10", "20"] }));
  const layout = { type: /** @type {const} */ ("layout"), re: "l", game: "g", cells, edges, letters: ["O", "X"] };
  const geometry = new Geometry(layout);
  assert.deepEqual(geometry.goals.map((goal) => goal.seat).sort(), [0, 1]);
  assert.ok(geometry.goals.every((goal) => goal.line.every((place) => place.y < 0)), "they lie outside");
  assert.equal(geometry.nextInDirection("00", 1, 0), "10");
  assert.equal(geometry.nextInDirection("10", 0, 1), "11");
  assert.equal(geometry.nextInDirection("00", -1, 0), undefined);
});

test("a board is turned so that a seat's side is down, and arrow keys follow", () => {
  const cells = [0, 1, 2].flatMap((x) => [0, 1].map((y) => ({ name: `${x}${y}`, x, y, shape: "point" })));
  const edges = [0, 1].map((seat) => ({ seat, name: "home", cells: [0, 1, 2].map((x) => `${x}${1 - seat}`) }));
  const layout = { type: /** @type {const} */ ("layout"), re: "l", game: "g", cells, edges, letters: ["O", "X"] };
  const upright = new Geometry(layout, { seat: 0 });
  assert.ok((upright.cells.get("01")?.y ?? 0) > (upright.cells.get("00")?.y ?? 0));
  const turned = new Geometry(layout, { seat: 1 });
  assert.ok((turned.cells.get("00")?.y ?? 0) > (turned.cells.get("01")?.y ?? 0));
  assert.equal(turned.nextInDirection("00", -1, 0), "10");
  assert.deepEqual(turned.rows()[0]?.map((cell) => cell.name), ["21", "11", "01"]);
  const start = { "00": "O", 21: "X" };
  const started = new Geometry({ ...layout, edges: [] }, { seat: 1, start });
  assert.ok((started.cells.get("21")?.y ?? 0) > (started.cells.get("00")?.y ?? 0), "where its pieces begin, without a home edge");
  const back = new Geometry(layout, { seat: 1, flipped: true });
  assert.equal(back.nextInDirection("00", 1, 0), "10");
});

/** A connection with a sketch in progress. */
async function startMoveInput() {
  const env = new FakeEnv();
  env.connection.open();
  env.welcome();
  const moveInput = new MoveInput(movesOf(env.connection, "g"), { onChange: () => {} });
  const answer = async (/** @type {object} */ sketch, turn = 4) => {
    await settle();
    const asked = env.socket.next("hints");
    env.socket.receive({ type: "hints", re: asked.id, game: "g", turn, to_move: 0, cells: [], sketch });
    await settle();
    return asked.sketch;
  };
  moveInput.begin(4);
  await answer({ move: null, from: [], to: [], next: [{ cell: "a1", as: "from" }] });
  return { env, moveInput, answer };
}

/** Lets pending promises settle. */
function settle() {
  return new Promise((resolve) => setImmediate(resolve));
}

test("a click picks a cell in the server's role and may replace another", async () => {
  const { moveInput, answer } = await startMoveInput();
  moveInput.pick("a1", "", false);
  const from = [{ cell: "a1" }];
  assert.deepEqual(
    await answer({ move: null, from, to: [], next: [{ cell: "b1", as: "to" }, { cell: "c1", as: "to" }] }),
    { from: [{ cell: "a1" }], to: [] },
  );
  moveInput.pick("b1", "", false);
  const next = [{ cell: "c1", as: "to", instead_of: "b1" }];
  await answer({ move: "a1-b1", from, to: [{ cell: "b1" }], next, position: { b1: "O" } });
  assert.deepEqual(moveInput.draft.preview, { position: { b1: "O" }, threatened: [], captures: [] });
  moveInput.pick("c1", "", false);
  const asked = await answer({ move: null, from, to: [{ cell: "c1" }], next: [] });
  assert.deepEqual(asked, { from, to: [{ cell: "c1" }] });
});

test("clicks on a destination add pieces up to the maximum", async () => {
  const { moveInput, answer, env } = await startMoveInput();
  moveInput.pick("a1", "", false);
  const from = [{ cell: "a1" }];
  const to = (/** @type {number} */ pieces) => [{ cell: "b1", pieces, least: 1, most: 2 }];
  await answer({ move: null, from, to: to(1), next: [] });
  moveInput.pick("b1", "", false);
  assert.deepEqual((await answer({ move: null, from, to: to(2), next: [] })).to, [{ cell: "b1", pieces: 2 }]);
  moveInput.pick("b1", "", false);
  await settle();
  assert.ok(!env.socket.has("hints"), "there are no more");
  moveInput.changeAmount(-1);
  moveInput.changeAmount(-1);
  assert.deepEqual((await answer({ move: null, from, to: [], next: [] })).to, [{ cell: "b1", pieces: 1 }]);
  assert.deepEqual((await answer({ move: null, from, to: [], next: [] })).to, []);
});

test("a wrong click shows the server's reason and keeps what is composed", async () => {
  const { moveInput, answer } = await startMoveInput();
  moveInput.pick("a1", "", false);
  await answer({ move: null, from: [{ cell: "a1" }], to: [], next: [] });
  moveInput.pick("z9", "", false);
  const why = "a1 and z9 are not on one line";
  const asked = await answer({ move: null, why, from: [{ cell: "a1" }], to: [{ cell: "z9" }], next: [] });
  assert.deepEqual(asked, { from: [{ cell: "a1" }], to: [{ cell: "z9" }] });
  assert.deepEqual([moveInput.draft.answer?.from, moveInput.error], [[{ cell: "a1" }], `${why}.`]);
});

test("the steps of a turn answer the first click without a request", async () => {
  const { env, moveInput, answer } = await startMoveInput();
  /** @type {string[]} */
  const refused = [];
  const input = new MoveInput(movesOf(env.connection, "g"), { onChange: () => {}, onRefused: (cell) => refused.push(cell) });
  const first = [
    { cell: "a1", as: /** @type {const} */ ("from"), to: ["b1", "c1"], capture: ["c1"] },
    { cell: "b1", as: /** @type {const} */ ("from") },
    { cell: "d1", as: /** @type {const} */ ("to"), move: "d1", to: ["e1"] },
  ];
  input.setSteps(6, { first, words: ["swap"] });
  input.begin(6);
  input.pick("z9", "", false);
  assert.deepEqual([refused, input.draft.started, input.draft.namedMoves], [["z9"], false, ["swap"]]);
  input.pick("a1", "", false);
  await settle();
  assert.ok(!env.socket.has("hints"));
  assert.deepEqual(input.draft.answer?.next.map(({ cell, capture }) => [cell, capture]), [["b1", false], ["c1", true]]);
  // Its list was left out, so the server is asked.
  input.pick("a1", "", false);
  input.pick("b1", "", false);
  assert.deepEqual([input.draft.started, input.draft.guessed], [true, true]);
  input.clear();
  input.pick("d1", "", false);
  assert.deepEqual([input.playable, input.draft.guessed], [true, false], "the step is a move by itself");
  input.pick("e1", "", false);
  assert.equal(input.playable, true, "it may be one still");
  await settle();
  const asked = env.socket.sent.filter(({ type }) => type === "hints").at(-1);
  assert.deepEqual([asked.board, asked.sketch], [true, { from: [], to: [{ cell: "d1" }, { cell: "e1" }] }]);
  input.play();
  await settle();
  assert.ok(!env.socket.has("move"), "the move is not known yet");
  const sketch = { move: "d1,e1", from: [], to: [{ cell: "d1" }, { cell: "e1" }], next: [], position: { d1: "O", e1: "O" } };
  env.socket.receive({ type: "hints", re: asked.id, game: "g", turn: 6, to_move: 0, cells: [], sketch });
  await settle();
  assert.deepEqual([env.socket.next("move").move, input.sent, input.draft.preview?.position], ["d1,e1", "d1,e1", sketch.position]);
  assert.ok(!input.active, "nothing can be picked while the move is under way");
  assert.ok(moveInput.active && answer);
});

test("undo takes one pick back, and answers to what was undone are dropped", async () => {
  const { env, moveInput, answer } = await startMoveInput();
  moveInput.pick("a1", "", false);
  const from = [{ cell: "a1" }];
  await answer({ move: null, from, to: [], next: [{ cell: "b1", as: "to" }, { cell: "c1", as: "to" }] });
  moveInput.pick("b1", "", false);
  moveInput.undo();
  await answer({ move: "a1-b1", from, to: [{ cell: "b1" }], next: [], position: {} });
  assert.deepEqual([moveInput.draft.answer?.to, moveInput.playable], [[], false]);
  moveInput.undo();
  assert.ok(!moveInput.draft.started);
  assert.ok(!env.socket.has("move"));
});

test("a cancelled drag restores the sketch", async () => {
  const { moveInput, answer, env } = await startMoveInput();
  moveInput.pick("a1", "", false);
  const from = [{ cell: "a1" }];
  const next = [{ cell: "b1", as: "to" }];
  await answer({ move: null, from, to: [], next });
  moveInput.grab("a1", "");
  await settle();
  assert.ok(!env.socket.has("hints"), "it is chosen already");
  moveInput.release();
  await settle();
  assert.deepEqual(moveInput.draft.answer?.from, from);
  moveInput.grab("a1", "");
  moveInput.drop("z9", 1, false);
  const asked = await answer({ move: null, why: "Not there.", from, to: [{ cell: "z9" }], next: [] });
  assert.deepEqual(asked, { from, to: [{ cell: "z9" }] });
  assert.deepEqual([moveInput.draft.answer?.to, moveInput.error], [[], "Not there."]);
});

test("dropped pieces add up, and a second stack joins the first", async () => {
  const { moveInput, answer } = await startMoveInput();
  moveInput.grab("a1", "");
  const from = [{ cell: "a1" }];
  assert.deepEqual(await answer({ move: null, from, to: [], next: [{ cell: "c1", as: "to" }] }), { from, to: [] });
  moveInput.drop("c1", 2, false);
  const to = [{ cell: "c1", pieces: 2, least: 1, most: 5 }];
  const next = [{ cell: "b1", as: "from" }];
  assert.deepEqual(await answer({ move: "2xa1-c1", from, to, next }), { from, to: [{ cell: "c1", pieces: 2 }] });
  moveInput.grab("a1", "");
  moveInput.drop("c1", 3, true);
  const asked = await answer({ move: "5xa1-c1", from, to: [{ ...to[0], pieces: 5 }], next });
  assert.deepEqual(asked.to, [{ cell: "c1", pieces: 5 }]);
  moveInput.grab("b1", "");
  await settle();
  // It cannot begin a move, but it can join another stack.
  moveInput.drop("c1", 1, false);
  const joined = await answer({ move: "5xa1,b1-c1", from: [...from, { cell: "b1", pieces: 1 }], to: [{ cell: "c1" }], next: [] });
  assert.deepEqual(joined, { from: [...from, { cell: "b1", pieces: 1 }], to: [{ cell: "c1", pieces: 5 }] });
});

test("auto-play sends a complete move and never an open one", async () => {
  const { moveInput, answer, env } = await startMoveInput();
  moveInput.autoPlay = true;
  moveInput.pick("a1", "", false);
  const from = [{ cell: "a1" }];
  await answer({ move: null, from, to: [], next: [{ cell: "b1", as: "to" }, { cell: "c1", as: "to" }] });
  moveInput.pick("b1", "", false);
  await answer({ move: "a1-b1", from, to: [{ cell: "b1", pieces: 1, least: 1, most: 2 }], next: [{ cell: "c1", as: "to" }] });
  assert.ok(!env.socket.has("move"), "there is an amount to decide");
  moveInput.pick("c1", "", false);
  await answer({ move: "a1-c1", from, to: [{ cell: "c1" }], next: [{ cell: "d1", as: "to" }] });
  assert.ok(!env.socket.has("move"), "there may be more to it");
  moveInput.pick("d1", "", false);
  await answer({ move: "a1-d1", from, to: [{ cell: "d1" }], next: [{ cell: "b1", as: "to", instead_of: "d1" }] });
  assert.equal(env.socket.next("move").move, "a1-d1");
});

test("answers about other turns are dropped, and a refused move stays composed", async () => {
  const { moveInput, answer, env } = await startMoveInput();
  moveInput.pick("a1", "", false);
  const from = [{ cell: "a1" }];
  await answer({ move: "a1-b1", from, to: [], next: [] }, 5);
  assert.ok(!moveInput.playable);
  moveInput.clear();
  moveInput.pick("a1", "", false);
  await answer({ move: "a1-b1", from, to: [], next: [], position: { b1: "O" } });
  moveInput.playNotation("a1-z9");
  await settle();
  const asked = env.socket.next("move");
  assert.deepEqual([asked.id, asked.turn, moveInput.sent], ["g:4", 4, "a1-z9"]);
  env.socket.receive({ type: "error", re: asked.id, code: "illegal_move", message: "Not on one line.", retry: "never" });
  await settle();
  assert.deepEqual([moveInput.error, moveInput.sent, moveInput.draft.answer?.move], ["Not on one line.", undefined, "a1-b1"]);
});

test("a board without edges waits for the position before the first move, which tells the seats' sides", async () => {
  const env = new FakeEnv();
  env.connection.open();
  env.welcome();
  let changed = 0;
  const sync = new GameSync(env.connection, "g", { onChange: () => (changed += 1), onEvent: () => {}, onNotFound: () => {}, onError: () => {} });
  sync.open();
  env.socket.receive({ type: "layout", re: env.socket.next("layout").id, game: "g", cells: [], edges: [], letters: ["O"] });
  const { id } = env.socket.next("watch");
  env.socket.receive({ type: "snapshot", re: id, game: "g", seq: 2, chain: "c", ply: 1, moves: ["m"], position: { a1: "O" }, seats: [{ user: "ann" }], result: null });
  await settle();
  assert.equal(changed, 0, "the board would be turned at once again");
  const asked = env.socket.next("positions");
  assert.deepEqual([asked.from_ply, asked.limit], [0, 1]);
  env.socket.receive({ type: "positions", re: asked.id, game: "g", positions: [{ ply: 0, position: { c1: "O" }, captures: [] }], more: true });
  await settle();
  assert.deepEqual([changed, sync.start], [1, { c1: "O" }]);
});

test("the board follows the server's snapshots with one request at a time", async () => {
  const env = new FakeEnv();
  env.connection.open();
  env.welcome();
  let changed = 0;
  /** @type {string[]} */
  const said = [];
  const sync = new GameSync(env.connection, "g", {
    onChange: () => (changed += 1),
    onEvent: () => {},
    onNotFound: () => said.push("missing"),
    onError: (refused) => said.push(refused.failed.code),
  });
  const lastMove = () => sync.lastMove;
  const line = ["m1", "m2", "m3", "m4", "m5", "m6"];
  const snapshot = async (/** @type {number} */ seq, /** @type {Record<string, string>} */ position, moves = line.slice(0, seq)) => {
    const { id } = env.socket.next("watch");
    const seats = [{ user: "ann" }];
    env.socket.receive({ type: "snapshot", re: id, game: "g", seq, chain: "c", ply: moves.length, moves, position, seats, result: null });
    await settle();
  };
  const moved = async (/** @type {number} */ ply, /** @type {string[]} */ cells) => {
    const captures = cells.map((cell) => ({ cell, seat: 1, pieces: "X" }));
    env.socket.receive({ ...event("g", ply, "moved"), ply, captures });
    await settle();
  };
  sync.open();
  env.socket.receive({ type: "layout", re: env.socket.next("layout").id, game: "g", cells: [], edges: [{ seat: 0, name: "home", cells: [] }], letters: ["O"] });
  await settle();
  await snapshot(2, { a1: "O" });
  assert.deepEqual([changed, sync.seat()], [1, 0]);
  await moved(3, ["b1"]);
  await snapshot(3, { b1: "O" });
  assert.deepEqual(lastMove(), { lost: ["a1"], gained: ["b1"], flights: [{ from: "a1", to: "b1" }], captured: ["b1"] });
  await moved(4, []);
  await moved(5, []);
  assert.equal(env.socket.sent.filter((frame) => frame.type === "watch").length, 1);
  await snapshot(5, { c1: "O" });
  assert.deepEqual(sync.snapshot?.position, { c1: "O" });
  assert.equal(lastMove(), undefined, "two moves are not one");
  assert.ok(!env.socket.has("watch"), "the answer knew of both");
  await moved(6, []);
  await snapshot(6, { a1: "O" });
  assert.deepEqual(lastMove()?.lost, ["c1"]);
  sync.refresh();
  await snapshot(7, { c1: "O" }, line.slice(0, 5));
  assert.equal(lastMove(), undefined, "a move that was taken back is no move");
  sync.refresh();
  const { id } = env.socket.next("watch");
  env.socket.receive({ type: "error", re: id, code: "forbidden", message: "no", retry: "never" });
  await settle();
  sync.refresh();
  env.socket.receive({ type: "error", re: env.socket.next("watch").id, code: "not_found", message: "no", retry: "never" });
  await settle();
  assert.deepEqual(said, ["forbidden", "missing"]);
  sync.close();
});

test("a view that leaves ends no turns of a player, and nothing that another view follows", async () => {
  const env = new FakeEnv();
  env.connection.open();
  env.welcome();
  const user = env.connection.welcome?.user?.name;
  const open = () => {
    const sync = new GameSync(env.connection, "g", { onChange: () => {}, onEvent: () => {}, onNotFound: () => {}, onError: () => {} });
    sync.open();
    return sync;
  };
  const answer = async (/** @type {string | undefined} */ player) => {
    env.socket.receive({ type: "layout", re: env.socket.next("layout").id, game: "g", cells: [], edges: [{ seat: 0, name: "home", cells: [] }], letters: ["O"] });
    const { id } = env.socket.next("watch");
    env.socket.receive({ type: "snapshot", re: id, game: "g", seq: 2, chain: "c", ply: 1, moves: ["m"], position: {}, seats: [{ user: player }], result: null });
    await settle();
  };
  open().close();
  await answer(user);
  assert.ok(!env.socket.has("unwatch"), "it has left before it knew that the user plays");
  const [one, other] = [open(), open()];
  await answer("zoe");
  await answer("zoe");
  one.close();
  assert.ok(!env.socket.has("unwatch"), "the other view follows it");
  other.close();
  assert.equal(env.socket.next("unwatch").game, "g");
  open().close();
  assert.ok(!env.socket.has("unwatch"));
  await answer("zoe");
  assert.equal(env.socket.next("unwatch").game, "g");
});

test("positions are requested by the page, none twice, and old ones are evicted", async () => {
  const env = new FakeEnv();
  env.connection.open();
  env.welcome();
  const cache = new PositionCache(env.connection, "g", () => {});
  let moves = Array.from({ length: 2 * CACHED_MAX }, (_, ply) => `m${ply + 1}`);
  cache.setMoves(moves);
  const asked = () => env.socket.sent.filter((frame) => frame.type === "positions").length;
  const answer = async () => {
    const { id, from_ply, limit } = env.socket.next("positions");
    const last = Math.min(from_ply + limit - 1, moves.length);
    const positions = [];
    for (let ply = from_ply; ply <= last; ply += 1) positions.push({ ply, captures: [], position: {}, to_move: 0 });
    env.socket.receive({ type: "positions", re: id, game: "g", positions, more: false });
    await settle();
    return [from_ply, limit];
  };
  let pages = 0;
  for (let ply = 0; ply <= moves.length; ply += 1) {
    cache.at(ply);
    for (; asked() > 0; pages += 1) await answer();
    assert.equal(cache.at(ply)?.board.ply, ply);
  }
  assert.equal(pages, 2 * CACHED_MAX / 100 + 1);
  assert.equal(cache.at(moves.length - CACHED_MAX + 2)?.board.ply, moves.length - CACHED_MAX + 2);
  assert.equal(asked(), 0, "what is near is kept");
  assert.equal(cache.at(1), undefined);
  assert.deepEqual(await answer(), [0, 100], "what is far was forgotten");
  // A takeback evicts its position. The rest of its page stays.
  moves = ["m1", "m2", "other", "m4"];
  cache.setMoves(moves);
  assert.equal(cache.at(2)?.board.ply, 2);
  assert.equal(cache.at(3), undefined);
  assert.deepEqual(await answer(), [3, 97]);
});
