// One run of a bot.

import type { Client } from "./client.js";
import { ConnectionLost, RequestError } from "./errors.js";
import type { Game } from "./game.js";
import type { AcceptanceGiven, Challenged, DeclineReason, ToClient } from "./protocol.js";
import { Changes, pause, until } from "./waiting.js";

/** What a player needs of its bot: see `Bot`. */
export interface Chooser {
  readonly gamesAtOnce: number;
  readonly accepts: AcceptanceGiven | undefined;
  choose(game: Game, signal: AbortSignal): string | undefined | Promise<string | undefined>;
  accept(challenge: Challenged): boolean | DeclineReason | Promise<boolean | DeclineReason>;
  idle(): Promise<void>;
  ended(game: Game): void | Promise<void>;
  received(frame: ToClient): void | Promise<void>;
}

/** A turn that the bot thinks about. */
interface Thought {
  readonly turn: number;
  readonly stop: AbortController;
  isOver: boolean;
}

/** Most challenges whose answers a bot remembers, if the server does not say how many may be open. */
const ANSWERED_MAX = 200;

/** Plays for a bot in one session: when it thinks, what it answers, and when it looks for games. */
export class Player {
  readonly #bot: Chooser;
  readonly #client: Client;
  readonly #gamesMax: number;
  #finished = 0;
  #sessions = 0;
  #isFinishing = false;
  /** How many challenges the bot considers, or has accepted without having the game yet. */
  #considered = 0;
  readonly #answered = new Set<string>();
  readonly #thoughts = new Map<string, Thought>();
  /** What the bot's methods have not finished yet. */
  readonly #works = new Set<Promise<void>>();
  readonly #stirred = new Changes();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #setDone: () => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;

