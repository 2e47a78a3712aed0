// The user's own games and challenges: which are live, where it is the user's turn, and which have
// just begun or ended.

import { leavingSeat } from "./seat_offers.js";
import { storage } from "../strings/storage.js";

/** @import {ChallengeClosed, Challenged, EventFrame, GameId, GameResult, InviteEntry, OpenChallenge, Snapshot, Welcome, YourTurn} from "../wire.js" */
/** @import {Connection} from "./connection.js" */

/**
 * What is known of a game of the user.
 * @typedef {object} OwnGame
 * @property {GameId} game
 * @property {string} rules
 * @property {string[]} users by seat
 * @property {number} seat the user's own seat
 */

/**
 * What has just happened in a game of the user, or with a challenge.
 * @typedef {(
 *   | { is: "turn", own: OwnGame }
 *   | { is: "over", own: OwnGame, result: Pick<GameResult, "winners" | "reason"> | undefined }
 *   | { is: "challenged", challenged: Challenged }
 * )} News
 */

/** Closed challenges that are kept for views that still wait for the reply to theirs. */
const CLOSED_MAX = 32;

export class UserGames {
  #connection;
  /** @type {Set<() => void>} */
  #listeners = new Set();
  /** @type {Set<(game: GameId) => void>} */
  #startListeners = new Set();
  /** @type {Map<string, ChallengeClosed>} */
  #closed = new Map();
  /** @type {Set<(closed: ChallengeClosed) => void>} */
  #refusedListeners = new Set();
  /** @type {Set<(news: News) => void>} */
  #newsListeners = new Set();
  /** What is known of the live games. @type {Map<GameId, OwnGame>} */
  #own = new Map();
  /** Live games in which it was another player's turn. @type {Set<GameId>} */
  #others = new Set();
  /** The user of the last welcome. @type {string | undefined} */
  #user;

  /** Live games of the user. @type {Set<GameId>} */
  live = new Set();
  /** Live games in which it is the user's turn. @type {Set<GameId>} */
  toMove = new Set();
  /**
   * What this tab waits for: offers by their ids, and requests for a game that are not answered yet.
   * @type {Set<unknown>}
   */
  awaited = new Set();
  /** Whether the page asks one house player after another for a game, and says itself what came of it. */
  asksHouse = false;
  /** Challenges that the user can accept. @type {Map<string, Challenged>} */
  challenges = new Map();
  /** The user's own challenges that wait for other players. @type {Map<string, OpenChallenge>} */
  outgoing = new Map();

