// The connection under drops, restarts, refusals and silence.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused, Unanswered } from "../../src/net/pending.js";
import { World, event } from "./fake_env.js";

function opened() {
  const world = new World();
  world.connection.open();
  world.welcome();
  return world;
}

/** @param {World} world */
function move(world) {
  return world.connection.request({ type: "move", id: "g:3", game: "g", turn: 3, move: "a1-b1" });
}

test("an unanswered move is sent again unchanged after a drop, and a question fails", async () => {
  const world = opened();
  const moved = move(world);
  const asked = world.connection.request({ type: "games" });
  const first = world.line.next("move");
  world.line.hangUp(1006);
  await assert.rejects(asked, Unanswered);
  world.comeBack();
  assert.equal(world.lines.length, 2);
  world.welcome();
  const again = world.line.next("move");
  assert.deepEqual(again, first);
  assert.ok(!world.line.has("games"));
  world.line.say({ type: "ok", re: "g:3", game: "g", seq: 4, turn: 4, dup: true });
  assert.equal((await moved).dup, true);
});

test("what is asked without a connection waits for one", async () => {
  const world = new World();
  world.connection.open();
  const asked = world.connection.request({ type: "games" });
  assert.deepEqual(world.line.sent, []);
  world.welcome();
  const { id } = world.line.next("games");
  world.line.say({ type: "games", re: id, games: [], more: false });
  assert.deepEqual((await asked).games, []);
});

test("a new hello resumes by seq and chain", () => {
  const world = opened();
  world.connection.request({ type: "watch", game: "g", from: 1 }).catch(() => {});
  world.line.say({ type: "ok", re: world.line.next("watch").id, game: "g", seq: 2 });
  world.line.say(event("g", 1));
  world.line.say(event("g", 2));
  world.line.hangUp(1006);
  world.comeBack();
  assert.deepEqual(world.welcome().resume, { g: { seq: 2, chain: "chain-2" } });
});

test("a fork forgets what was known", () => {
  const world = opened();
  world.line.say(event("g", 1));
  world.line.hangUp(4004);
  world.comeBack();
  world.welcome({ games: [{ game: "g", resume: "fork" }] });
  world.line.hangUp(1006);
  world.comeBack();
  assert.deepEqual(world.welcome().resume, { g: { seq: 0, chain: "0".repeat(64) } });
});

test("events are passed on once and in order, and a gap is asked for", () => {
  const world = opened();
  /** @type {number[]} */
  const heard = [];
  world.connection.on("event", ({ seq }) => heard.push(seq));
  for (const seq of [1, 1, 2, 4]) world.line.say(event("g", seq));
  assert.deepEqual(heard, [1, 2]);
  const watch = world.line.next("watch");
  assert.equal(watch.from, 3);
  world.line.say({ type: "ok", re: watch.id, game: "g", seq: 4 });
  for (const seq of [3, 4, 5]) world.line.say(event("g", seq));
  assert.deepEqual(heard, [1, 2, 3, 4, 5]);
});

for (const code of [1001, 1003, 1008, 1009, 4001, 4002, 4003]) {
  test(`after ${code} the page does not come back by itself`, async () => {
    const world = opened();
    const moved = move(world);
    world.line.hangUp(code, "why");
    await assert.rejects(moved, Unanswered);
    world.pass(600_000);
    assert.equal(world.lines.length, 1);
    assert.deepEqual(world.connection.condition, { is: "ended", code, reason: "why" });
    world.connection.open();
    world.welcome();
    assert.equal(world.connection.condition.is, "open", "a person may ask for it");
  });
}

for (const code of [1000, 1006, 1011, 1012, 4004, 4005, 4006, 4999]) {
  test(`after ${code} the page comes back`, () => {
    const world = opened();
    world.line.hangUp(code);
    world.comeBack();
    assert.equal(world.lines.length, 2);
  });
}

test("a restart is waited for as long as the server wishes", () => {
  const world = opened();
  world.line.say({ type: "notice", what: "restart", in_ms: 2_367 });
  world.line.hangUp(1012);
  const { condition } = world.connection;
  assert.ok(condition.is === "waiting" && condition.restart);
  world.pass(2_366);
  assert.equal(world.lines.length, 1);
  world.pass(1);
  assert.equal(world.lines.length, 2);
});

