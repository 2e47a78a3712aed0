// The user's own games and challenges, as the server tells of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { UserGames } from "../../src/net/user_games.js";
import { FakeEnv } from "./fake_env.js";

test("a challenge that was closed while the page was away is gone", () => {
  const env = new FakeEnv();
  const games = new UserGames(env.connection);
  /** @param {string} challenge */
  const challenged = (challenge) =>
    env.socket.receive({ type: "challenged", challenge, by: "bob", rules: "diam", seats: [], accepted: ["bob"] });
  env.connection.open();
  env.welcome();
  challenged("gone");
  challenged("open");
  env.socket.disconnect(1006);
  env.reconnect();
  env.welcome();
  challenged("open");
  assert.deepEqual([...games.challenges.keys()], ["open"]);
});

test("a game that began while the page was away is told of once, but not the games of another user", () => {
  const env = new FakeEnv();
  const games = new UserGames(env.connection);
  /** @type {string[]} */
  const begun = [];
  games.onStart((game) => begun.push(game));
  /** @param {string} user @param {string[]} own */
  const welcome = (user, ...own) => env.welcome({ user: { name: user }, games: own.map((game) => ({ game, seat: 0, resume: "snapshot" })) });
  const reconnect = () => {
    env.socket.disconnect(1006);
    env.reconnect();
  };
  env.connection.open();
  welcome("ann", "before");
  reconnect();
  welcome("ann", "before", "new");
  assert.deepEqual(begun, ["new"]);
  reconnect();
  welcome("ann", "before", "new");
  reconnect();
  welcome("bob", "other");
  assert.deepEqual(begun, ["new"]);
});

test("a game whose snapshot comes before its events is told of once", () => {
  const env = new FakeEnv();
  const games = new UserGames(env.connection);
  /** @type {string[]} */
  const begun = [];
  games.onStart((game) => begun.push(game));
  env.connection.open();
  env.welcome({ user: { name: "ann" }, games: [] });
  const seats = ["ann", "bob"].map((user, seat) => ({ user, seat }));
  const snapshot = { type: "snapshot", game: "early", rules: "diam", seats, to_move: 0, seq: 2, chain: "0", offers: [] };
  env.socket.receive(snapshot);
  env.socket.receive({ ...snapshot, seq: 3 });
  assert.deepEqual(begun, ["early"]);
});

test("a tab waits no longer for what was declined, cancelled or another user's", () => {
  const env = new FakeEnv();
  const games = new UserGames(env.connection);
  env.connection.open();
  env.welcome({ user: { name: "ann" }, games: [] });
  for (const offer of ["declined", "begun", "cancelled", "joined", "seek"]) games.awaited.add(offer);
  env.socket.receive({ type: "challenge_closed", challenge: "declined", reason: "later", by: "bob" });
  env.socket.receive({ type: "challenge_closed", challenge: "begun", game: "new" });
  const invite = { type: "invite", by: "ann", rules: "diam", players: 3 };
  env.socket.receive({ ...invite, invite: "cancelled", joined: ["ann"], reason: "cancelled" });
  env.socket.receive({ ...invite, invite: "joined", joined: ["ann", "bob"] });
  assert.deepEqual([...games.awaited], ["begun", "joined", "seek"]);
  env.socket.disconnect(1006);
  env.reconnect();
  env.welcome({ user: { name: "bob" }, games: [] });
  assert.equal(games.awaited.size, 0);
});
