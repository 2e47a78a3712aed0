// Analysis without a server: the tree of moves, addresses, and records as text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ADDRESS_MAX, MOVES_MAX, addressOf, readAddress } from "../../src/explore/address.js";
import { MoveTree, lineThrough, usersAfter } from "../../src/analysis/move_tree.js";
import { verdict } from "../../src/analysis/opinion.js";
import { RECORD_MAX, RecordError, readRecord, writeRecord } from "../../src/analysis/record_text.js";

/** @import {Options} from "../../src/wire.js" */
/** @import {Source} from "../../src/explore/address.js" */

/** @param {Record<string, unknown>} options */
const options = (options) => /** @type {Options} */ (options);

test("moves of a game stay in front of what is tried, and skips count as plies", () => {
  const tree = new MoveTree();
  tree.setGame(["a", "b", "pass", "c"]);
  const b = tree.gameNode(3);
  assert.deepEqual([b.move, b.ply, tree.gameNode(2).move, tree.gameEnd.ply], ["b", 3, "a", 4]);
  const tried = tree.addLine(b, ["x", "y"]);
  assert.equal(tree.add(b, "x"), tried.parent, "a move is added once");
  assert.deepEqual([tried.branchedFrom, tried.ply, tree.tried], [b, 5, 2]);
  assert.deepEqual(lineThrough(b).map(({ move }) => move), ["a", "b", "c"]);
  tree.setGame(["a", "b", "pass", "x", "z"]);
  assert.deepEqual(tree.gameEnd.moves, ["a", "b", "x", "z"], "the game has taken a tried way");
  assert.deepEqual(tried.branchedFrom.moves, ["a", "b", "x"]);
  assert.equal(tree.nodeAt(["a", "b", "c"])?.isGame, false, "what was taken back stays as a variation");
  tree.remove(tried);
  assert.equal(tree.nodeAt(["a", "b", "x", "y"]), undefined);
});

test("a tree is stored and read again", () => {
  const tree = new MoveTree();
  tree.addLine(tree.root, ["a", "b"]);
  tree.addLine(tree.root, ["c"]);
  const again = MoveTree.from(JSON.parse(JSON.stringify(tree)));
  assert.deepEqual(JSON.stringify(again), JSON.stringify(tree));
  assert.deepEqual(again.nodeAt(["a", "b"])?.ply, 2);
});

test("a skip that the server reports moves the plies behind it", () => {
  const tree = new MoveTree();
  const end = tree.addLine(tree.root, ["a", "b"]);
  end.parent?.setPly(2);
  assert.equal(end.ply, 3);
});

test("an address names what it shows", () => {
  /** @param {Source} source @param {string[]} moves @param {number} [ply] */
  const address = (source, moves, ply, from = 0) => addressOf({ source, from, moves, ply }).path;
  const game = { game: "k7q2mx" };
  const adamas = { rules: "adamas", options: options({ size: 4, prog_cap: true }), players: 3 };
  assert.equal(address(game, [], 5), "/analysis/game/k7q2mx?ply=5");
  assert.equal(address(game, ["c5-3xa3,c4", "swap"], undefined, 12), "/analysis/game/k7q2mx#12:c5-3xa3,c4;swap");
  assert.equal(address(adamas, ["c1-c2"], 0), "/analysis/adamas?size=4&prog_cap=true&players=3&ply=0#c1-c2");
  assert.deepEqual(readAddress(game, "?ply=13", "#12:c5-3xa3,c4;swap"), { source: game, from: 12, moves: ["c5-3xa3,c4", "swap"], ply: 13 });
  const read = readAddress({ rules: "adamas" }, "?size=4&prog_cap=true&players=3&ply=0", "#c1-c2");
  assert.deepEqual(read, { source: adamas, from: 0, moves: ["c1-c2"], ply: 0 });
  assert.deepEqual(readAddress({ rules: "diam" }, "?board=8x4&hotseat&ply=x&=&A+b=1", "#4+;6,3-"), {
    source: { rules: "diam", options: { board: "8x4" }, players: 2 },
    from: 0,
    moves: ["4+", "6,3-"],
    ply: undefined,
  });
});

test("an address has no more than it can hold, and a malformed one no moves", () => {
  const source = { rules: "diam", options: {}, players: 2 };
  const long = addressOf({ source, from: 0, moves: Array.from({ length: ADDRESS_MAX }, () => "A1"), ply: 3 });
  assert.deepEqual(long, { path: "/analysis/diam?ply=3", isWhole: false });
  assert.deepEqual(readAddress({ rules: "diam" }, "", "#%E0%A4%A").moves, []);
  assert.equal(readAddress({ rules: "diam" }, "", `#${"A1;".repeat(1_000)}`).moves.length, MOVES_MAX);
});

