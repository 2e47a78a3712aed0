// The examples of README.md.

import { readFile } from "node:fs/promises";

const text = await readFile(new URL("../README.md", import.meta.url), "utf8");
const ADDRESS = "ws://127.0.0.1:7777";

function blocks(language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, block]) => block ?? "");
}

const names = ["bot.mjs", "session.mjs", "tokenStore", "watch.mjs", "account.mjs", "older.mjs"] as const;
const examples = blocks("js");
const typed = blocks("ts");
if (examples.length !== names.length || typed.length !== 1) {
  throw new Error(`README.md has ${examples.length} examples in JavaScript and ${typed.length} in TypeScript`);
}

/** The lines that keep a token in a browser. */
export const TOKEN_STORE = examples[names.indexOf("tokenStore")] ?? "";

/** The programs, with the address of a server, by the names of their files. */
export function programs(url: string): Map<string, string> {
  const all = names.map((name, at): [string, string] => [name, examples[at] ?? ""]);
  const files = [...all.filter(([name]) => name !== "tokenStore"), ["bot.mts", typed[0] ?? ""] as const];
  return new Map(
    files.map(([name, program]) => {
      if (!program.includes(ADDRESS)) throw new Error(`${name} names no server`);
      return [name, program.replace(ADDRESS, url)];
    }),
  );
}
