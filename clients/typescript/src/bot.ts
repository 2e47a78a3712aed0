// A bot: it accepts challenges and chooses moves; the client does the rest.

import type { Client } from "./client.js";
import { type ConnectOptions, connect } from "./connect.js";
import type { Game } from "./game.js";
import { type Chooser, Player } from "./player.js";
import type { AcceptanceGiven, Challenged, DeclineReason, ToClient } from "./protocol.js";

/** How a bot runs. */
export interface RunOptions extends ConnectOptions {
  /** How many games to play; without it the bot plays until it is stopped. */
  games?: number;
}

/**
 * A bot that plays until it is stopped. Write `choose`, and override what else should differ.
 *
 * A bot that is killed and started again goes on with its games, if it has its token: see `tokenStore` of `connect`.
 */
export abstract class Bot implements Chooser {
  /** How many games it plays at once. It declines further challenges as `busy`. */
  gamesAtOnce = 8;
  /**
   * What the server's directory of bots says that it accepts; everything by default. `undefined` keeps it out of there.
   *
   * This is for people who look for a bot. What it really accepts is up to `accept`.
   */
  accepts: AcceptanceGiven | undefined = {};
  /** The session. The bot sets it before it calls any method. */
  client!: Client;
  #player: Player | undefined;

  /**
   * Chooses a move for a game in which it is the bot's turn; `undefined` makes none.
   *
   * The server's list `game.legal` has legal moves. While the method computes, nothing else runs: search for longer
   * than a few seconds in a worker, and return a promise. The signal says that the turn has ended meanwhile; the choice
   * is then dropped. A move that is not legal resigns the game. An exception stops the bot.
   */
  abstract choose(game: Game, signal: AbortSignal): string | undefined | Promise<string | undefined>;

  /** Says whether the bot takes a challenge, or why not, such as `"too_fast"`. */
  accept(_challenge: Challenged): boolean | DeclineReason | Promise<boolean | DeclineReason> {
    return true;
  }

  /** Looks for a game. Called while the bot has none; by default the bot waits for challenges. */
  async idle(): Promise<void> {}

  /** Called at the end of a game: see `game.result`. */
  ended(_game: Game): void | Promise<void> {}

  /** Called with every message that is no reply, after the bot's games have taken it in. */
  received(_frame: ToClient): void | Promise<void> {}

  /**
   * Plays until the signal of its options stops it, or until it has finished a number of games.
   *
   * Throws `ConnectError` if there is no server, and `Closed` if the server ends the session for good.
   */
  async run(url: string, options: RunOptions = {}): Promise<void> {
    const { games, ...rest } = options;
    try {
      this.client = await connect(url, rest);
    } catch (error) {
      if (options.signal?.aborted === true) return;
      throw error;
    }
    this.#player = new Player(this, this.client, games);
    try {
      await this.#player.run();
    } finally {
      await this.client.close();
    }
  }

  /** Takes no further game, and lets `run` end after those that are under way. */
  finish(): void {
    this.#player?.finish();
  }
}