test("waits grow, and begin anew after a connection that held", () => {
  const world = opened();
  world.random = 0.999_999;
  const waits = [];
  world.line.hangUp(1006);
  for (let attempt = 0; attempt < 9; attempt += 1) {
    const { condition } = world.connection;
    assert.ok(condition.is === "waiting");
    waits.push(Math.round(condition.until - world.now));
    world.pass(condition.until - world.now);
    world.line.hangUp(1006);
  }
  assert.deepEqual(waits, [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  world.comeBack();
  world.welcome();
  for (let second = 0; second < 16; second += 1) {
    world.line.say({ type: "lobby", add: [], remove: [] });
    world.pass(1_000);
  }
  world.line.hangUp(1006);
  const { condition } = world.connection;
  assert.ok(condition.is === "waiting" && Math.round(condition.until - world.now) === 250);
});

test("silence shows first and is left after the server's own limit", () => {
  const world = opened();
  world.pass(14_000);
  assert.deepEqual(world.connection.condition, { is: "open", stale: false });
  assert.ok(world.line.has("ping"));
  world.pass(2_000);
  assert.deepEqual(world.connection.condition, { is: "open", stale: true });
  world.line.say({ type: "lobby", add: [], remove: [] });
  assert.deepEqual(world.connection.condition, { is: "open", stale: false });
  const silent = world.line;
  world.pass(30_500);
  assert.ok(silent.closed);
  assert.equal(world.lines.length, 2);
});

test("a server that never welcomes is tried again", () => {
  const world = new World();
  world.connection.open();
  world.line.onopen?.call(world.line, {});
  world.pass(10_000);
  world.comeBack();
  assert.equal(world.lines.length, 2);
});

test("a refusal is the server's words, and 'after' is waited for in silence", async () => {
  const world = opened();
  const asked = world.connection.request({ type: "games" });
  const { id } = world.line.next("games");
  world.line.say({ type: "error", re: id, code: "rate_limited", message: "Wait.", retry: "after", retry_after_ms: 700 });
  world.pass(699);
  assert.ok(!world.line.has("games"));
  world.pass(1);
  assert.equal(world.line.next("games").id, id);
  world.line.say({ type: "error", re: id, code: "not_found", message: "There is none.", retry: "never" });
  await assert.rejects(asked, (error) => error instanceof Refused && error.message === "There is none.");
});

test("a refused hello is put to the page, which may say another one", () => {
  const world = new World();
  world.auth = { token: "at_old" };
  world.refused = ({ code }) => {
    assert.equal(code, "unauthorized");
    world.auth = undefined;
    return true;
  };
  world.connection.open();
  world.line.onopen?.call(world.line, {});
  const hello = world.line.next("hello");
  assert.deepEqual(hello.auth, { token: "at_old" });
  world.line.say({ type: "error", re: hello.id, code: "unauthorized", message: "No.", retry: "never" });
  world.comeBack();
  assert.equal(world.welcome().auth, undefined);
  assert.equal(world.connection.condition.is, "open");
});

test("the server's time is taken from the shortest way", () => {
  const world = opened();
  const { t0, id } = world.line.next("ping");
  world.pass(40);
  world.line.say({ type: "pong", re: id, t0, t1: t0 + 5_020, t2: t0 + 5_020 });
  assert.equal(world.connection.time.now(), world.now + 5_000);
  world.pass(10_000);
  const later = world.line.next("ping");
  world.pass(900);
  world.line.say({ type: "pong", re: later.id, t0: later.t0, t1: later.t0 + 9_000, t2: later.t0 + 9_000 });
  assert.equal(world.connection.time.now(), world.now + 5_000, "a slow answer is not believed");
});

test("no more is sent at once than the server allows, and moves go first", () => {
  const world = new World();
  world.connection.open();
  world.welcome({ limits: { burst: 10, per_s: 5 } });
  for (let asked = 0; asked < 20; asked += 1) world.connection.request({ type: "games" }).catch(() => {});
  // The ping that comes with a welcome is one of them.
  assert.deepEqual(world.line.sent.map((frame) => frame.type), ["ping", ...Array(7).fill("games")]);
  move(world);
  world.pass(250);
  assert.equal(world.line.sent.at(-1).type, "move");
  world.pass(1_000);
  assert.equal(world.line.sent.length, 13);
  world.pass(9_000);
  assert.equal(world.line.sent.filter((frame) => frame.type === "games").length, 20);
});
