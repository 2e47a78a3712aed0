// Writes, or with `--check` compares, the types of the wire that the page's code is checked against.
// They come from the server's own JSON Schema: node generate.mjs SCHEMA_FILE_OR_URL [--check]

import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";

const TARGET = new URL("./protocol.d.ts", import.meta.url);
const BANNER = `// The wire's types, made from the server's JSON Schema by web/generated/generate.mjs. Not written by hand.`;

const [source = "", check] = process.argv.slice(2);
const text = source.startsWith("http")
  ? await (await fetch(source)).text()
  : await readFile(source, "utf8");
const made = await compile(JSON.parse(text), "Frame", {
  additionalProperties: false,
  ignoreMinAndMaxItems: true,
  bannerComment: BANNER,
  unreachableDefinitions: true,
  format: true,
  style: { printWidth: 100 },
});
if (check === "--check") {
  const present = await readFile(TARGET, "utf8").catch(() => "");
  if (present !== made) {
    console.error("web/generated/protocol.d.ts is not what the protocol's types say: run cargo xtask types");
    process.exit(1);
  }
} else await writeFile(TARGET, made);
