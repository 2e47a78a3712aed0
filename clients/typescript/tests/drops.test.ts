// Connections that break, and servers that stop or are killed.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Closed, LIMITS } from "@adamant/client";
import { Backoff } from "../dist/pace.js";
import { FINAL_CLOSE_CODES } from "../dist/session.js";
import { collected, frameOf, gameOf, kind, legalMove, LONG, play, TIMEOUT_MS, until, within, World } from "./server.ts";

describe("drops", () => {
  const world = new World();

  test("a move whose reply is lost is made once", async () => {
    const proxy = await world.proxy();
    const [ann, bob] = [await world.client(proxy.url), await world.client()];
    const id = await world.game([ann, bob]);
    const game = gameOf(ann, id);
    proxy.change = () => [];
    const moving = game.move("c1-c2");
    await frameOf(bob, kind("moved"));
    proxy.change = (_, text) => [text];
    proxy.cut();
    assert.equal((await within(moving)).dup, true);
    assert.deepEqual(proxy.sent("move")[0], proxy.sent("move")[1]);
    assert.equal((await frameOf(ann, kind("moved"))).move, "c1-c2");
    assert.equal(game.ply, 1);
    assert.deepEqual(game.record, await world.server.log(id));
  });

  test("a request that never arrived is sent again only if that does no harm", async () => {
    const proxy = await world.proxy();
    const client = await world.client(proxy.url);
    proxy.change = () => [];
    const reading = client.request("games");
    const seeking = client.request("seek", { rules: "hexma" });
    await proxy.until(() => proxy.received.length === 3);
    proxy.change = (_, text) => [text];
    proxy.cut();
    await assert.rejects(within(seeking), { name: "ConnectionLost", code: "connection_lost" });
    const waiting = client.request("seek", { rules: "hexma" });
    assert.equal((await within(reading)).type, "games");
    assert.ok((await within(waiting)).seek, "it waits for the connection");
  });

  test("events of a lost connection arrive once and in order", async () => {
    const proxy = await world.proxy();
    const [ann, bob, eve] = [await world.client(proxy.url), await world.client(), await world.client(proxy.url)];
    const id = await world.game([ann, bob], { rules: "hexma" });
    const watching = collected(await eve.follow(id));
    for (let number = 0; number < 12; number += 1) {
      const player = number % 2 === 0 ? ann : bob;
      await gameOf(player, id).move(await legalMove(player, id));
      if (number % 3 === 0) proxy.cut();
    }
    await gameOf(bob, id).resign();
    await frameOf(ann, kind("ended"));
    assert.deepEqual(gameOf(ann, id).record, await world.server.log(id));
    assert.deepEqual(
      (await within(watching)).map(({ seq }) => seq),
      Array.from({ length: 13 }, (_, at) => at + 3),
    );
    assert.ok(proxy.opened > 4);
  });

  test("the beginning of a game arrives through a drop", async () => {
    const proxy = await world.proxy();
    const [ann, bob, eve] = [await world.client(), await world.client(), await world.client(proxy.url)];
    const id = await world.game([ann, bob]);
    await gameOf(ann, id).move("c1-c2");
    const game = await eve.follow(id);
    proxy.change = (frame, text) => (frame.seq === 2 ? [] : [text]);
    const loading = game.loadRecord();
    await frameOf(eve, kind("presence"));
    proxy.change = (_, text) => [text];
    proxy.cut();
    assert.deepEqual(
      (await within(loading)).map(({ seq }) => seq),
      [1, 2, 3],
    );
  });

  for (const code of [1001, 1002, 1003, 1007, 1008, 1009, 4001, 4002, 4003, 4004, 4005, 4006, 4007, 4999, 1012, 1011]) {
    const isFinal = FINAL_CLOSE_CODES.has(code);
    test(`after the close code ${code} the client ${isFinal ? "stays away" : "comes back"}`, async () => {
      const proxy = await world.proxy();
      const client = await world.client(proxy.url);
      await frameOf(client, kind("welcome"));
      proxy.close(code, "a reason");
      if (!isFinal) {
        await frameOf(client, kind("welcome"));
        return;
      }
      await assert.rejects(frameOf(client, kind("welcome")), { name: "Closed", closeCode: code });
      await assert.rejects(client.request("ping"), Closed);
      assert.equal((await client.closed).closeCode, code);
      assert.equal(proxy.opened, 1);
    });
  }

  test("a newer session with the same token ends the older one", async () => {
    const older = await world.client();
    const newer = await world.client(undefined, { token: older.token ?? "" });
    await assert.rejects(frameOf(older, () => false), { closeCode: 4003 });
    await within(newer.request("ping"));
  });

  test("the end of its token ends the client", async () => {
    const client = await world.client();
    await within(client.request("logout"));
    await assert.rejects(frameOf(client, () => false), { closeCode: 4007 });
  });

  test("a turn that the server repeats is not announced once it is over", async () => {
    const proxy = await world.proxy();
    const [ann, bob] = [await world.client(proxy.url), await world.client()];
    const id = await world.game([ann, bob], { rules: "hexma" });
    proxy.change = (frame, text) => (frame.type === "your_turn" ? [text, text, text] : [text]);
    await gameOf(ann, id).move(await legalMove(ann, id));
    await gameOf(bob, id).move(await legalMove(bob, id));
    await frameOf(ann, kind("your_turn"));
    await gameOf(ann, id).move(gameOf(ann, id).legal[0] ?? "");
    await gameOf(bob, id).resign();
    const next = () => frameOf(ann, kind("your_turn", "event"));
    assert.deepEqual([(await next()).kind, (await next()).kind], ["moved", "ended"]);
  });

  test("an act's caller who stops waiting does not stop the act", async () => {
    const proxy = await world.proxy();
    const [ann, bob] = [await world.client(proxy.url), await world.client()];
    const id = await world.game([ann, bob]);
    proxy.answer = (frame) => (frame.type === "move" ? { type: "lost" } : undefined);
    const stop = new AbortController();
    const moving = ann.request("move", { game: id, turn: 0, move: "c1-c2" }, { signal: stop.signal });
    await proxy.until(() => proxy.sent("move").length > 0);
    stop.abort();
    await assert.rejects(moving, { name: "AbortError" });
    proxy.answer = () => undefined;
    proxy.cut();
    assert.equal((await frameOf(bob, kind("moved"))).move, "c1-c2");
  });

  test("a server that falls silent counts as lost", async () => {
    const proxy = await world.proxy();
    const client = await world.client(proxy.url, { limits: { pingAfterMs: 50, pingTimeoutMs: 200 } });
    await frameOf(client, kind("welcome"));
    await proxy.until(() => proxy.sent("ping").length >= 2);
    assert.equal(proxy.opened, 1, "a server that answers is there");
    proxy.change = () => [];
    await proxy.until(() => proxy.opened === 2);
    proxy.change = (_, text) => [text];
    await frameOf(client, kind("welcome"));
  });

  test("a program that falls behind resumes without a gap", async () => {
    const proxy = await world.proxy();
    const eve = await world.client(proxy.url, { limits: { inboxMax: 8 } });
    const [ann, bob] = [await world.client(), await world.client()];
    const id = await world.game([ann, bob], { rules: "diam" });
    const game = await eve.follow(id);
    await frameOf(eve, kind("welcome"));
    await within(Promise.all([play(ann, id, 20), play(bob, id, 20)]));
    const seqs: number[] = [];
    while (game.isLive || (seqs.at(-1) ?? 0) < game.seq) seqs.push((await frameOf(eve, kind("event"))).seq);
    const record = await world.server.log(id);
    assert.deepEqual(seqs, Array.from({ length: record.length - 2 }, (_, at) => at + 3));
    assert.ok(proxy.opened > 1);
  });

  test("a program that begins to read too late hears that it has lost frames", async () => {
    const client = await world.client(undefined, { name: `late${process.pid}`, limits: { inboxMax: 1 } });
    const other = await world.client();
    const id = await world.game([other, await world.client()]);
    const game = await client.follow(id);
    await gameOf(other, id).resign();
    await within(collected(game));
    await assert.rejects(frameOf(client, () => true), { code: "inbox_overflow" });
  });

  test("the client waits as long as a stopping server says", async () => {
    const proxy = await world.proxy();
    const client = await world.client(proxy.url);
    await frameOf(client, kind("welcome"));
    const waits = 600;
    proxy.sessions[0]?.send(JSON.stringify({ type: "notice", what: "restart", in_ms: waits }));
    await frameOf(client, kind("notice"));
    const before = performance.now();
    proxy.close(1012, "restart");
    await frameOf(client, kind("welcome"));
    assert.ok(performance.now() - before >= waits - 1, "its own first wait has at most 250 ms");
  });

  test("the games with the latest events are resumed first", async () => {
    const proxy = await world.proxy();
    const options = { name: `many${process.pid}`, limits: { cursorsMax: 1 } };
    const [ann, bob] = [await world.client(proxy.url, options), await world.client()];
    const older = await world.game([ann, bob]);
    const newer = await world.game([ann, bob]);
    await gameOf(ann, older).move("c1-c2");
    proxy.cut();
    await frameOf(ann, kind("welcome"));
    assert.deepEqual(Object.keys(proxy.sent("hello")[1].resume), [older]);
    assert.deepEqual([...ann.games.keys()].sort(), [older, newer].sort());
  });

  test("a client with many live games comes back in all of them", LONG, async () => {
    const proxy = await world.proxy();
    const [ann, bob] = [await world.client(proxy.url, { name: `all${process.pid}` }), await world.client()];
    // A server lets a user play 200 at once.
    const games = 190;
    const turns: string[] = [];
    ann.on("your_turn", ({ game }) => turns.push(game));
    for (let number = 0; number < games; number += 1) {
      const challenge = await ann.challenge(bob.name ?? "", { rules: "adamas" });
      await bob.request("accept", { challenge });
    }
    await until(ann, () => turns.length === games);
    proxy.cut();
    await until(ann, () => turns.length === 2 * games);
    assert.equal(new Set(turns.slice(games)).size, games);
    assert.equal(Object.keys(proxy.sent("hello")[1].resume).length, games);
    assert.equal(proxy.opened, 2);
  });

  test("a fork begins anew from the snapshot", async () => {
    const proxy = await world.proxy();
    const [ann, bob] = [await world.client(proxy.url), await world.client()];
    const id = await world.game([ann, bob]);
    const game = gameOf(ann, id);
    proxy.change = (frame, text) =>
      frame.kind === "moved" ? [JSON.stringify({ ...frame, chain: "00".repeat(32) })] : [text];
    await game.move("c1-c2");
    await frameOf(ann, kind("moved"));
    proxy.change = (_, text) => [text];
    proxy.cut();
    assert.equal((await frameOf(ann, kind("snapshot"))).reason, "resumed");
    assert.deepEqual([game.seq, game.ply, game.events], [3, 1, []]);
    assert.deepEqual(
      (await within(game.loadRecord())).map(({ seq }) => seq),
      [1, 2, 3],
    );
  });

  test("a clock that is set back changes no time that is left", async () => {
    const [ann, bob] = [await world.client(), await world.client()];
    const clock = { mode: "fischer", base_ms: 300_000, inc_ms: 0 };
    const game = gameOf(ann, await world.game([ann, bob], { rules: "hexma", clock }));
    await legalMove(ann, game.id);
    const times = () => [game.timeLeftMs() ?? 0, game.deadlineInMs() ?? 0];
    const before = times();
    const { now } = Date;
    Date.now = () => now() - 3_600_000;
    const after = times();
    Date.now = now;
    for (const [at, earlier] of before.entries()) {
      assert.ok(earlier > 0 && Math.abs(earlier - (after[at] ?? 0)) < TIMEOUT_MS);
    }
  });

  test("waits double up to their limit and are spread", () => {
    const backoffs = Array.from({ length: 400 }, () => new Backoff(LIMITS));
    const eager = [250, 500, 1000, 2000, 3000, 3000].map((limit, at) => [at * 1000, limit] as const);
    for (const [now, limit] of [...eager, [60_000, 15_000], [99_000, 15_000]] as const) {
      const waits = backoffs.map((backoff) => backoff.next(now));
      assert.ok(Math.max(...waits) <= limit);
      // Of 400 uniform waits the odds against an empty tenth are 10^18 to 1.
      const tenths = new Set(waits.map((wait) => Math.floor((wait / limit) * 10)));
      assert.equal(tenths.size, 10);
    }
  });

  test("brief sessions between losses keep the waits short", () => {
    const backoff = new Backoff(LIMITS);
    for (let loss = 0; loss < 200; loss += 1) {
      assert.ok(backoff.next(loss * LIMITS.eagerForMs) <= LIMITS.eagerWaitMaxMs);
      backoff.opened();
    }
  });
});

