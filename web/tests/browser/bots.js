// Programs that play each other through the server's own socket, so that there is something to watch.
// They know no game: they make one of the moves that the server says are legal.

import WebSocket from "ws";

/** @import {Event, ToClient, YourTurn} from "../../generated/protocol.js" */
/** @import {Terms} from "../../src/home/matchmaking.js" */

/** @typedef {[Program, Program]} Pair */

/** How many programs there have been. */
let joined = 0;

/** A program that is connected. */
export class Program {
  name;
  #socket;
  /** @type {Map<string, { resolve: (reply: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  /** The games that it plays. @type {Map<string, Match>} */
  matches = new Map();
  #lastId = 0;

  /**
   * @param {WebSocket} socket
   * @param {string} name
   */
  constructor(socket, name) {
    this.#socket = socket;
    this.name = name;
    socket.on("message", (data) => this.#hear(JSON.parse(String(data))));
    socket.on("close", () => this.#lost(new Error(`${name}'s connection was closed`)));
    socket.on("error", (error) => this.#lost(error));
  }

  /**
   * Connects to a server as a guest that nobody has been before.
   * @param {string} url
   */
  static async join(url) {
    joined += 1;
    const name = `program-${joined}`;
    const socket = new WebSocket(`${url.replace("http", "ws")}/v1/ws`, ["adamant.v1.json"]);
    const program = new Program(socket, name);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    await program.request({ type: "hello", proto: [1], auth: { guest: name }, caps: ["legal"] });
    return program;
  }

  /**
   * Asks the server.
   * @param {Record<string, unknown>} question
   * @returns {Promise<any>} its reply
   */
  request(question) {
    this.#lastId += 1;
    const id = `${this.name}-${this.#lastId}`;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, ...question }));
    });
  }

  close() {
    this.#socket.removeAllListeners("close");
    this.#socket.close();
  }

  /** @param {ToClient} message */
  #hear(message) {
    const re = "re" in message ? message.re : undefined;
    const waiting = this.#waiting.get(re ?? "");
    if (waiting !== undefined) {
      this.#waiting.delete(re ?? "");
      if (message.type === "error") waiting.reject(new Error(JSON.stringify(message)));
      else waiting.resolve(message);
    } else if (message.type === "your_turn") this.#match(message).due(this, message);
    else if (message.type === "event" && (message.kind === "ended" || message.kind === "aborted")) {
      this.#match(message).end();
    }
  }

  /**
   * The game that a message is about; it may come before the answer to what has begun it.
   * @param {YourTurn | Event} message
   */
  #match({ game }) {
    const match = this.matches.get(game) ?? new Match(game);
    this.matches.set(game, match);
    return match;
  }

  /** @param {Error} error */
  #lost(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    for (const match of this.matches.values()) match.end();
  }
}

/**
 * Two programs that play each other.
 * @param {string} url
 * @returns {Promise<Pair>}
 */
export async function pair(url) {
  return [await Program.join(url), await Program.join(url)];
}

/** A game between programs. */
export class Match {
  game;
  over = false;
  plies = 0;
  /** @type {{ program: Program, turn: YourTurn } | undefined} */
  #due;
  #wake = () => {};

  /** @param {string} game */
  constructor(game) {
    this.game = game;
  }

  /**
   * @param {Program} program
   * @param {YourTurn} turn
   */
  due(program, turn) {
    this.#due = { program, turn };
    this.#wake();
  }

  end() {
    this.over = true;
    this.#wake();
  }

  /**
   * Makes one move, unless the game is over, and waits for what comes of it: somebody's turn, or the end.
   * @param {(below: number) => number} roll
   */
  async step(roll) {
    await this.#woken();
    if (this.over || this.#due === undefined) return;
    const { program, turn } = this.#due;
    this.#due = undefined;
    const legal = turn.legal ?? [];
    const move = legal[roll(legal.length)];
    await program.request({ type: "move", game: this.game, turn: turn.turn, move });
    this.plies += 1;
    await this.#woken();
  }

  /** Lets whoever is to move resign, unless the game is over. */
  async giveUp() {
    await this.#woken();
    const program = this.#due?.program;
    if (this.over || program === undefined) return;
    this.#due = undefined;
    await program.request({ type: "resign", game: this.game });
    await this.#woken();
  }

  #woken() {
    if (this.over || this.#due !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
    });
  }
}

/** What each pair begins last: only so many challenges to one user may be open. @type {WeakMap<Pair, Promise<unknown>>} */
const beginnings = new WeakMap();

/**
 * Begins a game between two programs, once they have begun those before it.
 * @param {Pair} programs
 * @param {Terms} terms
 * @returns {Promise<Match>}
 */
export function begin(programs, terms) {
  const match = (beginnings.get(programs) ?? Promise.resolve()).then(() => start(programs, terms));
  beginnings.set(programs, match.catch(() => {}));
  return match;
}

/**
 * @param {Pair} programs
 * @param {Terms} terms
 * @returns {Promise<Match>}
 */
async function start([one, other], terms) {
  const { challenge } = await one.request({ type: "challenge", ...terms, seats: [one.name, other.name] });
  const { game } = await other.request({ type: "accept", challenge });
  // Both tell the same match of their turns, whichever of them has heard of it first.
  const [first, second] = [one, other].map((program) => program.matches.get(game));
  const match = first ?? second ?? new Match(game);
  for (const program of [one, other]) program.matches.set(game, match);
  return match;
}

/**
 * Forgets a game that is over.
 * @param {Pair} programs
 * @param {Match} match
 */
export function forget(programs, match) {
  for (const program of programs) program.matches.delete(match.game);
}
