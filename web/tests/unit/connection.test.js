// The connection under drops, restarts, errors and silence.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestError, ConnectionLost } from "../../src/net/pending.js";
import { stopwatch } from "../../src/net/stopwatch.js";
import { FakeEnv, event } from "./fake_env.js";

function opened() {
  const env = new FakeEnv();
  env.connection.open();
  env.welcome();
  return env;
}

/** @param {FakeEnv} env */
function move(env) {
  return env.connection.request({ type: "move", id: "g:3", game: "g", turn: 3, move: "a1-b1" });
}

test("after a drop an unanswered move is sent again and a query fails", async () => {
  const env = opened();
  const moved = move(env);
  const asked = env.connection.request({ type: "games" });
  const first = env.socket.next("move");
  env.socket.disconnect(1006);
  await assert.rejects(asked, ConnectionLost);
  env.reconnect();
  assert.equal(env.sockets.length, 2);
  env.welcome();
  const again = env.socket.next("move");
  assert.deepEqual(again, first);
  assert.ok(!env.socket.has("games"));
  env.socket.receive({ type: "ok", re: "g:3", game: "g", seq: 4, turn: 4, dup: true });
  assert.equal((await moved).dup, true);
});

test("requests without a connection wait for one", async () => {
  const env = new FakeEnv();
  env.connection.open();
  const asked = env.connection.request({ type: "games" });
  assert.deepEqual(env.socket.sent, []);
  env.welcome();
  const { id } = env.socket.next("games");
  env.socket.receive({ type: "games", re: id, games: [], more: false });
  assert.deepEqual((await asked).games, []);
});

test("a connection that is still opening serves another user, and one that is open does not", () => {
  const env = new FakeEnv();
  env.connection.open();
  env.auth = { guest: "ann", bot: false };
  env.connection.reopen();
  assert.deepEqual(env.welcome().auth, { guest: "ann", bot: false });
  assert.equal(env.sockets.length, 1);
  env.auth = { guest: "bob", bot: false };
  env.connection.reopen();
  assert.ok(env.socket.closed);
  env.reconnect();
  assert.deepEqual(env.welcome().auth, { guest: "bob", bot: false });
  assert.equal(env.sockets.length, 2);
});

test("a new hello resumes by seq and chain", () => {
  const env = opened();
  env.connection.request({ type: "watch", game: "g", from: 1 }).catch(() => {});
  env.socket.receive({ type: "ok", re: env.socket.next("watch").id, game: "g", seq: 2 });
  env.socket.receive(event("g", 1));
  env.socket.receive(event("g", 2));
  env.socket.disconnect(1006);
  env.reconnect();
  assert.deepEqual(env.welcome().resume, { g: { seq: 2, chain: "chain-2" } });
});

test("a fork resets the cursor", () => {
  const env = opened();
  env.socket.receive(event("g", 1));
  env.socket.disconnect(4004);
  env.reconnect();
  env.welcome({ games: [{ game: "g", resume: "fork" }] });
  env.socket.disconnect(1006);
  env.reconnect();
  assert.deepEqual(env.welcome().resume, { g: { seq: 0, chain: "0".repeat(64) } });
});

test("events are delivered once and in order, and a gap is requested", () => {
  const env = opened();
  /** @type {number[]} */
  const delivered = [];
  env.connection.on("event", ({ seq }) => delivered.push(seq));
  for (const seq of [1, 1, 2, 4]) env.socket.receive(event("g", seq));
  assert.deepEqual(delivered, [1, 2]);
  const watch = env.socket.next("watch");
  assert.equal(watch.from, 3);
  env.socket.receive({ type: "ok", re: watch.id, game: "g", seq: 4 });
  for (const seq of [3, 4, 5]) env.socket.receive(event("g", seq));
  assert.deepEqual(delivered, [1, 2, 3, 4, 5]);
});

