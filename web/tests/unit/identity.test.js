// The user of the browser: none at first, a guest after the first game, the same one later.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Identity } from "../../src/net/identity.js";
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

function newVisitor() {
  const env = new FakeEnv();
  const storage = memoryStorage();
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
