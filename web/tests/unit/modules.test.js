// The modules of the page: which may import which.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import path from "node:path";

const SOURCES = fileURLToPath(new URL("../../src/", import.meta.url));

/**
 * The folders from the bottom to the top. A module imports only from its own folder and from those
 * below it. Files beside the folders count by their names.
 */
const LAYERS = [
  ["wire.js"],
  ["strings"],
  ["net"],
  ["app.js"],
  ["ui"],
  ["board"],
  ["game"],
  ["explore"],
  ["learn", "analysis", "set_up", "watch"],
  ["people", "notify"],
  ["home", "account"],
  ["main.js", "embed.js", "sw.js"],
];

/** The text of every module, by its path. @type {Map<string, string>} */
const modules = new Map();
for (const entry of await readdir(SOURCES, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(js|css|d\.ts)$/.test(entry.name)) continue;
  const file = path.join(entry.path, entry.name);
  modules.set(path.relative(SOURCES, file), await readFile(file, "utf8"));
}

/**
 * The modules that a module imports, in code and, with `types`, in JSDoc.
 * @param {string} file
 * @param {{ types: boolean }} which
 */
function importsOf(file, { types }) {
  const text = modules.get(file) ?? "";
  const code = [...text.matchAll(/^(?:import|export)\b[^;]*? from "(\.[^"]+)";/gm)];
  const documented = [...text.matchAll(/@import \{[^}]*\} from "(\.[^"]+)"|import\("(\.[^"]+)"\)/g)];
  return [...code, ...(types ? documented : [])]
    .map(([, one, other]) => path.join(path.dirname(file), one ?? other ?? ""))
    .filter((target) => !target.startsWith(".."));
}

/** @param {string} file */
function layerOf(file) {
  const name = file.split("/")[0]?.replace(/\.d\.ts$/, ".js") ?? "";
  return LAYERS.findIndex((layer) => layer.includes(name));
}

test("modules have no import circles", () => {
  /** @param {string} file @param {string[]} trail */
  const visit = (file, trail) => {
    assert.ok(!trail.includes(file), `a circle: ${[...trail, file].join(" -> ")}`);
    for (const target of importsOf(file, { types: false })) visit(target, [...trail, file]);
  };
  for (const file of modules.keys()) visit(file, []);
});

test("modules import only from their own layer and those below it", () => {
  for (const file of modules.keys()) {
    if (file.endsWith(".css")) continue;
    const own = layerOf(file);
    assert.ok(own >= 0, `${file} belongs to no layer`);
    for (const target of importsOf(file, { types: true })) {
      const layer = layerOf(target);
      const isBelow = layer < own || target.split("/")[0] === file.split("/")[0];
      assert.ok(isBelow, `${file} imports ${target}, which is not below it`);
    }
  }
});