for (const code of [1001, 1002, 1003, 1007, 1008, 1009, 4001, 4002, 4003]) {
  test(`after close code ${code} the page does not reconnect`, async () => {
    const env = opened();
    const moved = move(env);
    env.socket.disconnect(code, "why");
    await assert.rejects(moved, ConnectionLost);
    env.advance(600_000);
    assert.equal(env.sockets.length, 1);
    assert.deepEqual(env.connection.state, { is: "ended", code, reason: "why" });
    env.connection.open();
    env.welcome();
    assert.equal(env.connection.state.is, "open", "a person may ask for it");
  });
}

for (const code of [1000, 1006, 1011, 1012, 4004, 4005, 4006, 4999]) {
  test(`after close code ${code} the page reconnects`, () => {
    const env = opened();
    env.socket.disconnect(code);
    env.reconnect();
    assert.equal(env.sockets.length, 2);
  });
}

test("after a restart notice the page waits as long as the server says", () => {
  const env = opened();
  env.socket.receive({ type: "notice", what: "restart", in_ms: 2_367 });
  env.socket.disconnect(1012);
  const { state } = env.connection;
  assert.ok(state.is === "waiting" && state.restart);
  env.advance(2_366);
  assert.equal(env.sockets.length, 1);
  env.advance(1);
  assert.equal(env.sockets.length, 2);
});

test("waits grow and are reset by a steady connection", () => {
  const env = opened();
  env.random = 0.999_999;
  const waits = [];
  env.socket.disconnect(1006);
  // The third attempt meets a silent network.
  for (let attempt = 0; attempt < 25; attempt += 1) {
    const { state } = env.connection;
    assert.ok(state.is === "waiting");
    waits.push(Math.round(state.until - env.now));
    env.advance(state.until - env.now);
    if (attempt === 2) env.advance(3_000);
    else env.socket.disconnect(1006);
  }
  assert.deepEqual(waits, [250, 500, 1_000, 2_000, ...Array(18).fill(3_000), 15_000, 15_000, 15_000]);
  env.reconnect();
  env.welcome();
  for (let second = 0; second < 16; second += 1) {
    env.socket.receive({ type: "lobby", add: [], remove: [] });
    env.advance(1_000);
  }
  env.socket.disconnect(1006);
  const { state } = env.connection;
  assert.ok(state.is === "waiting" && Math.round(state.until - env.now) === 250);
});

test("a silent connection is reported and then closed at the server's limit", () => {
  const env = opened();
  env.advance(14_000);
  assert.deepEqual(env.connection.state, { is: "open", stale: false });
  assert.ok(env.socket.has("ping"));
  env.advance(2_000);
  assert.deepEqual(env.connection.state, { is: "open", stale: true });
  env.socket.receive({ type: "lobby", add: [], remove: [] });
  assert.deepEqual(env.connection.state, { is: "open", stale: false });
  const silent = env.socket;
  env.advance(30_500);
  assert.ok(silent.closed);
  assert.equal(env.sockets.length, 2);
});

test("whoever waits for the connection can end the wait", () => {
  const env = opened();
  env.random = 0.999_999;
  env.advance(1_000);
  env.connection.hurry();
  env.socket.disconnect(1006);
  env.connection.hurry();
  assert.equal(env.sockets.length, 2);
  env.connection.hurry();
  assert.equal(env.sockets.length, 2, "an attempt is not disturbed");
  env.socket.disconnect(1006);
  env.connection.hurry();
  assert.equal(env.sockets.length, 2, "many clicks are not as many attempts");
});

test("the server's time stands still without a connection", () => {
  const env = opened();
  env.advance(1_000);
  const { time } = env.connection;
  const before = time.now();
  env.socket.disconnect(1006);
  env.advance(90_000);
  assert.equal(time.now(), before);
  env.socket.disconnect(1006);
  env.reconnect();
  env.welcome();
  assert.equal(time.now(), env.now);
});

