// The games that a client knows.

import { Game } from "./game.js";
import type { Cursor } from "./protocol.js";
import type { Requester } from "./requests.js";

/** The games by id, the one with the latest event last, and the ids of those that the program has left. */
export class Games {
  readonly byId = new Map<string, Game>();
  readonly #left = new Set<string>();
  readonly #client: Requester;
  readonly #max: number;

  constructor(client: Requester, max: number) {
    this.#client = client;
    this.#max = max;
  }

  /** The game of an id, which becomes the one with the latest event. */
  get(id: string): Game {
    const game = this.byId.get(id) ?? new Game(this.#client, id);
    this.byId.delete(id);
    if (this.byId.size >= this.#max) {
      const known = [...this.byId.values()];
      this.byId.delete((known.find(({ isLive }) => !isLive) ?? known[0])?.id ?? "");
    }
    this.byId.set(id, game);
    return game;
  }

  /** Whether the program has left a game. What still arrives of it was under way. */
  isLeft(id: string): boolean {
    return this.#left.has(id);
  }

  /** Takes a game up again that the program has left. */
  enter(id: string): void {
    this.#left.delete(id);
    this.get(id);
  }

  /** Ends a game for the program. */
  leave(id: string): void {
    this.byId.get(id)?._onLeft();
    this.byId.delete(id);
    this.#left.add(id);
    const [oldest] = this.#left;
    if (this.#left.size > this.#max && oldest !== undefined) this.#left.delete(oldest);
  }

  /** Where to resume: the live games, those with the latest events first. */
  cursors(max: number): { [id: string]: Cursor } {
    const live = [...this.byId.values()].filter((game) => game.isLive && game.seq > 0).reverse();
    return Object.fromEntries(live.slice(0, max).map((game) => [game.id, game._record.cursor]));
  }

  connectionLost(): void {
    for (const game of this.byId.values()) game._record.connectionLost();
  }

  /** Wakes all that wait for events: there will be none. */
  close(): void {
    this.connectionLost();
    for (const game of this.byId.values()) game._wake();
  }
}