  constructor(bot: Chooser, client: Client, gamesMax = Number.POSITIVE_INFINITY) {
    this.#bot = bot;
    this.#client = client;
    this.#gamesMax = gamesMax;
    this.#done = new Promise((resolve, reject) => {
      this.#setDone = resolve;
      this.#fail = reject;
    });
  }

  /** Plays until it has finished, an exception of the bot, or the end of the client. */
  async run(): Promise<void> {
    this.#start(this.#seekGames());
    if (this.#bot.accepts !== undefined) this.#start(this.#listInDirectory(this.#bot.accepts));
    try {
      await Promise.race([this.#read(), this.#done.then(() => Promise.all(this.#works))]);
    } finally {
      this.#stop.abort();
      for (const thought of this.#thoughts.values()) thought.stop.abort();
    }
  }

  finish(): void {
    this.#isFinishing = true;
    this.#endIfDone();
  }

  /** Watches over work whose exception stops the bot. */
  #start(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!this.#stop.signal.aborted) this.#fail(error);
    });
  }

  /** Watches over a method of the bot that `run` waits for. */
  #call(work: void | Promise<void>): void {
    if (!(work instanceof Promise)) return;
    this.#works.add(work);
    this.#start(work.finally(() => this.#works.delete(work)));
  }

  async #read(): Promise<void> {
    for await (const frame of this.#client) {
      if (this.#stop.signal.aborted) return;
      this.#take(frame);
      this.#call(this.#bot.received(frame));
      this.#endIfDone();
    }
  }

  #endIfDone(): void {
    const isLast = this.#isFinishing && this.#considered === 0 && this.#client.liveGames.length === 0;
    if (isLast || this.#finished >= this.#gamesMax) this.#setDone();
  }

  #take(frame: ToClient): void {
    if (frame.type === "welcome") this.#sessions += 1;
    else if (frame.type === "your_turn") this.#think(this.#client.games.get(frame.game));
    else if (frame.type === "challenged") this.#start(this.#challenged(frame));
    else if (frame.type === "event" && (frame.kind === "ended" || frame.kind === "aborted")) {
      this.#over(this.#client.games.get(frame.game));
    }
    this.#stirred.wake();
  }

  #over(game: Game | undefined): void {
    if (game?.seat === undefined) return;
    this.#thoughts.get(game.id)?.stop.abort();
    this.#thoughts.delete(game.id);
    this.#finished += 1;
    this.#call(this.#bot.ended(game));
  }

  /** Begins to choose a move, unless that is under way for this turn. */
  #think(game: Game | undefined): void {
    if (game === undefined || !game.isMyTurn) return;
    const before = this.#thoughts.get(game.id);
    if (before !== undefined && !before.isOver && before.turn === game.turn) return;
    before?.stop.abort();
    const thought: Thought = { turn: game.turn, stop: new AbortController(), isOver: false };
    this.#thoughts.set(game.id, thought);
    const move = this.#move(game, thought).finally(() => {
      thought.isOver = true;
    });
    this.#start(move);
  }

  async #move(game: Game, { turn, stop: { signal } }: Thought): Promise<void> {
    let move: string | undefined;
    try {
      move = await this.#bot.choose(game, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    while (move != null && !signal.aborted && game.isMyTurn && game.turn === turn) {
      try {
        await game.move(move, turn);
        return;
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        if (error.code === "illegal_move") {
          // The opponent should not have to wait for a bot that does not know the rules.
          this.#client._log.error(`${game.id}: ${move} is not legal: ${error.message}; the bot resigns`);
          await game.resign();
          return;
        }
        if (error.retry !== "after" && error.retry !== "same") {
          // The turn or the game is over. The server announces the next turn.
          this.#client._log.info(`${game.id}: ${error.message}`);
          return;
        }
        // The client has tried for a while. As long as it is the bot's turn, so does the bot.
        this.#client._log.warn(`${game.id}: ${error.message}`);
        await pause(Math.min(error.retryAfterMs ?? 1000, this.#client._limits.retryWaitMaxMs), signal);
      }
    }
  }

  /** Answers a challenge, once: it arrives again when another player accepts, and after a reconnect. */
  async #challenged(challenge: Challenged): Promise<void> {
    const mine = this.#client.name?.toLowerCase();
    const id = challenge.challenge;
    if (this.#answered.has(id) || challenge.accepted.some((name) => name.toLowerCase() === mine)) return;
    this.#answered.add(id);
    const begun = this.#client.liveGames.length + this.#considered;
    const mayBegin = !this.#isFinishing && begun < this.#bot.gamesAtOnce && this.#finished + begun < this.#gamesMax;
    this.#considered += 1;
    try {
      await this.#answer(id, mayBegin ? await this.#bot.accept(challenge) : "busy");
    } finally {
      this.#considered -= 1;
      this.#endIfDone();
    }
    const [oldest] = this.#answered;
    if (this.#answered.size > ANSWERED_MAX && oldest !== undefined) this.#answered.delete(oldest);
  }

  async #answer(challenge: string, answer: boolean | DeclineReason): Promise<void> {
    try {
      if (answer === true) {
        const { game = "" } = await this.#client.request("accept", { challenge });
        // The reply arrives before the events.
        if (game !== "") await this.#until(() => this.#client.games.has(game));
      } else await this.#client.request("decline", { challenge, reason: answer === false ? "generic" : answer });
    } catch (error) {
      // If the server did not receive it, the challenge arrives again.
      if (error instanceof ConnectionLost) this.#answered.delete(challenge);
      // It was cancelled, or answered before.
      else if (error instanceof RequestError) this.#client._log.info(`challenge ${challenge}: ${error.message}`);
      else throw error;
    }
  }

  /** Calls `idle` while the bot has no game, but not faster than games begin or `idleWaitMs` passes. */
  async #seekGames(): Promise<void> {
    for (;;) {
      await this.#until(() => this.#sessions > 0 && this.#client.liveGames.length === 0);
      if (this.#finished >= this.#gamesMax || this.#isFinishing) return;
      const finished = this.#finished;
      const sessions = this.#sessions;
      try {
        await this.#bot.idle();
      } catch (error) {
        if (error instanceof ConnectionLost) {
          // The server may have received the request: the next `welcome` shows what came of it.
          this.#client._log.info(error.message);
          await this.#until(() => this.#sessions > sessions);
          if (!this.#client.welcome.challenges.some(({ direction }) => direction === "out")) continue;
        } else if (error instanceof RequestError && (error.retry !== "never" || error.code === "rate_limited")) {
          this.#client._log.warn(error.message);
        } else throw error;
      }
      await this.#idled(() => this.#client.liveGames.length > 0 || this.#finished > finished);
    }
  }

  /** How many further games the bot would begin. */
  get #free(): number {
    const most = this.#isFinishing ? 0 : Math.min(this.#bot.gamesAtOnce, this.#gamesMax - this.#finished);
    return Math.max(0, most - this.#client.liveGames.length);
  }

  /** Says in each session, and whenever it changes, how many games the bot would begin. */
  async #listInDirectory(accepts: AcceptanceGiven): Promise<void> {
    let sessions = 0;
    let free = -1;
    for (;;) {
      await this.#until(() => this.#sessions > 0 && (this.#sessions !== sessions || this.#free !== free));
      sessions = this.#sessions;
      free = this.#free;
      if (this.#client.welcome.user?.bot !== true) continue;
      try {
        await this.#client.request("bot_status", { accepts, free });
      } catch (error) {
        if (!(error instanceof ConnectionLost || error instanceof RequestError)) throw error;
        // The next session says it again.
        this.#client._log.info(`the directory: ${error.message}`);
      }
    }
  }

  /** Waits for something that frames bring about, or for `idleWaitMs`. */
  async #idled(holds: () => boolean): Promise<void> {
    let isLong = false;
    const timer = setTimeout(() => {
      isLong = true;
      this.#stirred.wake();
    }, this.#client._limits.idleWaitMs);
    try {
      await this.#until(() => isLong || holds());
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits for something that frames bring about. */
  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) await until(this.#stirred.wait(), this.#stop.signal);
  }
}