test("a text record is read as people write it", () => {
  const text = "\ufeff# a game\r\nAdamas challenge ann -size=4 bob cy --prog_cap\r\n1. c1-c2 # good\n2 c5-c4\npass\n3.d1-d2\ny resign\n";
  const record = readRecord(text);
  assert.deepEqual(record, { rules: "adamas", options: { size: 4, prog_cap: true }, users: ["ann", "bob", "cy"], moves: ["c1-c2", "c5-c4", "d1-d2"], isCut: false });
  assert.ok(readRecord(`${text}c4-c3`).isCut, "the others have gone on");
  assert.deepEqual(readRecord("stymie challenge -swap=off ann bob\nf6\nSWAP").moves, ["f6", "SWAP"]);
  assert.deepEqual(readRecord("stymie challenge -swap=off ann bob").options, { swap: false });
});

test("plain moves are read without the name of a game", () => {
  const record = readRecord("1. A1 X2\n2. A5 X3 4+ 6,3-");
  assert.deepEqual([record.rules, record.users, record.moves], [undefined, [], ["A1", "X2", "A5", "X3", "4+", "6,3-"]]);
});

test("a journal is read with its takebacks, skips and exchanged seats", () => {
  const event = (/** @type {object} */ more) => JSON.stringify({ type: "event", game: "g", ...more });
  const lines = [
    event({ kind: "created", rules: "stymie@1", options: { size: 3, swap: true }, seats: [{ user: "ann" }, { user: "bob" }] }),
    event({ kind: "started", to_move: 0 }),
    event({ kind: "moved", ply: 1, move: "c3" }),
    event({ kind: "swapped", ply: 2, seats: ["bob", "ann"] }),
    event({ kind: "skipped", ply: 3 }),
    event({ kind: "moved", ply: 4, move: "a1" }),
    event({ kind: "taken_back", ply: 3 }),
    event({ kind: "moved", ply: 4, move: "b2" }),
    JSON.stringify({ type: "signature", seq: 8 }),
  ];
  const record = readRecord(`${lines.join("\n")}\n`);
  assert.deepEqual(record, { rules: "stymie", options: { size: 3, swap: true }, users: ["ann", "bob"], moves: ["c3", "swap", "b2"], isCut: false });
  assert.throws(() => readRecord(lines.slice(1).join("\n")), { message: "This signed record lacks its beginning." });
});

test("a file that is no record is refused with a reason", () => {
  for (const [text, why] of /** @type {[string, RegExp][]} */ ([
    ["\u0089PNG\r\n\u001a\u0000\u0000", /no text file/],
    ["", /no moves/],
    ["# only a comment\n", /no moves/],
    ["chess challenge ann bob", /no game called chess/],
    ["<!doctype html>", /“<!doctype” on line 1 is no move/],
    ["{\n", /Line 1 is no part/],
    ["a".repeat(RECORD_MAX + 1), /too large/],
  ])) {
    assert.throws(() => readRecord(text), (error) => error instanceof RecordError && why.test(error.message), text.slice(0, 20));
  }
});

test("a written record can be read, whatever the players are called", () => {
  const game = { rules: "adamas@1", options: options({ size: 3, pieces: 8, prog_cap: false }), users: ["Jörg Müller", "", "jorgmuller"], moves: ["c1-c2", "c5-c4"] };
  const text = writeRecord(game);
  assert.equal(text, "adamas challenge -size=3 -pieces=8 JorgMuller player2 jorgmuller-3\nc1-c2\nc5-c4\n");
  assert.deepEqual(readRecord(text).moves, game.moves);
});

test("players change seats by a swap", () => {
  assert.deepEqual(usersAfter(["ann", "bob"], ["f6", "swap"]), ["bob", "ann"]);
  assert.deepEqual(usersAfter(["ann", "bob"], ["f6"]), ["ann", "bob"]);
});

test("a score is put in words for both sides", () => {
  assert.equal(verdict(30, "Blue", "Orange"), "The position is about even.");
  assert.equal(verdict(150, "Blue", "Orange"), "Blue is a little better.");
  assert.equal(verdict(-500, "Blue", "Orange"), "Orange is much better.");
  assert.equal(verdict(1_000, "Blue", "Orange"), "Blue wins.");
  assert.equal(verdict(-1_000, "Blue", undefined), "Blue loses.");
});
