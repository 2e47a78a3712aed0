// The games and challenges that concern who is here, as the server tells of them: which are live,
// where it is their turn, and what has just begun.

/** @import {ChallengeClosed, Challenged, EventFrame, GameId, OpenChallenge, Snapshot, Welcome, YourTurn} from "../wire.js" */
/** @import {Connection} from "./connection.js" */

/** Closed challenges that are remembered for those who still wait for the reply to theirs. */
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

  /** Live games of the user. @type {Set<GameId>} */
  live = new Set();
  /** Those of them in which it is the user's turn. @type {Set<GameId>} */
  toMove = new Set();
  /** Whether something that was asked for in this tab, a seek, a challenge or a rematch, waits for others. */
  awaitingStart = false;
  /** Challenges that wait for the user's answer. @type {Map<string, Challenged>} */
  challenges = new Map();
  /** The user's own challenges, which wait for others. @type {Map<string, OpenChallenge>} */
  outgoing = new Map();

  /** @param {Connection} connection */
  constructor(connection) {
    this.#connection = connection;
    connection.on("welcome", (/** @type {Welcome} */ welcome) => this.#onWelcome(welcome));
    connection.on("snapshot", (/** @type {Snapshot} */ snapshot) => this.#onSnapshot(snapshot));
    connection.on("event", (/** @type {EventFrame} */ event) => this.#onEvent(event));
    connection.on("your_turn", (/** @type {YourTurn} */ turn) => this.#update(() => this.toMove.add(turn.game)));
    connection.on("challenged", (/** @type {Challenged} */ challenged) => {
      this.#update(() => this.challenges.set(challenged.challenge, challenged));
    });
    connection.on("challenge_closed", (/** @type {ChallengeClosed} */ closed) => this.#onChallengeClosed(closed));
  }

  /**
   * Hears that something has changed.
   * @param {() => void} listener
   * @returns {() => void} stops it
   */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Hears of each game of the user that begins.
   * @param {(game: GameId) => void} listener
   * @returns {() => void} stops it
   */
  onStart(listener) {
    this.#startListeners.add(listener);
    return () => this.#startListeners.delete(listener);
  }

  /**
   * How a challenge ended, if it has.
   * @param {string} challenge
   */
  closedChallenge(challenge) {
    return this.#closed.get(challenge);
  }

  /**
   * Hears of each of the user's own challenges that comes to nothing.
   * @param {(closed: ChallengeClosed) => void} listener
   */
  onRefused(listener) {
    this.#refusedListeners.add(listener);
  }

  /** Asks for the user's own challenges: there is a new one. */
  async refreshOutgoing() {
    try {
      const { challenges } = await this.#connection.request({ type: "challenges" });
      this.#update(() => this.#setOutgoing(challenges));
    } catch {
      // The next welcome names them.
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
    this.#update(() => {
      const own = welcome.games.filter((game) => game.seat != null).map((game) => game.game);
      this.live = new Set(own);
      this.toMove.clear();
      this.challenges.clear();
      this.#setOutgoing(welcome.challenges);
    });
  }

  /** @param {Snapshot} snapshot */
  #onSnapshot(snapshot) {
    const seat = this.#seatIn(snapshot.seats);
    if (seat < 0) return;
    this.#update(() => {
      if (snapshot.result) this.#onGameOver(snapshot.game);
      else {
        this.live.add(snapshot.game);
        if (snapshot.to_move === seat) this.toMove.add(snapshot.game);
        else this.toMove.delete(snapshot.game);
      }
    });
  }

  /** @param {EventFrame} event */
  #onEvent(event) {
    if (event.kind === "created" && this.#seatIn(event.seats) >= 0) {
      this.#update(() => this.live.add(event.game));
      for (const listener of [...this.#startListeners]) listener(event.game);
    } else if (event.kind === "ended" || event.kind === "aborted") {
      this.#update(() => this.#onGameOver(event.game));
    } else if (event.kind === "moved" && this.toMove.has(event.game)) {
      // If it is the user's turn again, that is said separately.
      this.#update(() => this.toMove.delete(event.game));
    }
  }

  /** @param {GameId} game */
  #onGameOver(game) {
    this.live.delete(game);
    this.toMove.delete(game);
  }

  /** @param {ChallengeClosed} closed */
  #onChallengeClosed(closed) {
    this.#closed.set(closed.challenge, closed);
    const [oldest] = this.#closed.keys();
    if (this.#closed.size > CLOSED_MAX && oldest !== undefined) this.#closed.delete(oldest);
    const own = this.outgoing.has(closed.challenge);
    this.#update(() => {
      this.challenges.delete(closed.challenge);
      this.outgoing.delete(closed.challenge);
    });
    if (own && closed.game == null) for (const listener of this.#refusedListeners) listener(closed);
  }

  /** @param {{ user: string }[]} seats */
  #seatIn(seats) {
    const user = this.#connection.welcome?.user?.name;
    return seats.findIndex((seat) => seat.user === user);
  }
}
