// The examples on the pages of rules, checked against the test vectors of the rules.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { LESSONS } from "../../src/rules/examples.js";

for (const rules of ["adamas", "hexma", "diam"]) {
  test(`the examples of ${rules} agree with the rules`, async () => {
    const vectors = new URL(`../../../rules/tests/vectors/${rules}.json`, import.meta.url);
    const { cases } = JSON.parse(await readFile(vectors, "utf8"));
    for (const { move, before, after } of LESSONS[rules]?.examples ?? []) {
      const same = (/** @type {any} */ each) => {
        try {
          assert.deepEqual([each.move, each.legal, each.position], [move, true, before]);
          assert.deepEqual(each.after ?? after, after);
          return true;
        } catch {
          return false;
        }
      };
      assert.ok(cases.some(same), move);
    }
  });
}

test("the examples of stymie agree with the rules", async () => {
  const vectors = new URL("../../../rules/tests/vectors/stymie.json", import.meta.url);
  /** @type {{ cases: { moves?: string[], legal: boolean[] }[] }} */
  const { cases } = JSON.parse(await readFile(vectors, "utf8"));
  const { examples = [], letters = [] } = LESSONS["stymie"] ?? {};
  assert.ok(examples.length > 0);
  /** Every position of the cases, and the legal move that was made there. @type {string[]} */
  const known = [];
  for (const { moves = [], legal } of cases) {
    /** @type {Record<string, string>} */
    const position = {};
    for (const [turn, move] of moves.entries()) {
      if (!legal[turn]) break;
      const before = sorted(position);
      for (const cell of move.split(",")) position[cell] = letters[turn % 2] ?? "";
      known.push(JSON.stringify([move, before, sorted(position)]));
    }
  }
  for (const { move, before, after } of examples) {
    assert.ok(known.includes(JSON.stringify([move, sorted(before), sorted(after)])), move);
  }
});

/** @param {Record<string, string>} position */
function sorted(position) {
  return Object.entries(position).sort();
}

test("every example uses cells and letters of its layout", () => {
  for (const { cells, letters, examples } of Object.values(LESSONS)) {
    const names = new Set(cells.map(([name]) => name));
    for (const position of examples.flatMap(({ before, after }) => [before, after])) {
      for (const [cell, stack] of Object.entries(position)) {
        assert.ok(names.has(cell), cell);
        assert.ok([...stack].every((piece) => letters.join("").includes(piece)), stack);
      }
    }
  }
});
