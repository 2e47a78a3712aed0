// The published schema of the wire, for type generators.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { compile } from "json-schema-to-typescript";

test("a generator writes each type of the published schema once", async () => {
  // `cargo xtask typescript` gets it from `adamant`.
  const schema = JSON.parse(await readFile(process.env["ADAMANT_SCHEMA"] ?? "", "utf8"));
  const types = await compile(schema, "Frame", { unreachableDefinitions: true, format: false });
  const names = [...types.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name]) => name ?? "");
  for (const one of ["TimeControl", "Auth"]) assert.equal(names.filter((name) => name === one).length, 1);
  const numbered = names.filter((name) => /\d$/.test(name) && name !== "TheAdamantWireProtocolVersion1");
  assert.deepEqual(numbered, []);
});
