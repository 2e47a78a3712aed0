// The tarball, installed from its file into a fresh directory, and the programs of README.md in it.

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Client } from "@adamant/client";
import { programs } from "./readme.ts";
import { frameOf, gameOf, kind, legalMove, within, World } from "./server.ts";

const HERE = fileURLToPath(new URL("..", import.meta.url));
const execute = promisify(execFile);

/** The longest time from `npm install` to the first move that the server has acknowledged. */
const FIRST_MOVE_MS_MAX = 120_000;

/** The most lines of a whole bot. */
const BOT_LINES_MAX = 25;

/** A Node without a WebSocket, as older ones are. */
const WITHOUT_WEBSOCKET = ["--no-experimental-websocket"];

describe("the package", () => {
  const world = new World();
  let folder = "";
  let tarball = "";
  let files: string[] = [];
  let installedAt = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "adamant-typescript-"));
    const packed = await execute("npm", ["pack", "--json", "--pack-destination", folder], { cwd: HERE });
    const [{ filename, files: list }] = JSON.parse(packed.stdout);
    tarball = filename;
    files = list.map(({ path }: { path: string }) => path);
    installedAt = performance.now();
    await execute("npm", ["install", `./${tarball}`], { cwd: folder });
    for (const [name, program] of programs(world.server.url)) await writeFile(join(folder, name), program);
    for (const name of ["ws", "undici-types", "@types"]) {
      await cp(join(HERE, "node_modules", name), join(folder, "node_modules", name), { recursive: true });
    }
  });

  after(() => rm(folder, { recursive: true, force: true }));

  /** Begins a program with Node 22, or with another one. */
  function begin(program: string, options: string[] = [], node = process.execPath): ChildProcess {
    const child = spawn(node, [...options, program], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    const ended = once(child, "exit");
    world.atEnd(async () => {
      child.kill("SIGKILL");
      await ended;
    });
    return child;
  }

  async function run(program: string, options: string[] = [], node = process.execPath): Promise<string[]> {
    const done = await within(execute(node, [...options, program], { cwd: folder }));
    return done.stdout.trimEnd().split("\n");
  }

  async function lineOf(child: ChildProcess): Promise<string> {
    if (child.stdout === null) throw new Error("the program has no output");
    const [line] = await within(once(createInterface({ input: child.stdout }), "line"));
    return line;
  }

  /** The first live game of a user who may not be there yet. */
  async function liveGame(client: Client, user: string) {
    for (;;) {
      const { games } = await within(client.request("games", { user }));
      const game = games.at(-1);
      if (game !== undefined) return game;
    }
  }

  test("the bot makes its first move soon and goes on after a restart", async () => {
    const bot = begin("bot.mjs");
    const watcher = await world.client();
    while ((await liveGame(watcher, "random-bot")).ply === 0);
    const took = performance.now() - installedAt;
    console.log(`${(took / 1000).toFixed(1)} s from npm install to the first move of README's bot`);
    assert.ok(took < FIRST_MOVE_MS_MAX);
    await world.server.kill();
    await world.server.start();
    const { ply } = await liveGame(watcher, "random-bot");
    while ((await liveGame(watcher, "random-bot")).ply === ply);
    const ended = once(bot, "exit");
    bot.kill("SIGINT");
    await within(ended);
    assert.match(await lineOf(begin("bot.mjs")), /^\w+ adamas@1: . random-bot . house-easy; ply \d+, .*winners: /);
  });

  test("a bot needs at most 25 lines", () => {
    const bot = programs("").get("bot.mjs") ?? "";
    assert.ok(bot.trimEnd().split("\n").length <= BOT_LINES_MAX);
  });

  test("the bot in TypeScript runs as it is", async () => {
    begin("bot.mts");
    const ann = await world.client();
    // It may not be there yet.
    while (!(await within(ann.request("user", { name: "patient-bot" })).catch(() => undefined)));
    await ann.challenge("patient-bot", { rules: "hexma" });
    const game = gameOf(ann, (await frameOf(ann, kind("started"))).game);
    await game.move(await legalMove(ann, game.id));
    await legalMove(ann, game.id);
    assert.equal(game.ply, 2);
  });

  test("the session plays a game, and another one when it is run again", async () => {
    for (let time = 0; time < 2; time += 1) {
      const [titles, result] = await run("session.mjs");
      assert.equal(titles, "Adamas, Hexma, Stymie, Diam");
      assert.match(result ?? "", /session-bot/);
    }
  });

  test("a game is printed until it ends", async () => {
    const [ann, bob] = [await world.client(), await world.client()];
    // The newest game comes first in the list.
    const game = gameOf(ann, await world.game([ann, bob], { rules: "hexma" }));
    await game.move(await legalMove(ann, game.id));
    const watch = begin("watch.mjs");
    const lines: string[] = [];
    if (watch.stdout === null) throw new Error("the program has no output");
    const reader = createInterface({ input: watch.stdout });
    reader.on("line", (line) => lines.push(line));
    await within(once(reader, "line"));
    assert.deepEqual(lines, [`1 ${ann.name} ${game.moves[0]}`]);
    await frameOf(bob, kind("your_turn"));
    const ended = once(watch, "exit");
    await gameOf(bob, game.id).resign();
    assert.deepEqual(await within(ended), [0, null]);
    assert.match(lines.join("\n"), new RegExp(`resigned, winners: ${ann.name}`));
  });

  test("an account has a bot", async () => {
    const [token] = await run("account.mjs");
    const bot = await world.client(undefined, { token: token ?? "" });
    assert.deepEqual(bot.user, { name: "kims-bot", bot: true, guest: false, owner: "kim" });
  });

  test("a Node without a WebSocket takes that of ws, and the one on the path as well", async () => {
    assert.deepEqual(await run("older.mjs", WITHOUT_WEBSOCKET), ["adamant"]);
    await assert.rejects(run("bot.mjs", WITHOUT_WEBSOCKET), /this platform has no WebSocket: pass the one of .* ws/);
    assert.deepEqual(await run("older.mjs", [], "node"), ["adamant"]);
  });

  test("type checkers know the installed package", async () => {
    const tsc = join(HERE, "node_modules/.bin/tsc");
    const common = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
    // Without the types of browsers, which a program for Node need not have.
    await execute(tsc, [...common, "--lib", "es2023", "bot.mts"], { cwd: folder });
    const programs = ["bot.mjs", "session.mjs", "watch.mjs", "account.mjs", "older.mjs"];
    const loose = ["--lib", "es2023,dom", "--allowJs", "--checkJs", "--noImplicitAny", "false"];
    await execute(tsc, [...common, ...loose, ...programs], { cwd: folder });
    const wrong = `import { connect } from "@adamant/client";
      const client = await connect("ws://127.0.0.1:7777");
      await client.request("watch", { gaem: "x" });
      (await client.request("games")).gmaes;
      await client.request("fly");`;
    await writeFile(join(folder, "wrong.mts"), wrong);
    await assert.rejects(execute(tsc, [...common, "wrong.mts"], { cwd: folder }), ({ stdout }: { stdout: string }) => {
      assert.deepEqual(
        [...stdout.matchAll(/^wrong\.mts\((\d+)/gm)].map(([, line]) => line),
        ["3", "4", "5"],
      );
      return true;
    });
  });

  test("the tarball is complete", async () => {
    const manifest = JSON.parse(await readFile(join(HERE, "package.json"), "utf8"));
    assert.equal(tarball, `adamant-client-${manifest.version}.tgz`);
    assert.equal(manifest.dependencies, undefined);
    assert.ok((await readFile(join(HERE, "README.md"), "utf8")).includes(`npm install ./${tarball}`));
    for (const module of ["index", "node", "client"]) {
      for (const ending of ["js", "js.map", "d.ts", "d.ts.map"]) assert.ok(files.includes(`dist/${module}.${ending}`));
      assert.ok(files.includes(`src/${module}.ts`), "maps lead to it");
    }
    for (const licence of ["LICENSE-MIT", "LICENSE-APACHE"]) {
      assert.ok(files.includes(licence));
      assert.deepEqual(await readFile(join(HERE, licence)), await readFile(join(HERE, "../..", licence)));
    }
    const others = files.filter((path) => !/^(dist|src)\/[a-z]+\.|^LICENSE-|^README\.md$|^package\.json$/.test(path));
    assert.deepEqual(others, []);
  });
});
