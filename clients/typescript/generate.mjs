// Writes the types of the protocol from its JSON Schema, and the version of the workspace:
//
//     adamant schema --closed > schema.json
//     node generate.mjs schema.json [--check]
//
// With --check it writes nothing and fails if a file would change.

import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";

const BANNER = `// The types of the protocol's frames, made from its JSON Schema by clients/typescript/generate.mjs. Not written by
// hand. The client and the page share them. A later server may send words, fields and kinds that they do not have.`;

const [source = "", check] = process.argv.slice(2);

/** @param {string} path in this folder */
const at = (path) => new URL(path, import.meta.url);

/** @param {string} path */
const text = (path) => readFile(at(path), "utf8").catch(() => "");

const version = /\[workspace\.package\]\s*version = "([^"]+)"/.exec(await text("../../Cargo.toml"))?.[1];
if (version === undefined) throw new Error("the workspace has no version");

const types = await compile(JSON.parse(await readFile(source, "utf8")), "Frame", {
  additionalProperties: false,
  ignoreMinAndMaxItems: true,
  bannerComment: BANNER,
  unreachableDefinitions: true,
  format: true,
  style: { printWidth: 100 },
});

const ownVersion = /("name": "@adamant\/client",\s*"version": )"[^"]*"/g;
const made = new Map([
  ["src/protocol.ts", types],
  ["src/version.ts", `/** The version of this package. */\nexport const VERSION = "${version}";\n`],
  ["package.json", (await text("package.json")).replace(ownVersion, `$1"${version}"`)],
  ["package-lock.json", (await text("package-lock.json")).replaceAll(ownVersion, `$1"${version}"`)],
  ["README.md", (await text("README.md")).replaceAll(/(adamant-client)-[^-]+(\.tgz)/g, `$1-${version}$2`)],
]);
const changed = [];
for (const [path, wanted] of made) if ((await text(path)) !== wanted) changed.push(path);
if (check !== "--check") {
  for (const path of changed) await writeFile(at(path), made.get(path) ?? "");
} else if (changed.length > 0) {
  console.error(`clients/typescript: ${changed.join(", ")}: not as the protocol and the workspace say; run cargo xtask types`);
  process.exit(1);
}