test("after a sleep the server's time is measured anew", () => {
  const env = opened();
  const { t0, id } = env.socket.next("ping");
  env.socket.receive({ type: "pong", re: id, t0, t1: t0, t2: t0 });
  // The device slept for 5 s, and its clock counted 8.
  env.now += 8_000;
  env.advance(0);
  const again = env.socket.next("ping");
  env.advance(40);
  env.socket.receive({ type: "pong", re: again.id, t0: again.t0, t1: again.t0 - 2_980, t2: again.t0 - 2_980 });
  assert.equal(env.connection.time.now(), env.now - 3_000);
});

test("durations are not measured by a clock that is set, but a sleep counts", () => {
  let [wall, monotonic] = [50_000, 10];
  const now = stopwatch(() => wall, () => monotonic);
  const start = now();
  const passed = (/** @type {number} */ byWall, /** @type {number} */ byMonotonic) => {
    [wall, monotonic] = [wall + byWall, monotonic + byMonotonic];
    return now() - start;
  };
  assert.equal(passed(1_000, 1_000), 1_000);
  assert.equal(passed(-3_600_000, 1_000), 2_000);
  assert.equal(passed(60_000, 0), 62_000);
});

test("the page retries if no welcome comes", () => {
  const env = new FakeEnv();
  env.connection.open();
  env.socket.onopen?.call(env.socket, {});
  env.advance(10_000);
  env.reconnect();
  assert.equal(env.sockets.length, 2);
});

test("errors carry the server's message, and retry 'after' waits without one", async () => {
  const env = opened();
  const asked = env.connection.request({ type: "games" });
  const { id } = env.socket.next("games");
  env.socket.receive({ type: "error", re: id, code: "rate_limited", message: "Wait.", retry: "after", retry_after_ms: 700 });
  env.advance(699);
  assert.ok(!env.socket.has("games"));
  env.advance(1);
  assert.equal(env.socket.next("games").id, id);
  env.socket.receive({ type: "error", re: id, code: "not_found", message: "There is none.", retry: "never" });
  await assert.rejects(asked, (error) => error instanceof RequestError && error.message === "There is none.");
});

test("the page can answer a refused hello with another", () => {
  const env = new FakeEnv();
  env.auth = { token: "at_old" };
  env.onHelloError = ({ code }) => {
    assert.equal(code, "unauthorized");
    env.auth = undefined;
    return true;
  };
  env.connection.open();
  env.socket.onopen?.call(env.socket, {});
  const hello = env.socket.next("hello");
  assert.deepEqual(hello.auth, { token: "at_old" });
  env.socket.receive({ type: "error", re: hello.id, code: "unauthorized", message: "No.", retry: "never" });
  env.reconnect();
  assert.equal(env.welcome().auth, undefined);
  assert.equal(env.connection.state.is, "open");
});

test("the shortest round trip sets the server's time", () => {
  const env = opened();
  const { t0, id } = env.socket.next("ping");
  env.advance(40);
  env.socket.receive({ type: "pong", re: id, t0, t1: t0 + 5_020, t2: t0 + 5_020 });
  assert.equal(env.connection.time.now(), env.now + 5_000);
  env.advance(10_000);
  const later = env.socket.next("ping");
  env.advance(900);
  env.socket.receive({ type: "pong", re: later.id, t0: later.t0, t1: later.t0 + 9_000, t2: later.t0 + 9_000 });
  assert.equal(env.connection.time.now(), env.now + 5_000, "a slow answer is not believed");
});

test("requests stay within the rate limit, and moves go first", () => {
  const env = new FakeEnv();
  env.connection.open();
  env.welcome({ limits: { burst: 10, per_s: 5 } });
  for (let asked = 0; asked < 20; asked += 1) env.connection.request({ type: "games" }).catch(() => {});
  // One of them is the ping after `welcome`.
  assert.deepEqual(env.socket.sent.map((frame) => frame.type), ["ping", ...Array(7).fill("games")]);
  move(env);
  env.advance(250);
  assert.equal(env.socket.sent.at(-1).type, "move");
  env.advance(1_000);
  assert.equal(env.socket.sent.length, 13);
  env.advance(9_000);
  assert.equal(env.socket.sent.filter((frame) => frame.type === "games").length, 20);
});
