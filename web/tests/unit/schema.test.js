// The published schema of the wire, for strict validators. The TypeScript client's tests generate
// types from it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";

/** The schema, which `cargo xtask web` gets from `adamant`. */
const schema = async () => JSON.parse(await readFile(process.env["ADAMANT_SCHEMA"] ?? "", "utf8"));

/** Returns the schema errors of a frame. @param {object} frame */
const faults = async (frame) => {
  const validate = new Ajv2020({ strict: true, allErrors: true }).compile(await schema());
  return validate(frame) ? [] : validate.errors ?? [];
};

const event = {
  type: "event", game: "2bhz75dj", seq: 3, at: 1795251631684, kind: "started", to_move: 0,
  hash: "1a8a71d9ddfe2948", chain: "834cc63840692dc6".repeat(4),
};

test("a strict validator accepts the schema", async () => {
  assert.deepEqual(await faults(event), []);
  assert.equal((await schema()).$id, "urn:adamant:wire:1");
});

test("the schema accepts event kinds, codes and reasons of later servers", async () => {
  assert.deepEqual(await faults({ ...event, kind: "celebrated", to_move: undefined }), []);
  const error = { type: "error", re: "1", code: "too_beautiful", message: "no", retry: "sometime" };
  assert.deepEqual(await faults(error), []);
});

test("the schema rejects invalid frames", async () => {
  assert.notDeepEqual(await faults({ ...event, to_move: undefined }), []);
  assert.notDeepEqual(await faults({ ...event, kind: undefined }), []);
  const clock = { mode: "per_move", move_ms: 30_000 };
  const seek = { type: "seek", id: "1", rules: "adamas", clock };
  assert.deepEqual(await faults(seek), []);
  assert.notDeepEqual(await faults({ ...seek, clock: { ...clock, move_ms: 10 } }), []);
  assert.notDeepEqual(await faults({ ...seek, players: 4 }), []);
  assert.notDeepEqual(await faults({ type: "offer", id: "1", game: "2bhz75dj", what: "peace" }), []);
  assert.notDeepEqual(await faults({ type: "games", id: "1", limit: 101 }), []);
});
