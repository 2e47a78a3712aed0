// The user's own games and challenges: which are live, where it is the user's turn, and which have
// just begun.

/** @import {ChallengeClosed, Challenged, EventFrame, GameId, OpenChallenge, Snapshot, Welcome, YourTurn} from "../wire.js" */
/** @import {Connection} from "./connection.js" */

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

  /** Live games of the user. @type {Set<GameId>} */
  live = new Set();
  /** Live games in which it is the user's turn. @type {Set<GameId>} */
  toMove = new Set();
  /** Whether a seek, challenge or rematch of this tab waits for other players. */
  awaitingStart = false;
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
    connection.on("your_turn", (/** @type {YourTurn} */ turn) => this.#update(() => this.toMove.add(turn.game)));
    connection.on("challenged", (/** @type {Challenged} */ challenged) => {
      this.#update(() => this.challenges.set(challenged.challenge, challenged));
    });
    connection.on("challenge_closed", (/** @type {ChallengeClosed} */ closed) => this.#onChallengeClosed(closed));
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
   * Subscribes to games of the user that begin.
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
   * Subscribes to the user's own challenges that other players decline or that expire.
   * @param {(closed: ChallengeClosed) => void} listener
   */
  onRefused(listener) {
    this.#refusedListeners.add(listener);
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
      // If it is the user's turn again, the server sends `your_turn`.
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
