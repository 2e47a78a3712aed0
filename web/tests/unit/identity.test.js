// The user of the browser: none at first, a guest after the first game, the same one later.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Identity } from "../../src/net/identity.js";
import { SafeStorage } from "../../src/strings/storage.js";
import { FakeEnv } from "./fake_env.js";

/** A storage without a browser. */
function memoryStorage() {
  /** @type {Map<string, string>} */
  const items = new Map();
  return {
    items,
    getItem: (/** @type {string} */ key) => items.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void items.set(key, value),
    removeItem: (/** @type {string} */ key) => void items.delete(key),
  };
}

function newVisitor(storage = memoryStorage()) {
  const env = new FakeEnv();
  let rolls = 0;
  const identity = new Identity(storage, () => (rolls += 0.01) % 1);
  // The connection gets its credentials from the identity, as on the page.
  Object.defineProperty(env, "auth", { get: () => identity.auth() });
  env.onHelloError = (failed) => identity.onHelloError(failed);
  identity.attach(env.connection);
  env.connection.open();
  return { env, identity, storage };
}

test("a spectator has no user", () => {
  const { env } = newVisitor();
  assert.equal(env.welcome({ user: null }).auth, undefined);
});

test("the first game creates a guest, with another name if one is taken", async () => {
  const { env, identity, storage } = newVisitor();
  env.welcome({ user: null });
  const ensured = identity.ensureUser();
  await setImmediate();
  env.reconnect();
  env.socket.onopen?.call(env.socket, {});
  const hello = env.socket.next("hello");
  const taken = hello.auth.guest;
  assert.match(taken, /^[A-Za-z0-9][A-Za-z0-9_-]{1,19}$/);
  env.socket.receive({ type: "error", re: hello.id, code: "name_taken", message: "Taken.", retry: "never" });
  env.reconnect();
  const again = env.welcome({ token: "at_guest", user: { name: "x", bot: false, guest: true } });
  assert.notEqual(again.auth.guest, taken);
  await ensured;
  assert.deepEqual([...storage.items.values()], ["at_guest"]);
  env.socket.disconnect(1006);
  env.reconnect();
  assert.deepEqual(env.welcome().auth, { token: "at_guest" });
  await identity.ensureUser();
  assert.equal(env.sockets.length, 4, "a guest stays the guest");
});

test("somebody who plays before the first welcome stays the user of the stored token", async () => {
  const storage = memoryStorage();
  storage.setItem("adamant.token", "at_ann");
  const { env, identity } = newVisitor(storage);
  // The header looks whether there is a user.
  identity.auth();
  const ensured = identity.ensureUser();
  await setImmediate();
  assert.deepEqual(env.welcome({ user: { name: "ann", bot: false, guest: false } }).auth, { token: "at_ann" });
  await ensured;
  assert.equal(env.sockets.length, 1);
  assert.deepEqual([...storage.items.values()], ["at_ann"]);
});

test("a tab that was opened before another became a guest is that guest", async () => {
  const { env, identity, storage } = newVisitor();
  env.welcome({ user: null });
  const other = newVisitor(storage);
  other.env.welcome({ user: null });
  storage.setItem("adamant.token", "at_guest");
  const ensured = Promise.all([identity.ensureUser(), other.identity.followStored()]);
  await setImmediate();
  for (const each of [env, other.env]) {
    each.reconnect();
    assert.deepEqual(each.welcome().auth, { token: "at_guest" });
  }
  await ensured;
});

test("a tab says so when another has changed the user", async () => {
  const { env, identity, storage } = newVisitor();
  /** @type {(string | undefined)[]} */
  const users = [];
  identity.onOtherUser = (user) => users.push(user);
  env.welcome({ token: "at_ann" });
  storage.setItem("adamant.token", "at_bob");
  env.socket.disconnect(1006);
  env.reconnect();
  env.welcome({ user: { name: "bob", bot: false, guest: false } });
  assert.deepEqual(users, ["bob"]);
  storage.removeItem("adamant.token");
  const followed = identity.followStored();
  env.reconnect();
  assert.equal(env.welcome({ user: null }).auth, undefined);
  await followed;
  assert.deepEqual(users, ["bob", undefined]);
});

test("a storage that refuses is replaced until the page is closed, and says so once", () => {
  let refusals = 0;
  for (const find of [() => undefined, () => assert.fail("denied")]) {
    const storage = new SafeStorage(find);
    storage.onRefused = () => (refusals += 1);
    assert.equal(storage.getItem("a"), null);
    storage.setItem("a", "1");
    storage.setItem("b", "2");
    storage.removeItem("b");
    assert.deepEqual([storage.getItem("a"), storage.getItem("b")], ["1", null]);
  }
  assert.equal(refusals, 2);
});

test("a wrong password is an error and keeps the user", async () => {
  const { env, identity, storage } = newVisitor();
  env.welcome({ token: "at_ann" });
  const login = identity.logIn("ann", "wrong");
  env.reconnect();
  env.socket.onopen?.call(env.socket, {});
  const hello = env.socket.next("hello");
  assert.deepEqual(hello.auth, { user: "ann", password: "wrong" });
  env.socket.receive({ type: "error", re: hello.id, code: "unauthorized", message: "Wrong.", retry: "never" });
  await assert.rejects(login, { message: "Wrong." });
  env.reconnect();
  assert.deepEqual(env.welcome().auth, { token: "at_ann" });
  assert.equal(storage.items.size, 1);
});

test("an invalid token is deleted", () => {
  const { env, storage } = newVisitor();
  env.welcome({ token: "at_old" });
  env.socket.disconnect(1006);
  env.reconnect();
  env.socket.onopen?.call(env.socket, {});
  const hello = env.socket.next("hello");
  env.socket.receive({ type: "error", re: hello.id, code: "unauthorized", message: "No.", retry: "never" });
  env.reconnect();
  assert.equal(env.welcome().auth, undefined);
  assert.equal(storage.items.size, 0);
});
