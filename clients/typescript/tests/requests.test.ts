// Requests, their replies and refusals.

import assert from "node:assert/strict";
import { once } from "node:events";
import { lstat, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { type Client, connect, ConnectError, RequestError } from "@adamant/client";
import { tokenFile } from "@adamant/client/node";
import WebSocket from "ws";
import { isExposed, webSocketUrl } from "../dist/address.js";
import { REPLIES } from "../dist/requests.js";
import { type Frame, frameOf, gameOf, kind, newName, SILENT, within, World } from "./server.ts";

describe("requests", () => {
  const world = new World();

  test("the reply to every reading request has the type that the table says", async () => {
    const bob = await world.client();
    const ann = await world.client(undefined, { name: newName(), bot: false });
    const game = await world.game([ann, bob]);
    const over = await world.game([ann, bob]);
    await ann.request("resign", { game: over });
    const owner = await world.client(undefined, { name: newName(), bot: false });
    await owner.signUp(newName(), "correct horse");
    const request = owner.request.bind(owner) as (type: string, fields: object) => Promise<Frame>;
    const { invite } = await request("invite", { rules: "hexma" });
    const ofGame = ["hints", "layout", "moves", "positions", "explore", "signature", "watch"];
    const fields: { [type: string]: object } = {
      ...Object.fromEntries(ofGame.map((type) => [type, { game }])),
      analyse: { game: over },
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

  test("a token goes to a new file that is no link", async () => {
    const [file, victim] = [join(world.server.data, "new.token"), join(world.server.data, "victim")];
    await writeFile(victim, "precious");
    const store = tokenFile(file);
    for (const leave of [() => writeFile(`${file}.new`, "", { mode: 0o644 }), () => symlink(victim, `${file}.new`)]) {
      await leave();
      await store.write("at_1");
      assert.equal(await store.read(), "at_1");
      const found = await lstat(file);
      assert.deepEqual([found.isSymbolicLink(), found.mode & 0o777], [false, 0o600]);
      await rm(file);
    }
    assert.equal(await readFile(victim, "utf8"), "precious");
  });

  test("no secret is in a log or in what inspect shows", async () => {
    const said: string[] = [];
    const say = (text: string) => void said.push(text);
    const log = { info: say, warn: say, error: say };
    const client = await world.client(undefined, { name: newName(), bot: false, log });
    const name = newName();
    const token = await client.signUp(name, "S3cret horse");
    const again = await world.client(undefined, { user: name, password: "S3cret horse", log });
    const shown = [...said, inspect(client, { depth: 9 }), inspect(again, { depth: 9 })].join("\n");
    for (const secret of ["S3cret", token, again.token ?? "at_"]) assert.ok(!shown.includes(secret), shown);
  });

  test("a server's text has no escape sequences", async () => {
    const rude = "\x1b]0;OWNED\x07\x9b2J\n";
    const said: string[] = [];
    const proxy = await world.proxy();
    const log = { ...SILENT, info: (text: string) => said.push(text), warn: (text: string) => said.push(text) };
    const client = await world.client(proxy.url, { name: newName(), log });
    proxy.answer = ({ id }) => ({ type: "error", re: id, code: rude, message: rude, retry: "never" });
    await client.request("ping").catch((error: Error) => said.push(error.message));
    proxy.close(1008, rude);
    said.push((await within(client.closed)).message);
    assert.ok(said.length >= 2);
    for (const text of said) assert.doesNotMatch(text, /[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  });

  test("addresses are completed as in all clients", async () => {
    const file = new URL("../../../client/tests/addresses.json", import.meta.url);
    type Case = { address: string; url: string | null; plain?: boolean };
    for (const { address, url, plain = false } of JSON.parse(await readFile(file, "utf8")) as Case[]) {
      if (url === null) {
        assert.throws(() => webSocketUrl(address), TypeError, address);
        continue;
      }
      const read = new URL(webSocketUrl(address));
      const port = read.port || (read.protocol === "ws:" ? "80" : "443");
      assert.equal(`${read.protocol}//${read.hostname}:${port}${read.pathname}`, url, address);
      assert.equal(isExposed(read.href), plain, address);
    }
  });

  test("an address without encryption is said once", async () => {
    const said: string[] = [];
    const options = { name: "kim", log: { ...SILENT, warn: (text: string) => said.push(text) } };
    for (let time = 0; time < 2; time += 1) {
      await assert.rejects(connect("ws://nobody.invalid", options), { code: "unreachable" });
    }
    assert.equal(said.length, 1);
    assert.match(said[0] ?? "", /^ws:\/\/nobody\.invalid\/v1\/ws is not encrypted/);
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