  /** @param {Connection} connection */
  constructor(connection) {
    this.#connection = connection;
    connection.on("welcome", (/** @type {Welcome} */ welcome) => this.#onWelcome(welcome));
    connection.on("snapshot", (/** @type {Snapshot} */ snapshot) => this.#onSnapshot(snapshot));
    connection.on("event", (/** @type {EventFrame} */ event) => this.#onEvent(event));
    connection.on("your_turn", (/** @type {YourTurn} */ turn) => this.#onTurn(turn.game));
    connection.on("challenged", (/** @type {Challenged} */ challenged) => this.#onChallenged(challenged));
    connection.on("challenge_closed", (/** @type {ChallengeClosed} */ closed) => this.#onChallengeClosed(closed));
    connection.on("invite", (/** @type {InviteEntry} */ { invite, reason }) => {
      if (reason != null) this.awaited.delete(invite);
    });
  }

  /**
   * Subscribes to all changes.
   * @param {() => void} listener
   * @returns {() => void} unsubscribes
   */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Subscribes to games of the user that begin, or have begun while the connection was away.
   * @param {(game: GameId) => void} listener
   * @returns {() => void} unsubscribes
   */
  onStart(listener) {
    this.#startListeners.add(listener);
    return () => this.#startListeners.delete(listener);
  }

  /**
   * Returns how a challenge was closed, if it was.
   * @param {string} challenge
   */
  closedChallenge(challenge) {
    return this.#closed.get(challenge);
  }

  /**
   * Waits until a challenge is closed.
   * @param {string} challenge
   * @returns {Promise<ChallengeClosed>}
   */
  closing(challenge) {
    return new Promise((resolve) => {
      const look = () => {
        const closed = this.#closed.get(challenge);
        if (closed === undefined) return;
        stop();
        resolve(closed);
      };
      const stop = this.onChange(look);
      look();
    });
  }

  /**
   * Subscribes to the user's own challenges that other players decline or that expire.
   * @param {(closed: ChallengeClosed) => void} listener
   */
  onRefused(listener) {
    this.#refusedListeners.add(listener);
  }

  /**
   * Subscribes to what happens in the user's games and to new challenges: not to what was so before
   * the page was opened.
   * @param {(news: News) => void} listener
   */
  onNews(listener) {
    this.#newsListeners.add(listener);
  }

  /**
   * Returns what is known of a live game of the user.
   * @param {GameId} game
   */
  about(game) {
    return this.#own.get(game);
  }

  /**
   * Returns the game in which the user is to move and has waited longest to do so, after another.
   * @param {GameId} [after] the game that the page shows
   */
  nextToMove(after = "") {
    const waiting = [...this.toMove];
    return waiting[(waiting.indexOf(after) + 1) % waiting.length];
  }

  /** Requests the user's own challenges, after a new one. */
  async refreshOutgoing() {
    try {
      const { challenges } = await this.#connection.request({ type: "challenges" });
      this.#update(() => this.#setOutgoing(challenges));
    } catch {
      // The next welcome lists them.
    }
  }

  /** @param {OpenChallenge[]} challenges */
  #setOutgoing(challenges) {
    const user = this.#connection.welcome?.user?.name;
    const own = challenges.filter(({ by, challenge }) => by === user && !this.#closed.has(challenge));
    this.outgoing = new Map(own.map((each) => [each.challenge, each]));
  }

  /** @param {() => void} change */
  #update(change) {
    change();
    for (const listener of [...this.#listeners]) listener();
  }

  /** @param {Welcome} welcome */
  #onWelcome(welcome) {
    const own = welcome.games.filter((game) => game.seat != null).map((game) => game.game);
    const user = welcome.user?.name;
    // What has begun while the connection was away is told of by the welcome alone.
    const begun = user === this.#user ? own.filter((game) => !this.live.has(game)) : [];
    if (user !== this.#user) this.awaited.clear();
    this.#user = user;
    this.#update(() => {
      this.live = new Set(own);
      // Games in which the turn has passed since are reported by their events or snapshots.
      for (const known of [this.toMove, this.#others]) for (const game of known) if (!this.live.has(game)) known.delete(game);
      for (const game of this.#own.keys()) if (!this.live.has(game)) this.#own.delete(game);
      this.challenges.clear();
      this.#setOutgoing(welcome.challenges);
    });
    // The latest first: a tab that waits for a game leads to one.
    for (const game of begun.reverse()) this.#tellOfStart(game);
  }

  /** @param {GameId} game */
  #tellOfStart(game) {
    for (const listener of [...this.#startListeners]) listener(game);
  }

  /** @param {News} news */
  #tell(news) {
    for (const listener of this.#newsListeners) listener(news);
  }

  /** @param {GameId} game */
  #onTurn(game) {
    const isNews = this.#others.delete(game);
    this.#update(() => this.toMove.add(game));
    const own = this.#own.get(game);
    if (isNews && own !== undefined) this.#tell({ is: "turn", own });
  }

  /** @param {Challenged} challenged */
  #onChallenged(challenged) {
    const user = this.#connection.welcome?.user?.name ?? "";
    const isNews = !this.challenges.has(challenged.challenge);
    this.#update(() => this.challenges.set(challenged.challenge, challenged));
    if (isNews && !challenged.accepted.includes(user)) this.#tell({ is: "challenged", challenged });
  }

  /** @param {Snapshot} snapshot */
  #onSnapshot(snapshot) {
    const { game, rules, seats, result } = snapshot;
    if (result) this.#onGameOver(game, result);
    else if (this.#learn(game, rules, seats.map(({ user }) => user))) {
      // A view that watches the game before the server has seated this session gets no event of its start.
      const begins = !this.live.has(game);
      this.#update(() => {
        this.live.add(game);
        if (snapshot.to_move === this.#own.get(game)?.seat && leavingSeat(snapshot) === undefined) this.toMove.add(game);
        else this.#passTurn(game);
      });
      if (begins) this.#tellOfStart(game);
    }
  }

  /**
   * Notes who plays a game. Returns whether the user does.
   * @param {GameId} game
   * @param {string} rules
   * @param {string[]} users
   */
  #learn(game, rules, users) {
    const seat = users.indexOf(this.#connection.welcome?.user?.name ?? "");
    if (seat >= 0) this.#own.set(game, { game, rules, users, seat });
    return seat >= 0;
  }

  /** @param {GameId} game */
  #passTurn(game) {
    this.toMove.delete(game);
    this.#others.add(game);
  }

  /** @param {EventFrame} event */
  #onEvent(event) {
    const { game } = event;
    if (event.kind === "swapped") this.#learn(game, this.#own.get(game)?.rules ?? "", event.seats.map(({ user }) => user));
    if (event.kind === "created") this.#onCreated(game, event.rules, event.seats.map(({ user }) => user));
    else if (event.kind === "ended") this.#onGameOver(game, event);
    else if (event.kind === "aborted") this.#onGameOver(game, undefined);
    else if (event.kind === "seat_offered" && this.#own.has(game)) this.#update(() => this.#passTurn(game));
    else if (event.kind === "substituted" && this.#own.get(game)?.seat === event.seat) this.#forget(game);
    // If it is the user's turn again, the server sends `your_turn`.
    else if ("to_move" in event && event.kind !== "started" && this.#own.has(game)) this.#update(() => this.#passTurn(game));
  }

  /**
   * @param {GameId} game
   * @param {string} rules
   * @param {string[]} users
   */
  #onCreated(game, rules, users) {
    if (!this.#learn(game, rules, users)) return;
    this.#update(() => {
      this.live.add(game);
      this.#others.add(game);
    });
    this.#tellOfStart(game);
  }

  /**
   * @param {GameId} game
   * @param {Pick<GameResult, "winners" | "reason"> | undefined} result `undefined` if it was aborted
   */
  #onGameOver(game, result) {
    const own = this.#own.get(game);
    this.#forget(game);
    if (own !== undefined) this.#tell({ is: "over", own, result });
  }

  /** @param {GameId} game in which the user does not play any more */
  #forget(game) {
    this.#own.delete(game);
    this.#others.delete(game);
    this.#update(() => {
      this.live.delete(game);
      this.toMove.delete(game);
    });
  }

  /** @param {ChallengeClosed} closed */
  #onChallengeClosed(closed) {
    this.#closed.set(closed.challenge, closed);
    if (closed.game == null) this.awaited.delete(closed.challenge);
    const [oldest] = this.#closed.keys();
    if (this.#closed.size > CLOSED_MAX && oldest !== undefined) this.#closed.delete(oldest);
    // The user's own challenges are those that ask somebody else.
    const own = !this.challenges.has(closed.challenge);
    this.#update(() => {
      this.challenges.delete(closed.challenge);
      this.outgoing.delete(closed.challenge);
    });
    if (own && closed.game == null) for (const listener of this.#refusedListeners) listener(closed);
  }
}

/** The key of the number of live games: the front page leaves room for their boards before the server has named them. */
const COUNT_KEY = "adamant.own-games";

/** The number of live games when the page last knew it. */
export function ownGameCount() {
  return Number(storage.getItem(COUNT_KEY)) || 0;
}

/**
 * Stores the number whenever it changes, on every view.
 * @param {UserGames} games
 */
export function storeOwnGameCount(games) {
  games.onChange(() => {
    const count = String(games.live.size);
    if (storage.getItem(COUNT_KEY) !== count) storage.setItem(COUNT_KEY, count);
  });
}
