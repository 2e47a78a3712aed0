// Requests, their replies and refusals.

import assert from "node:assert/strict";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Client, connect, ConnectError, RequestError } from "@adamant/client";
import { tokenFile } from "@adamant/client/node";
import WebSocket from "ws";
import { webSocketUrl } from "../dist/address.js";
import { REPLIES } from "../dist/requests.js";
import { type Frame, frameOf, gameOf, kind, newName, SILENT, within, World } from "./server.ts";

describe("requests", () => {
  const world = new World();

  test("the reply to every reading request has the type that the table says", async () => {
    const bob = await world.client();
    const ann = await world.client(undefined, { name: newName(), bot: false });
    const game = await world.game([ann, bob]);
    const owner = await world.client(undefined, { name: newName(), bot: false });
    await owner.signUp(newName(), "correct horse");
    const request = owner.request.bind(owner) as (type: string, fields: object) => Promise<Frame>;
    const { invite } = await request("invite", { rules: "hexma" });
    const ofGame = ["hints", "layout", "moves", "positions", "explore", "signature", "watch"];
    const fields: { [type: string]: object } = {
      ...Object.fromEntries(ofGame.map((type) => [type, { game }])),
      standings: { rules: "adamas" },
      stats: { rules: "adamas" },
      tv: { rules: "adamas" },
      history: { user: owner.name },
      user: { name: bob.name },
      talk: { game, room: "spectators" },
      settings_set: { challenges: "all" },
      invite_info: { invite },
    };
    for (const [type, replies] of Object.entries(REPLIES) as [string, readonly string[]][]) {
      const reply = await within(request(type, fields[type] ?? {}));
      assert.ok(replies.includes(reply.type), `${type} was answered by ${reply.type}`);
    }
  });

  test("a refusal has its code and its reason", async () => {
    const [ann, bob] = [await world.client(), await world.client()];
    const game = gameOf(ann, await world.game([ann, bob]));
    await assert.rejects(game.move("c1-e3"), (error: unknown) => {
      assert.ok(error instanceof RequestError);
      assert.deepEqual([error.code, error.retry, error.name], ["illegal_move", "never", "RequestError"]);
      assert.equal(error.frame.why, "c1 and e3 are not on one line");
      return true;
    });
    assert.equal((await game.move("c1-c2")).turn, 1, "the corrected move has the same id");
  });

  test("a request that is too large is not sent", async () => {
    const client = await world.client();
    await assert.rejects(client.request("user", { name: "x".repeat(70_000) }), { code: "too_large" });
    await assert.rejects(client.request("user", { name: "ä".repeat(33_000) }), { code: "too_large" });
    await client.request("ping");
  });

  test("too many requests at once are refused here", async () => {
    const client = await world.client(undefined, { limits: { pendingMax: 2 } });
    const two = [client.request("ping"), client.request("ping")];
    await assert.rejects(client.request("ping"), { code: "too_many_pending" });
    await Promise.all(two);
    await client.request("ping");
  });

  test("the client sends the same again after the wait that the server names", async () => {
    const proxy = await world.proxy();
    const [ann, bob] = [await world.client(proxy.url), await world.client()];
    const game = gameOf(ann, await world.game([ann, bob]));
    const refusals = [
      { code: "rate_limited", retry: "after", retry_after_ms: 5 },
      { code: "internal", retry: "same" },
      { code: "a_later_code", retry: "after", retry_after_ms: 5 },
    ];
    proxy.answer = (frame) => {
      const refusal = frame.type === "move" ? refusals.shift() : undefined;
      return refusal && { type: "error", re: frame.id, message: "not now", ...refusal };
    };
    assert.equal((await within(game.move("c1-c2"))).turn, 1);
    const moves = proxy.sent("move");
    assert.equal(moves.length, 4);
    for (const move of moves) assert.deepEqual(move, moves[0]);
  });

  test("a wait that is too long is left to the program", async () => {
    const [ann, bob] = [await world.client(), await world.client()];
    const game = gameOf(ann, await world.game([ann, bob]));
    await game.move("c1-c2");
    await bob.close();
    await frameOf(ann, (frame) => frame.type === "presence" && !frame.seats[1].online);
    await assert.rejects(game.claim(), (error: unknown) => {
      assert.ok(error instanceof RequestError && (error.retryAfterMs ?? 0) > 60_000);
      return error.code === "too_soon";
    });
  });

  test("a read that is broken off leaves the session as it was", async () => {
    const proxy = await world.proxy();
    const client = await world.client(proxy.url, { limits: { pendingMax: 1 } });
    proxy.change = (frame, text) => (frame.type === "pong" ? [] : [text]);
    const stop = new AbortController();
    const waiting = client.request("ping", {}, { signal: stop.signal });
    await proxy.until(() => proxy.sent("ping").length > 0);
    stop.abort();
    await assert.rejects(waiting, { name: "AbortError" });
    await assert.rejects(client.request("ping", {}, { signal: AbortSignal.timeout(20) }), { name: "TimeoutError" });
    proxy.change = (_, text) => [text];
    assert.equal((await within(client.request("ping", { t0: 7 }))).t0, 7);
  });

  test("addresses", () => {
    const cases = {
      "example.org:7777": "ws://example.org:7777/v1/ws",
      "https://example.org/": "wss://example.org/v1/ws",
      "ws://[::1]:7777": "ws://[::1]:7777/v1/ws",
      "wss://example.org/games/v1/ws": "wss://example.org/games/v1/ws",
    };
    for (const [address, url] of Object.entries(cases)) assert.equal(webSocketUrl(address), url);
    for (const address of ["ftp://example.org", "ws://", "ws://ann:secret@example.org"]) {
      assert.throws(() => webSocketUrl(address), TypeError);
    }
  });
});

