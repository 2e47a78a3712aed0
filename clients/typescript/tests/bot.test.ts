// Bots: what they accept, how they move, and that they survive.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Bot, type Client, type Game, type protocol, type RunOptions } from "@adamant/client";
import { tokenFile } from "@adamant/client/node";
import { frameOf, gameOf, kind, legalMove, newName, SILENT, until, within, World } from "./server.ts";

/** Plays moves of all kinds, and remembers what it has seen. */
class SomeBot extends Bot {
  readonly name = newName();
  readonly results: Game[] = [];
  readonly errors: string[] = [];
  readonly infos: string[] = [];
  asked = 0;
  running = Promise.resolve();
  readonly ready: Promise<void>;
  #setReady: () => void = () => undefined;
  readonly #url: string;
  readonly #against: string | undefined;
  readonly #rules: string;

  constructor(url: string, against?: string, rules = "diam") {
    super();
    this.#url = url;
    this.#against = against;
    this.#rules = rules;
    this.ready = new Promise((resolve) => {
      this.#setReady = resolve;
    });
  }

  override async idle(): Promise<void> {
    this.asked += 1;
    if (this.#against !== undefined) await this.client.challenge(this.#against, { rules: this.#rules });
  }

  choose(game: Game, _signal?: AbortSignal): string | undefined | Promise<string | undefined> {
    return game.legal[(game.ply * 7919) % game.legal.length];
  }

  override ended(game: Game): void {
    this.results.push(game);
  }

  override received(): void {
    this.#setReady();
  }

  /** Begins to run, and waits until the bot is there or has ended. */
  async start(options: RunOptions = {}): Promise<void> {
    const log = { ...SILENT, info: (text: string) => this.infos.push(text), error: (text: string) => this.errors.push(text) };
    this.running = this.run(this.#url, { name: this.name, log, ...options });
    this.running.catch(() => undefined);
    await within(Promise.race([this.ready, this.running.catch(() => undefined)]));
  }
}

class Picky extends SomeBot {
  override gamesAtOnce = 1;
  override accepts = { games: [{ rules: "adamas" }, { rules: "diam" }] };

  override async accept(challenge: protocol.Challenged): Promise<boolean | protocol.DeclineReason> {
    return challenge.rules.startsWith("hexma") ? "game" : true;
  }
}

/** Waits until the directory says that a bot would begin a number of games. */
async function listed(client: Client, bot: SomeBot, free: number): Promise<protocol.DirectoryEntry> {
  for (;;) {
    const { bots } = await client.request("directory");
    const entry = bots.find(({ user, free: said }) => user === bot.name && said === free);
    if (entry !== undefined) return entry;
  }
}

class Wrong extends SomeBot {
  override choose(): string {
    return "z9-z8";
  }
}

class Broken extends SomeBot {
  override choose(): string {
    throw new RangeError("a mistake of the bot");
  }
}

/** Thinks until it is let go. */
class Slow extends SomeBot {
  begun = 0;
  readonly signals: AbortSignal[] = [];
  go: () => void = () => undefined;
  readonly #gone = new Promise<void>((resolve) => {
    this.go = resolve;
  });

  override async choose(game: Game, signal: AbortSignal): Promise<string | undefined> {
    this.begun += 1;
    this.signals.push(signal);
    await this.#gone;
    return game.legal[0];
  }
}