describe("default limits", () => {
  const world = new World([]);

  test("a program plays on in two games and over a restart", LONG, async () => {
    const [moves, stopMaxMs] = [100, 2000];
    const client = await world.client();
    for (const house of ["house-easy", "house"]) await client.challenge(house, { rules: "hexma" });
    const times: number[] = [];
    const moved = new Set<string>();
    let restarting: Promise<void> | undefined;
    let stopped = 0;
    while (times.length < moves) {
      const game = gameOf(client, (await frameOf(client, kind("your_turn"))).game);
      await within(game.move(game.legal[times.length % game.legal.length] ?? ""));
      moved.add(game.id);
      times.push(performance.now());
      if (restarting === undefined && times.length > moves / 2) {
        restarting = world.server.kill().then(() => world.server.start());
        stopped = times.length;
      }
    }
    const stops = times.slice(1).map((time, at) => (at + 1 === stopped ? 0 : time - (times[at] ?? 0)));
    assert.equal(moved.size, 2);
    assert.ok(Math.max(...stops) < stopMaxMs, `${Math.max(...stops)}`);
    await restarting;
  });
});

describe("restarts", () => {
  const world = new World();

  test("a game goes on after the server was killed", async () => {
    const own = await world.ownServer();
    const [ann, bob] = [await world.client(own.url), await world.client(own.url)];
    const id = await world.game([ann, bob], { rules: "diam" });
    const playing = Promise.all([play(ann, id, 40), play(bob, id, 40)]);
    for (const ply of [5, 15, 25]) {
      for await (const _ of gameOf(ann, id)) if (gameOf(ann, id).ply >= ply) break;
      await own.kill();
      await own.start();
    }
    for (const game of await within(playing)) {
      assert.deepEqual(game.record, await own.log(id));
      assert.deepEqual(
        game.events.map(({ seq }) => seq),
        Array.from({ length: game.seq }, (_, at) => at + 1),
      );
    }
  });

  test("the client comes back when the server says so", async () => {
    const own = await world.ownServer();
    const client = await world.client(own.url);
    await frameOf(client, kind("welcome"));
    const stopping = own.stop();
    assert.equal((await frameOf(client, kind("notice"))).what, "restart");
    await within(stopping);
    const waiting = client.request("ping");
    await own.start();
    await within(waiting);
    assert.equal((await frameOf(client, kind("welcome"))).user.name, client.name);
  });
});
