// A bot that makes random moves, and keeps games going with other bots: bot.mjs NAME MOVE_MS GAMES OPPONENT ..

import { setTimeout as sleep } from "node:timers/promises";
import { Bot, ConnectionLost, RequestError } from "@adamant/client";
import { tokenFile } from "@adamant/client/node";

const THINKS_MAX_MS = 1500;
const LOOKS_EVERY_MS = 500;
const CHALLENGES_MAX = 2;
const TERMS = { rules: "diam", options: process.env.BOARD };

const [name, moveMs, wanted, ...opponents] = process.argv.slice(2);

const below = (bound) => Math.floor(Math.random() * bound);

class Player extends Bot {
  gamesAtOnce = 64;
  isSeeking = false;

  async choose(game, signal) {
    await sleep(below(Math.min(THINKS_MAX_MS, (game.timeLeftMs() ?? 0) / 3)), undefined, { signal });
    return game.legal[below(game.legal.length)];
  }

  async received(frame) {
    if (frame.type === "welcome" && !this.isSeeking) {
      this.isSeeking = true;
      await this.seek();
    } else if (frame.type === "event" && frame.kind === "moved") {
      if (frame.seat === this.client.games.get(frame.game)?.seat) {
        console.error(`${frame.game}: ${frame.ply}. ${frame.move}`);
      }
    }
  }

  /** Challenges each opponent with whom there are too few games. */
  async seek() {
    for (;;) {
      for (const opponent of opponents) {
        try {
          await this.challenge(opponent);
        } catch (error) {
          // The server or the opponent is away.
          if (!(error instanceof ConnectionLost || error instanceof RequestError)) throw error;
          console.error(`${opponent}: ${error.message}`);
        }
      }
      await sleep(LOOKS_EVERY_MS);
    }
  }

  async challenge(opponent) {
    const { challenges } = await this.client.request("challenges");
    const waiting = challenges.filter((it) => it.direction === "out" && it.seats.includes(opponent)).length;
    const playing = this.client.liveGames.filter((game) => game.opponents.includes(opponent)).length;
    const missing = Number(wanted) - playing - waiting;
    const clock = { mode: "per_move", move_ms: Number(moveMs) };
    for (let left = Math.min(CHALLENGES_MAX - waiting, missing); left > 0; left -= 1) {
      await this.client.challenge(opponent, { seat: below(2), clock, ...TERMS });
    }
  }
}

const tokenStore = tokenFile("token");
await new Player().run(process.env.ADAMANT_SERVER, { name, tokenStore });