describe("bots", () => {
  const world = new World();

  async function started<B extends SomeBot>(bot: B, options: RunOptions = {}): Promise<B> {
    const stop = new AbortController();
    world.atEnd(async () => {
      stop.abort();
      await bot.running.catch(() => undefined);
    });
    await bot.start({ signal: stop.signal, ...options });
    return bot;
  }

  test("a bot plays one game after the other against the house", async () => {
    const bot = await started(new SomeBot(world.server.url, "house-easy"), { games: 3 });
    await within(bot.running);
    assert.deepEqual(
      bot.results.map((game) => game.opponents),
      [["house-easy"], ["house-easy"], ["house-easy"]],
    );
    assert.ok(bot.results.every((game) => game.result !== null));
    assert.equal(bot.asked, 3);
  });

  test("a bot accepts what it wants", async () => {
    const bot = await started(new Picky(world.server.url));
    const ann = await world.client();
    const entry = await within(listed(ann, bot, 1));
    assert.deepEqual(entry.accepts.games, [{ rules: "adamas" }, { rules: "diam" }]);
    await ann.challenge(bot.name, { rules: "hexma" });
    const closed = await frameOf(ann, kind("challenge_closed"));
    assert.deepEqual([closed.reason, closed.by], ["game", bot.name]);
    await ann.challenge(bot.name, { rules: "adamas" });
    await frameOf(ann, kind("created"));
    await ann.challenge(bot.name, { rules: "adamas" });
    assert.equal((await frameOf(ann, (frame) => frame.reason !== undefined)).reason, "busy");
    await within(listed(ann, bot, 0));
  });

  test("a challenge to three is answered once", async () => {
    const bots = [await started(new SomeBot(world.server.url)), await started(new SomeBot(world.server.url))];
    const ann = await world.client();
    await ann.challenge(
      bots.map((bot) => bot.name),
      { rules: "adamas" },
    );
    assert.equal((await frameOf(ann, kind("created"))).seats.length, 3);
    for (const bot of bots) {
      await within(bot.client.request("ping"));
      assert.deepEqual(bot.infos, []);
    }
  });

  test("a bot resigns after a move that is not legal", async () => {
    const bot = await started(new Wrong(world.server.url, "house-easy"), { games: 1 });
    await within(bot.running);
    assert.match(bot.errors[0] ?? "", /z9-z8 is not legal/);
    assert.equal(bot.results[0]?.result?.reason, "resigned");
  });

  test("an exception stops the bot", async () => {
    const broken = await started(new Broken(world.server.url, "house-easy"));
    await assert.rejects(within(broken.running), RangeError);
    const lonely = await started(new SomeBot(world.server.url, "no-such-user"));
    await assert.rejects(within(lonely.running), { code: "not_found" });
  });

  test("an exception of an async method stops the bot, even at the end of its last game", async () => {
    class Late extends SomeBot {
      override async ended(game: Game): Promise<void> {
        await this.client.request("user", { name: game.opponents[0] ?? "" });
        throw new RangeError("a mistake after the game");
      }
    }
    const bot = await started(new Late(world.server.url, "house-easy"), { games: 1 });
    await assert.rejects(within(bot.running), RangeError);
  });

  test("a bot that is stopped ends without an error, whatever it is doing", async () => {
    class Busy extends SomeBot {
      override async received(): Promise<void> {
        super.received();
        await new Promise(() => undefined);
      }
    }
    const stop = new AbortController();
    const bot = await started(new Busy(world.server.url), { signal: stop.signal });
    stop.abort();
    await within(bot.running);
  });

  test("a turn that ends while the bot thinks ends the thought", async () => {
    const bot = await started(new Slow(world.server.url));
    const [ann, cy] = [await world.client(), await world.client()];
    await ann.challenge([bot.name, cy.name ?? ""], { rules: "adamas", seat: 1 });
    await cy.request("accept", { challenge: (await frameOf(cy, kind("challenged"))).challenge });
    const created = await frameOf(ann, kind("created"));
    assert.equal(created.seats[0].user, bot.name);
    await until(ann, () => bot.begun === 1);
    await frameOf(cy, kind("started"));
    await gameOf(cy, created.game).resign();
    await until(ann, () => bot.begun === 2);
    assert.deepEqual(
      bot.signals.map((signal) => signal.aborted),
      [true, false],
    );
    bot.go();
    const moved = await frameOf(ann, kind("moved"));
    assert.deepEqual([moved.seat, moved.turn], [0, 2]);
  });

  test("the same turn after a drop is thought about once", async () => {
    const proxy = await world.proxy();
    const bot = await started(new Slow(proxy.url));
    const ann = await world.client();
    await ann.challenge(bot.name, { rules: "adamas", seat: 1 });
    await frameOf(ann, kind("created"));
    await until(ann, () => bot.begun === 1);
    proxy.cut();
    await proxy.until(() => proxy.sent("hello").length === 2);
    await within(bot.client.request("ping"));
    bot.go();
    await frameOf(ann, kind("moved"));
    assert.deepEqual([bot.begun, proxy.sent("move").length], [1, 1]);
  });

  test("a turn whose answer was lost is thought about once", async () => {
    const proxy = await world.proxy();
    const bot = await started(new Slow(proxy.url));
    bot.go();
    proxy.answer = (frame) => (frame.type === "move" ? { type: "lost" } : undefined);
    const ann = await world.client();
    await ann.challenge(bot.name, { rules: "hexma", seat: 1 });
    await proxy.until(() => proxy.sent("move").length === 1);
    proxy.answer = () => undefined;
    proxy.cut();
    const { game } = await frameOf(ann, kind("moved"));
    await gameOf(ann, game).move(await legalMove(ann, game));
    await frameOf(ann, kind("moved"));
    await frameOf(ann, kind("moved"));
    assert.deepEqual([bot.begun, proxy.sent("move").map(({ turn }) => turn)], [2, [0, 0, 2]]);
  });

  test("a bot that is started again goes on", async () => {
    const tokenStore = tokenFile(join(world.server.data, "bot.token"));
    const stop = new AbortController();
    const first = await started(new SomeBot(world.server.url), { tokenStore, signal: stop.signal });
    const ann = await world.client();
    await ann.challenge(first.name, { rules: "hexma" });
    const id = (await frameOf(ann, kind("started"))).game;
    const game = gameOf(ann, id);
    await game.move(await legalMove(ann, id));
    await legalMove(ann, id);
    stop.abort();
    await within(first.running);
    await game.move(await legalMove(ann, id));
    const second = await started(new SomeBot(world.server.url), { tokenStore });
    await legalMove(ann, id);
    assert.deepEqual([second.client.name, game.ply], [first.name, 4]);
  });

  test("a bot that finishes plays its games to the end and takes no other", async () => {
    const bot = await started(new SomeBot(world.server.url));
    const ann = await world.client();
    await ann.challenge(bot.name, { rules: "hexma" });
    const id = (await frameOf(ann, kind("started"))).game;
    await legalMove(ann, id);
    bot.finish();
    await ann.challenge(bot.name, { rules: "hexma" });
    assert.equal((await frameOf(ann, (frame) => frame.reason !== undefined)).reason, "busy");
    await within(listed(ann, bot, 0));
    await gameOf(ann, id).move(await legalMove(ann, id));
    await legalMove(ann, id);
    await gameOf(ann, id).resign();
    await within(bot.running);
    assert.deepEqual(
      bot.results.map((game) => game.id),
      [id],
    );
    const idle = await started(new SomeBot(world.server.url));
    idle.finish();
    await within(idle.running);
  });

  test("a bot that is replaced stops", async () => {
    const bot = await started(new SomeBot(world.server.url));
    await world.client(undefined, { token: bot.client.token ?? "" });
    await assert.rejects(within(bot.running), { closeCode: 4003 });
  });

  test("a user who declines is not asked at once again", async () => {
    const ann = await world.client();
    await started(new SomeBot(world.server.url, ann.name), { limits: { idleWaitMs: 300 } });
    let before = 0;
    for (let times = 0; times < 2; times += 1) {
      const { challenge } = await frameOf(ann, kind("challenged"));
      before = performance.now();
      await ann.request("decline", { challenge });
    }
    await frameOf(ann, kind("challenged"));
    assert.ok(performance.now() - before > 200);
  });

  test("bots finish their games on a server that is killed again and again", async () => {
    const own = await world.ownServer();
    const host = await started(new SomeBot(own.url), { games: 4 });
    const guest = await started(new SomeBot(own.url, host.name), { games: 4 });
    for (let games = 1; games < 4; games += 1) {
      await until(guest.client, () => guest.results.length >= games);
      await own.kill();
      await own.start();
    }
    await within(Promise.all([host.running, guest.running]));
    const ids = (bot: SomeBot) => bot.results.map(({ id }) => id);
    assert.deepEqual(ids(host), ids(guest));
    for (const game of [...host.results, ...guest.results]) {
      // A game that began while the server was killed is followed from a snapshot on.
      assert.deepEqual(game.record, (await own.log(game.id)).slice(-game.record.length));
    }
  });
});
