// Who the browser is: nobody at first, a guest when it plays, and the same one when it comes back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Identity } from "../../src/net/identity.js";
import { World } from "./fake_env.js";

/** Remembers in place of a browser. */
function memory() {
  /** @type {Map<string, string>} */
  const kept = new Map();
  return {
    kept,
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value),
    removeItem: (/** @type {string} */ key) => void kept.delete(key),
  };
}

function someone() {
  const world = new World();
  const keep = memory();
  let rolls = 0;
  const identity = new Identity(keep, () => (rolls += 0.01) % 1);
  // The world asks the identity, as the page does.
  Object.defineProperty(world, "auth", { get: () => identity.auth() });
  world.refused = (failed) => identity.refused(failed);
  identity.attach(world.connection);
  world.connection.open();
  return { world, identity, keep };
}

test("who only looks on is nobody", () => {
  const { world } = someone();
  assert.equal(world.welcome({ user: null }).auth, undefined);
});

test("a guest is made at the first wish to play, with another name if one is taken", async () => {
  const { world, identity, keep } = someone();
  world.welcome({ user: null });
  const ensured = identity.ensure();
  world.comeBack();
  world.line.onopen?.call(world.line, {});
  const hello = world.line.next("hello");
  const taken = hello.auth.guest;
  assert.match(taken, /^[A-Za-z0-9][A-Za-z0-9_-]{1,19}$/);
  world.line.say({ type: "error", re: hello.id, code: "name_taken", message: "Taken.", retry: "never" });
  world.comeBack();
  const again = world.welcome({ token: "at_guest", user: { name: "x", bot: false, guest: true } });
  assert.notEqual(again.auth.guest, taken);
  await ensured;
  assert.deepEqual([...keep.kept.values()], ["at_guest"]);
  world.line.hangUp(1006);
  world.comeBack();
  assert.deepEqual(world.welcome().auth, { token: "at_guest" });
  await identity.ensure();
  assert.equal(world.lines.length, 4, "a guest stays the guest");
});

test("a wrong password is said, and who was here stays", async () => {
  const { world, identity, keep } = someone();
  world.welcome({ token: "at_ann" });
  const login = identity.logIn("ann", "wrong");
  world.comeBack();
  world.line.onopen?.call(world.line, {});
  const hello = world.line.next("hello");
  assert.deepEqual(hello.auth, { user: "ann", password: "wrong" });
  world.line.say({ type: "error", re: hello.id, code: "unauthorized", message: "Wrong.", retry: "never" });
  await assert.rejects(login, { message: "Wrong." });
  world.comeBack();
  assert.deepEqual(world.welcome().auth, { token: "at_ann" });
  assert.equal(keep.kept.size, 1);
});

test("a token that is no good is dropped", () => {
  const { world, keep } = someone();
  world.welcome({ token: "at_old" });
  world.line.hangUp(1006);
  world.comeBack();
  world.line.onopen?.call(world.line, {});
  const hello = world.line.next("hello");
  world.line.say({ type: "error", re: hello.id, code: "unauthorized", message: "No.", retry: "never" });
  world.comeBack();
  assert.equal(world.welcome().auth, undefined);
  assert.equal(keep.kept.size, 0);
});