describe("a server with limits", () => {
  const world = new World([], "[limits]\nmessages_burst = 5\nmessages_per_s = 100\n");

  test("the client keeps within the rate of the server", async () => {
    const proxy = await world.proxy();
    const client = await world.client(proxy.url);
    const types: string[] = [];
    proxy.change = (frame, text) => {
      types.push(frame.type);
      return [text];
    };
    await within(Promise.all(Array.from({ length: 60 }, () => client.request("ping"))));
    const refused = types.filter((type) => type === "error").length;
    assert.equal(types.length - refused, 60);
    // On a busy machine requests can arrive closer together than they were sent. Without a pace a
    // third is refused.
    assert.ok(refused < 5, `${refused} were refused`);
  });
});

describe("log-in", () => {
  const world = new World();

  test("an account makes tokens for its bots", async () => {
    const owner = await world.client(undefined, { name: newName(), bot: false });
    const [user, bot] = [newName(), newName()];
    const token = await owner.signUp(user, "correct horse");
    assert.deepEqual([owner.name, owner.token], [user, token]);
    const secrets = [await owner.createBotToken(bot), await owner.createBotToken(bot)];
    assert.notEqual(secrets[0], secrets[1]);
    for (const secret of secrets) {
      const client = await world.client(undefined, { token: secret });
      assert.deepEqual(client.user, { name: bot, bot: true, guest: false, owner: user });
    }
    const again = await world.client(undefined, { user, password: "correct horse" });
    assert.equal(again.name, user);
    assert.notEqual(again.token, token);
  });

  test("a guest comes back by the file with its token", async () => {
    const file = join(world.server.data, "guest.token");
    const name = newName();
    const options = { name, tokenStore: tokenFile(file) };
    const first = await world.client(undefined, options);
    assert.deepEqual(first.user, { name, bot: true, guest: true });
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    await first.close();
    const second = await world.client(undefined, options);
    assert.equal(second.name, name);
    await second.request("logout");
    await assert.rejects(world.client(undefined, options), { code: "unauthorized", message: /delete it to begin/ });
  });

  test("a token that cannot be kept is an error, and leaves no session behind", async () => {
    const proxy = await world.proxy();
    const write = () => Promise.reject(new Error("the disk is full"));
    const options = { name: newName(), tokenStore: { read: () => null, write } };
    await assert.rejects(world.client(proxy.url, options), /the disk is full/);
    const [session] = proxy.sessions;
    if (session !== undefined && session.readyState !== WebSocket.CLOSED) await within(once(session, "close"));
    assert.equal(session?.readyState, WebSocket.CLOSED);
  });

  test("a refused log-in says why", async () => {
    const taken = await world.client();
    for (const [options, code] of [
      [{ name: taken.name ?? "" }, "name_taken"],
      [{ token: "at_wrong" }, "unauthorized"],
    ] as const) {
      await assert.rejects(world.client(undefined, options), (error: unknown) => {
        assert.ok(error instanceof ConnectError);
        assert.deepEqual([error.code, error.mayRetry], [code, false]);
        return true;
      });
    }
  });

  for (const [platform, options] of [
    ["Node's WebSocket", {}],
    ["the package ws", { WebSocket }],
  ] as const) {
    test(`no server is an error at once, with ${platform}`, async () => {
      await assert.rejects(within(connect("127.0.0.1:1", { log: SILENT, ...options })), {
        name: "ConnectError",
        code: "unreachable",
        message: /^cannot reach the server at ws:\/\/127\.0\.0\.1:1\/v1\/ws/,
      });
    });

    test(`a session opens, asks and closes, with ${platform}`, async () => {
      const client = await world.client(undefined, options);
      assert.equal((await client.request("ping")).type, "pong");
      await client.close();
      assert.equal((await client.closed).byProgram, true);
      await assert.rejects(client.request("ping"), { code: "closed" });
    });
  }

  test("a signal ends the attempt to connect, and later the client", async () => {
    const stop = new AbortController();
    stop.abort(new Error("no more"));
    await assert.rejects(connect(world.server.url, { signal: stop.signal }), /no more/);
    const later = new AbortController();
    const client = await world.client(undefined, { name: newName(), signal: later.signal });
    const reading = frameOf(client, () => false);
    later.abort();
    await assert.rejects(reading, /the client was closed/);
    assert.equal((await client.closed).byProgram, true);
  });

  test("a server that does not answer in time is an error", async () => {
    const proxy = await world.proxy();
    proxy.change = () => [];
    const options = { name: newName(), limits: { openTimeoutMs: 100 } };
    await assert.rejects(world.client(proxy.url, options), { code: "timeout" });
  });

  test("a session without a user watches", async () => {
    const [ann, bob] = [await world.client(), await world.client()];
    const id = await world.game([ann, bob]);
    const spectator: Client = await connect(world.server.url);
    world.atEnd(() => spectator.close());
    assert.equal(spectator.name, undefined);
    const game = await spectator.follow(id);
    assert.deepEqual([game.seat, game.position], [undefined, { c1: "OOOOOOOO", c5: "XXXXXXXX" }]);
    await gameOf(ann, id).move("c1-c2");
    assert.equal((await frameOf(spectator, kind("moved"))).move, "c1-c2");
    await assert.rejects(spectator.challenge("house-easy", { rules: "adamas" }), TypeError);
  });
});
