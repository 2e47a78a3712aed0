// Bots that play each other over WebSockets, so that there are games to watch. They know no rules:
// they play random legal moves from the server's list.

import WebSocket from "ws";

/** @import {Event, ToClient, YourTurn} from "../../src/wire.js" */
/** @import {GameConfig} from "../../src/set_up/challenges.js" */

/** @typedef {[Bot, Bot]} BotPair */

/** Number of bots so far. */
let joined = 0;

/** A connected bot. */
export class Bot {
  name;
  #socket;
  /** @type {Map<string, { resolve: (reply: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  /** The games that it plays. @type {Map<string, Match>} */
  matches = new Map();
  /** With it a page can be this user. */
  token = "";
  #lastId = 0;

  /**
   * @param {WebSocket} socket
   * @param {string} name
   */
  constructor(socket, name) {
    this.#socket = socket;
    this.name = name;
    socket.on("message", (data) => this.#receive(JSON.parse(String(data))));
    socket.on("close", () => this.#onClose(new Error(`${name}'s connection was closed`)));
    socket.on("error", (error) => this.#onClose(error));
  }

  /**
   * Connects to a server as a new guest.
   * @param {string} url
   * @param {string} [name]
   * @param {{ bot?: boolean }} [kind] whether it says that it is a program
   */
  static async join(url, name = `bot-${joined + 1}`, kind = {}) {
    joined += 1;
    const socket = new WebSocket(`${url.replace("http", "ws")}/v1/ws`, ["adamant.v1.json"]);
    const bot = new Bot(socket, name);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const welcome = await bot.request({ type: "hello", proto: [1], auth: { guest: name, ...kind }, caps: ["legal"] });
    bot.token = welcome.token;
    return bot;
  }

  /**
   * Sends a request.
   * @param {Record<string, unknown>} body
   * @returns {Promise<any>} its reply
   */
  request(body) {
    this.#lastId += 1;
    const id = `${this.name}-${this.#lastId}`;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, ...body }));
    });
  }

  close() {
    this.#socket.removeAllListeners("close");
    this.#socket.close();
  }

  /** @param {ToClient} message */
  #receive(message) {
    const re = "re" in message ? message.re : undefined;
    const waiting = this.#waiting.get(re ?? "");
    if (waiting !== undefined) {
      this.#waiting.delete(re ?? "");
      if (message.type === "error") waiting.reject(new Error(JSON.stringify(message)));
      else waiting.resolve(message);
    } else if (message.type === "your_turn") this.#match(message).onTurn(this, message);
    else if (message.type === "event" && (message.kind === "ended" || message.kind === "aborted")) {
      this.#match(message).end();
    }
  }

  /**
   * Returns the game of a message. The message may come before the reply to the request that began
   * it.
   * @param {YourTurn | Event} message
   */
  #match({ game }) {
    const match = this.matches.get(game) ?? new Match(game);
    this.matches.set(game, match);
    return match;
  }

  /** @param {Error} error */
  #onClose(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    for (const match of this.matches.values()) match.end();
  }
}

/**
 * Connects two bots that play each other.
 * @param {string} url
 * @returns {Promise<BotPair>}
 */
export async function startPair(url) {
  return [await Bot.join(url), await Bot.join(url)];
}

/** A game between bots. */
export class Match {
  game;
  over = false;
  plies = 0;
  /** @type {{ bot: Bot, turn: YourTurn } | undefined} */
  #toMove;
  #wake = () => {};

  /** @param {string} game */
  constructor(game) {
    this.game = game;
  }

  /**
   * @param {Bot} bot
   * @param {YourTurn} turn
   */
  onTurn(bot, turn) {
    this.#toMove = { bot, turn };
    this.#wake();
  }

  /** The turn that nobody has answered yet. */
  get missedTurn() {
    return this.#toMove;
  }

  end() {
    this.over = true;
    this.#wake();
  }

  /**
   * Plays one move unless the game is over, and waits for the next turn or the end.
   * @param {(below: number) => number} random
   */
  async step(random) {
    await this.#nextChange();
    if (this.over || this.#toMove === undefined) return;
    const { bot, turn } = this.#toMove;
    this.#toMove = undefined;
    const legal = turn.legal ?? [];
    const move = legal[random(legal.length)];
    await bot.request({ type: "move", game: this.game, turn: turn.turn, move });
    this.plies += 1;
    await this.#nextChange();
  }

  /** Resigns with the bot to move, unless the game is over. */
  async resign() {
    await this.#nextChange();
    const bot = this.#toMove?.bot;
    if (this.over || bot === undefined) return;
    this.#toMove = undefined;
    await bot.request({ type: "resign", game: this.game });
    await this.#nextChange();
  }

  #nextChange() {
    if (this.over || this.#toMove !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
    });
  }
}

/**
 * The last start of each pair: the number of open challenges to one user is limited.
 * @type {WeakMap<BotPair, Promise<unknown>>}
 */
const starting = new WeakMap();

/**
 * Starts a game between two bots, after the games that they are already starting.
 * @param {BotPair} bots
 * @param {GameConfig} config
 * @returns {Promise<Match>}
 */
export function startGame(bots, config) {
  const match = (starting.get(bots) ?? Promise.resolve()).then(() => challengeAndAccept(bots, config));
  starting.set(bots, match.catch(() => {}));
  return match;
}

/**
 * @param {BotPair} bots
 * @param {GameConfig} config
 * @returns {Promise<Match>}
 */
async function challengeAndAccept([one, other], config) {
  const { challenge } = await one.request({ type: "challenge", ...config, seats: [one.name, other.name] });
  const { game } = await other.request({ type: "accept", challenge });
  // Both bots report their turns to the same match.
  const [first, second] = [one, other].map((bot) => bot.matches.get(game));
  const match = first ?? second ?? new Match(game);
  for (const bot of [one, other]) bot.matches.set(game, match);
  return match;
}

/**
 * Drops a finished game.
 * @param {BotPair} bots
 * @param {Match} match
 */
export function forgetGame(bots, match) {
  for (const bot of bots) bot.matches.delete(match.game);
}
