// The view settings: what is stored, what is read back, and who is told.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ViewSettings } from "../../src/ui/view_settings.js";

/** @param {string} [stored] */
function storage(stored) {
  const values = new Map(stored === undefined ? [] : [["adamant.view", stored]]);
  return { getItem: (/** @type {string} */ key) => values.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => void values.set(key, value) };
}

test("a setting is stored, and listeners hear of each change once", () => {
  const own = storage();
  const settings = new ViewSettings(own);
  assert.equal(settings.get("board"), "paper");
  let changes = 0;
  const stop = settings.onChange(() => (changes += 1));
  settings.set("board", "wood");
  settings.set("board", "wood");
  assert.equal(changes, 1);
  assert.equal(new ViewSettings(own).get("board"), "wood");
  stop();
  settings.set("board", "slate");
  assert.equal(changes, 1);
});

test("what is stored and unknown counts as not stored", () => {
  for (const stored of ["{", "null", "7", '{"board":"glass","coordinates":"off","other":1}']) {
    const settings = new ViewSettings(storage(stored));
    assert.equal(settings.get("board"), "paper");
    assert.equal(settings.get("coordinates"), stored.includes("off") ? "off" : "edge");
  }
  const settings = new ViewSettings(storage());
  settings.set("volume", "1000");
  assert.equal(settings.volume, 0.7);
});

test("settings of another tab are read", () => {
  const own = storage();
  const [here, there] = [new ViewSettings(own), new ViewSettings(own)];
  let changes = 0;
  here.onChange(() => (changes += 1));
  there.set("coordinates", "cells");
  here.reload();
  here.reload();
  assert.equal(here.get("coordinates"), "cells");
  assert.equal(changes, 1);
});
