// The games and challenges that concern who is here, as the server tells of them: which are live,
// where it is their turn, and what has just begun.

/** @import {ChallengeClosed, Challenged, EventFrame, GameId, OpenChallenge, Snapshot, Welcome, YourTurn} from "../wire.js" */
/** @import {Connection} from "./connection.js" */

/** Closed challenges that are remembered for those who still wait for the reply to theirs. */
const CLOSED_MAX = 32;

export class Games {
  #connection;
  /** @type {Set<() => void>} */
  #listeners = new Set();
  /** @type {Set<(game: GameId) => void>} */
  #starters = new Set();
  /** @type {Map<string, ChallengeClosed>} */
  #closed = new Map();
  /** @type {Set<(closed: ChallengeClosed) => void>} */
  #refusers = new Set();

  /** Live games of the user. @type {Set<GameId>} */
  live = new Set();
  /** Those of them in which it is the user's turn. @type {Set<GameId>} */
  due = new Set();
  /** Whether something that was asked for in this tab, a seek, a challenge or a rematch, waits for others. */
  expected = false;
  /** Challenges that wait for the user's answer. @type {Map<string, Challenged>} */
  challenges = new Map();
  /** The user's own challenges, which wait for others. @type {Map<string, OpenChallenge>} */
  outgoing = new Map();

  /** @param {Connection} connection */
  constructor(connection) {
    this.#connection = connection;
    connection.on("welcome", (/** @type {Welcome} */ welcome) => this.#welcomed(welcome));
    connection.on("snapshot", (/** @type {Snapshot} */ snapshot) => this.#snapshot(snapshot));
    connection.on("event", (/** @type {EventFrame} */ event) => this.#event(event));
    connection.on("your_turn", (/** @type {YourTurn} */ turn) => this.#change(() => this.due.add(turn.game)));
    connection.on("challenged", (/** @type {Challenged} */ challenged) => {
      this.#change(() => this.challenges.set(challenged.challenge, challenged));
    });
    connection.on("challenge_closed", (/** @type {ChallengeClosed} */ closed) => this.#close(closed));
  }

  /**
   * Hears that something has changed.
   * @param {() => void} listener
   * @returns {() => void} stops it
   */
  changed(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Hears of each game of the user that begins.
   * @param {(game: GameId) => void} listener
   * @returns {() => void} stops it
   */
  started(listener) {
    this.#starters.add(listener);
    return () => this.#starters.delete(listener);
  }

  /**
   * How a challenge ended, if it has.
   * @param {string} challenge
   */
  closing(challenge) {
    return this.#closed.get(challenge);
  }

  /**
   * Hears of each of the user's own challenges that comes to nothing.
   * @param {(closed: ChallengeClosed) => void} listener
   */
  refused(listener) {
    this.#refusers.add(listener);
  }

  /** Asks for the user's own challenges: there is a new one. */
  async asked() {
    try {
      const { challenges } = await this.#connection.request({ type: "challenges" });
      this.#change(() => this.#takeOwn(challenges));
    } catch {
      // The next welcome names them.
    }
  }

  /** @param {OpenChallenge[]} challenges */
  #takeOwn(challenges) {
    const user = this.#connection.welcome?.user?.name;
    const own = challenges.filter(({ by, challenge }) => by === user && !this.#closed.has(challenge));
    this.outgoing = new Map(own.map((each) => [each.challenge, each]));
  }

  /** @param {() => void} change */
  #change(change) {
    change();
    for (const listener of [...this.#listeners]) listener();
  }

  /** @param {Welcome} welcome */
  #welcomed(welcome) {
    this.#change(() => {
      const own = welcome.games.filter((game) => game.seat != null).map((game) => game.game);
      this.live = new Set(own);
      this.due.clear();
      this.challenges.clear();
      this.#takeOwn(welcome.challenges);
    });
  }

  /** @param {Snapshot} snapshot */
  #snapshot(snapshot) {
    const seat = this.#seatIn(snapshot.seats);
    if (seat < 0) return;
    this.#change(() => {
      if (snapshot.result) this.#over(snapshot.game);
      else {
        this.live.add(snapshot.game);
        if (snapshot.to_move === seat) this.due.add(snapshot.game);
        else this.due.delete(snapshot.game);
      }
    });
  }

  /** @param {EventFrame} event */
  #event(event) {
    if (event.kind === "created" && this.#seatIn(event.seats) >= 0) {
      this.#change(() => this.live.add(event.game));
      for (const listener of [...this.#starters]) listener(event.game);
    } else if (event.kind === "ended" || event.kind === "aborted") {
      this.#change(() => this.#over(event.game));
    } else if (event.kind === "moved" && this.due.has(event.game)) {
      // If it is the user's turn again, that is said separately.
      this.#change(() => this.due.delete(event.game));
    }
  }

  /** @param {GameId} game */
  #over(game) {
    this.live.delete(game);
    this.due.delete(game);
  }

  /** @param {ChallengeClosed} closed */
  #close(closed) {
    this.#closed.set(closed.challenge, closed);
    const [oldest] = this.#closed.keys();
    if (this.#closed.size > CLOSED_MAX && oldest !== undefined) this.#closed.delete(oldest);
    const own = this.outgoing.has(closed.challenge);
    this.#change(() => {
      this.challenges.delete(closed.challenge);
      this.outgoing.delete(closed.challenge);
    });
    if (own && closed.game == null) for (const listener of this.#refusers) listener(closed);
  }

  /** @param {{ user: string }[]} seats */
  #seatIn(seats) {
    const user = this.#connection.welcome?.user?.name;
    return seats.findIndex((seat) => seat.user === user);
  }
}
