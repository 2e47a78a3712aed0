// The bot of docs/CONFORMANCE.md against servers that lose, repeat and reorder.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { LONG } from "./server.ts";

const HERE = fileURLToPath(new URL("..", import.meta.url));

/** The timeout of all seeds together, in milliseconds, for a busy machine. */
const TIMEOUT_MS = 300_000;

test("the bot of docs/CONFORMANCE.md bears everything", LONG, async () => {
  const text = await readFile(join(HERE, "../../docs/CONFORMANCE.md"), "utf8");
  assert.ok(text.includes("adamant conform --seeds 3 -- node bot.mjs\n"));
  const program = /```js\n(.*?)```/s.exec(text)?.[1];
  const server = process.env["ADAMANT_SERVER"];
  assert.ok(program !== undefined && server !== undefined);
  const folder = await mkdtemp(join(tmpdir(), "adamant-typescript-"));
  try {
    await mkdir(join(folder, "node_modules/@adamant"), { recursive: true });
    await symlink(HERE, join(folder, "node_modules/@adamant/client"));
    await writeFile(join(folder, "bot.mjs"), program);
    const words = ["--json", "conform", "--server-program", server, "--seeds", "3", "--"];
    const bot = [process.execPath, join(folder, "bot.mjs")];
    const adamant = join(dirname(server), "adamant");
    const done = await promisify(execFile)(adamant, [...words, ...bot], { timeout: TIMEOUT_MS });
    assert.equal(JSON.parse(done.stdout).seeds_passed, 3, done.stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
