// Games that a client follows: their state is that of the server, and their events arrive once and in order.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Game, RequestError } from "@adamant/client";
import { collected, type Frame, frameOf, gameOf, kind, legalMove, play, until, within, World } from "./server.ts";

const STATE = ["rules", "options", "clock", "rated", "seats", "turn", "ply", "toMove", "moves", "hash"] as const;

describe("games", () => {
  const world = new World();

  /** Compares what events have made of a game with what a client sees that has only the snapshot. */
  async function assertTrue(game: Game): Promise<void> {
    const client = await world.client();
    const other = await client.follow(game.id);
    // The reply to an act arrives before its event.
    await until(client, () => game.seq === other.seq);
    const seen = (one: Game) => ({
      ...Object.fromEntries([...STATE, "offers", "result", "seq"].map((name) => [name, one[name as keyof Game]])),
      ...(game.position === null ? {} : { position: one.position, threatened: one.threatened }),
      // The clock that does not run stands still.
      left: one.seats.map((_, seat) => (seat === one.toMove ? undefined : one.timeLeftMs(seat))),
    });
    assert.deepEqual(seen(game), seen(other));
    await client.close();
  }

  test("the state is that of the server after every kind of event", async () => {
    const before = performance.now();
    const [ann, bob] = [await world.client(), await world.client()];
    const clock = { mode: "byoyomi", base_ms: 300_000, periods: 3, period_ms: 30_000 };
    const id = await world.game([ann, bob], { rules: "stymie", options: "-swap", clock });
    const [game, bobs] = [gameOf(ann, id), gameOf(bob, id)];
    await assertTrue(game);
    assert.deepEqual([game.seat, bobs.seat, game.opponents], [0, 1, [bob.name]]);
    await legalMove(ann, id);
    const [left, due] = [game.timeLeftMs(), game.deadlineInMs()];
    // What has passed in this test, on this clock and on that of the server, which the client may see late.
    const most = performance.now() - before + 1;
    assert.ok(between(left, 390_000 - most, 390_000), `${left}, after ${most}`);
    assert.equal(game.timeLeftMs(1), 390_000);
    assert.ok(between(due, 90_000 - most, 90_000 + most), `${due}, after ${most}`);
    await game.move("c3");
    await legalMove(bob, id);
    await bobs.move("swap");
    await frameOf(ann, kind("swapped"));
    assert.deepEqual([game.seat, bobs.seat, game.moves], [1, 0, ["c3", "swap"]]);
    await assertTrue(game);
    await game.move(await legalMove(ann, id));
    await game.offer("draw");
    await assertTrue(game);
    await frameOf(bob, kind("offered"));
    await bobs.answer(bobs.offers[0]?.offer ?? "", false);
    await frameOf(ann, kind("offer_closed"));
    await assertTrue(game);
    await game.offer("takeback");
    await frameOf(bob, kind("offered"));
    await bobs.answer(bobs.offers[0]?.offer ?? "", true);
    await frameOf(ann, kind("taken_back"));
    assert.deepEqual([game.ply, game.moves], [2, ["c3", "swap"]]);
    await assertTrue(game);
    await bobs.resign();
    await frameOf(ann, kind("ended"));
    await assertTrue(game);
    assert.deepEqual(game.result, { winners: [1], places: [2, 1], reason: "resigned" });
    assert.match(String(game), new RegExp(`resigned, winners: ${ann.name}`));
    assert.deepEqual(game.record, await world.server.log(id));
  });

  test("three players and one who leaves", async () => {
    const [ann, bob, cy] = [await world.client(), await world.client(), await world.client()];
    const id = await world.game([ann, bob, cy]);
    const game = gameOf(cy, id);
    await gameOf(ann, id).move(await legalMove(ann, id));
    await frameOf(cy, kind("moved"));
    await game.offer("draw");
    await frameOf(bob, kind("offered"));
    await gameOf(bob, id).answer("o_1", true);
    await frameOf(cy, kind("agreed"));
    await assertTrue(game);
    await gameOf(bob, id).resign();
    await frameOf(cy, kind("offer_closed"));
    await assertTrue(game);
    assert.deepEqual(
      game.seats.map((seat) => seat.state),
      ["in", "resigned", "in"],
    );
    await legalMove(cy, id);
    await assertTrue(game);
  });

  for (const rules of ["adamas", "hexma", "stymie", "diam"]) {
    test(`a whole game of ${rules} ends as the server says`, async () => {
      const players = [await world.client(), await world.client()];
      const id = await world.game(players, { rules });
      for (const game of await within(Promise.all(players.map((player) => play(player, id, 60))))) {
        await assertTrue(game);
        assert.deepEqual(game.record, await world.server.log(id));
      }
    });
  }

  test("a spectator gets the beginning and the end", async () => {
    const [ann, bob, eve] = [await world.client(), await world.client(), await world.client()];
    const id = await world.game([ann, bob]);
    await gameOf(ann, id).move("c1-c2");
    await frameOf(bob, kind("moved"));
    const game = await eve.follow(id);
    assert.deepEqual(game.events, []);
    const watching = collected(game);
    await gameOf(bob, id).move("c5-c4");
    await frameOf(eve, kind("moved"));
    assert.deepEqual(seqs(game.events), [4]);
    assert.deepEqual(seqs(await within(Promise.all([game.loadRecord(), game.loadRecord()])).then(([all]) => all)), [1, 2, 3, 4]);
    await gameOf(ann, id).resign();
    assert.deepEqual(seqs(await within(watching)), [4, 5]);
    assert.deepEqual(game.record, await world.server.log(id));
    assert.deepEqual(seqs(await within(collected(game))), [1, 2, 3, 4, 5]);
  });

  test("all moves are there page by page", async () => {
    const [ann, bob] = [await world.client(), await world.client()];
    const game = gameOf(ann, await world.game([ann, bob]));
    await legalMove(ann, game.id);
    const every = await collected(game.allMoves());
    assert.equal(game.yourTurn?.legal_cut, true);
    assert.equal(every.length, game.yourTurn?.legal_total);
    assert.ok(game.legal.every((move) => every.includes(move)));
    assert.deepEqual(await collected(game.allMoves("c1")), every);
    assert.deepEqual((await game.tryMove("c1-c2")).position, { c1: "OOOOOOO", c2: "O", c5: "XXXXXXXX" });
  });

  test("events that are doubled or missing arrive once and in order", async () => {
    const proxy = await world.proxy();
    const [ann, bob] = [await world.client(proxy.url), await world.client()];
    const id = await world.game([ann, bob], { rules: "hexma" });
    const lost: number[] = [];
    proxy.change = (frame, text) => {
      if (frame.type === "event" && [4, 6].includes(frame.seq) && !lost.includes(frame.seq)) {
        lost.push(frame.seq);
        return [];
      }
      return frame.type === "event" ? [text, text] : [text];
    };
    const arrived: number[] = [];
    const playing = (async () => {
      for await (const frame of ann) {
        if (frame.type === "event") {
          arrived.push(frame.seq);
          if (frame.kind === "ended") return;
        } else if (frame.type === "your_turn" && frame.ply < 8) await gameOf(ann, id).move(frame.legal?.[0] ?? "");
      }
    })();
    for (let move = 0; move < 4; move += 1) await gameOf(bob, id).move(await legalMove(bob, id));
    await gameOf(bob, id).resign();
    await within(playing);
    const game = gameOf(ann, id);
    assert.deepEqual(arrived, Array.from({ length: game.seq - 2 }, (_, at) => at + 3));
    assert.deepEqual(lost, [4, 6]);
    assert.deepEqual(game.record, await world.server.log(id));
    await assertTrue(game);
  });

  test("what a later server adds passes through", async () => {
    const proxy = await world.proxy();
    const [ann, bob] = [await world.client(proxy.url), await world.client()];
    const id = await world.game([ann, bob]);
    proxy.change = (frame, text) => {
      if (frame.kind === "offered") return [text.replace('"kind":"offered"', '"kind":"applauded","loudness":7')];
      return frame.type === "event" ? [text, JSON.stringify({ type: "weather", sky: "blue" }), "{", "[]"] : [text];
    };
    const heard: Frame[] = [];
    const stop = ann.on("weather" as "notice", (frame) => heard.push(frame));
    await gameOf(ann, id).offer("draw");
    const applause = await frameOf(ann, kind("applauded"));
    assert.deepEqual([applause.seq, applause.loudness, gameOf(ann, id).seq], [3, 7, 3]);
    await gameOf(ann, id).move("c1-c2");
    assert.equal((await frameOf(ann, kind("weather"))).sky, "blue");
    assert.deepEqual(
      heard.map((frame) => frame.sky),
      ["blue", "blue"],
    );
    stop();
    assert.equal(gameOf(ann, id).seq, 5, "the unknown kind has its place in the order");
  });

  test("listeners hear of each event once, and of a turn only while it is due", async () => {
    const proxy = await world.proxy();
    const [ann, bob] = [await world.client(proxy.url), await world.client()];
    const id = await world.game([ann, bob], { rules: "hexma" });
    const moved: (number | undefined)[] = [];
    ann.on("event", (event) => event.kind === "moved" && moved.push(event.turn));
    const turns: number[] = [];
    ann.on("your_turn", (turn) => turns.push(turn.turn));
    proxy.change = (_, text) => [text, text];
    await gameOf(ann, id).move(await legalMove(ann, id));
    await gameOf(bob, id).move(await legalMove(bob, id));
    await frameOf(ann, kind("your_turn"));
    proxy.answer = (frame) => (frame.type === "move" ? { type: "lost" } : undefined);
    const moving = gameOf(ann, id).move(gameOf(ann, id).legal[0] ?? "");
    await proxy.until(() => proxy.sent("move").length === 2);
    turns.length = 0;
    proxy.answer = () => undefined;
    proxy.cut();
    await within(moving);
    assert.deepEqual([moved, turns], [[1, 2, 3], []]);
  });

  test("a game that is left sends no more", async () => {
    const [ann, bob, eve] = [await world.client(), await world.client(), await world.client()];
    const id = await world.game([ann, bob]);
    const game = await eve.follow(id);
    await game.unfollow();
    assert.ok(!eve.games.has(id));
    assert.deepEqual(await within(collected(game)), []);
    await gameOf(ann, id).move("c1-c2");
    await frameOf(bob, kind("moved"));
    assert.equal((await eve.follow(id)).ply, 1);
    await assert.rejects(eve.follow("nowhere"), RequestError);
    assert.deepEqual([...eve.games.keys()], [id]);
  });

  test("a client remembers a bounded number of games, the live ones first", async () => {
    const [ann, bob] = [await world.client(undefined, { name: `m${process.pid}`, limits: { gamesMax: 2 } }), await world.client()];
    const first = await world.game([ann, bob]);
    const second = await world.game([ann, bob]);
    await gameOf(bob, second).resign();
    await frameOf(ann, kind("ended"));
    const third = await world.game([ann, bob]);
    assert.deepEqual([...ann.games.keys()], [first, third]);
  });
});

function between(value: number | undefined, least: number, most: number): boolean {
  return value !== undefined && value >= least && value <= most;
}

function seqs(events: readonly { seq: number }[]): number[] {
  return events.map(({ seq }) => seq);
}
