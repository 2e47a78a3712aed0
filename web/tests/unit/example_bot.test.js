// The example bot plays its game to the end, even if the connection breaks.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { startServer } from "../browser/harness.js";

const EXAMPLE = fileURLToPath(new URL("../../../docs/examples/house_game.mjs", import.meta.url));
// A WebSocket for Node 20, which has none.
const WITH_WEBSOCKET = `import S from ${JSON.stringify(import.meta.resolve("ws"))}; globalThis.WebSocket ??= S;`;

test("the example bot resumes its game after the server is killed", async () => {
  const server = await startServer();
  const directory = await mkdtemp(join(tmpdir(), "adamant-example-"));
  try {
    const address = `${server.url.replace("http", "ws")}/v1/ws`;
    const shim = `data:text/javascript,${encodeURIComponent(WITH_WEBSOCKET)}`;
    const bot = spawn(process.execPath, ["--import", shim, EXAMPLE, address, join(directory, "kept.json")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(bot, "exit");
    /** @type {string[]} */
    const said = [];
    for await (const line of createInterface({ input: bot.stdout })) {
      said.push(line);
      if (said.length === 3) await server.killAndStart();
    }
    assert.deepEqual(await ended, [0, null]);
    assert.match(said.at(-1) ?? "", /winners:/);
    const { games } = await (await fetch(`${server.url}/v1/games?state=finished`)).json();
    assert.equal(games.length, 1, "one game, and the same");
    assert.equal(games[0].ply, said.length - 1, "each move is heard of once");
  } finally {
    await rm(directory, { recursive: true, force: true });
    await server.stop();
  }
});
