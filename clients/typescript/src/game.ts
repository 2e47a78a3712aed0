// A game that the client follows.

import { plain } from "./errors.js";
import type {
  Done,
  Event,
  GameResult,
  OfferKind,
  OpenOffer,
  OptionValue,
  SeatPresence,
  Snapshot,
  TimeControl,
  YourTurn,
} from "./protocol.js";
import { type Arrival, GameRecord } from "./record.js";
import type { Requester } from "./requests.js";
import { type Seat, State } from "./state.js";
import { Changes } from "./waiting.js";

/**
 * A game that the client plays or watches. Its state changes as the server's events arrive.
 *
 * `for await (const event of game)` yields the events that the client has, and then each further one until it is over.
 */
export class Game implements AsyncIterable<Event> {
  readonly id: string;
  readonly #client: Requester;
  readonly #changed = new Changes();
  #isLeft = false;
  #forks = 0;
  /** @internal */
  _record = new GameRecord();
  /** @internal */
  _state = new State();

  /** @internal */
  constructor(client: Requester, id: string) {
    this.#client = client;
    this.id = id;
  }

  // What was agreed.

  /** The kind of game with the version of its rules, such as `adamas@1`. */
  get rules(): string {
    return this._state.rules;
  }

  get options(): { readonly [name: string]: OptionValue } {
    return this._state.options;
  }

  /** The time control, such as `{"mode": "fischer", "base_ms": 300000, "inc_ms": 5000}`. */
  get clock(): TimeControl {
    return this._state.clock;
  }

  get rated(): boolean {
    return this._state.rated;
  }

  /** The seats with their users, in the order of turns. */
  get seats(): readonly Seat[] {
    return this._state.seats;
  }

  /** Your own seat; `undefined` if you do not play in this game. */
  get seat(): number | undefined {
    const name = this.#client.name?.toLowerCase();
    const seat = this.seats.findIndex(({ user }) => user.toLowerCase() === name);
    return seat < 0 ? undefined : seat;
  }

  /** The users in the other seats. */
  get opponents(): string[] {
    return this.seats.filter((_, seat) => seat !== this.seat).map(({ user }) => user);
  }

  // How it stands.

  /** The number of the decision that is due. A move names it. It never falls. */
  get turn(): number {
    return this._state.turn;
  }

  /** How many moves and skips stand. */
  get ply(): number {
    return this._state.ply;
  }

  /** The seat to move; `null` when the game is over. */
  get toMove(): number | null {
    return this._state.toMove;
  }

  get isMyTurn(): boolean {
    return this.toMove !== null && this.toMove === this.seat;
  }

  /** The moves that stand, in canonical notation; a skip is `pass`. */
  get moves(): readonly string[] {
    return this._state.moves;
  }

  /**
   * The board, cell to pieces, bottom piece first. `null` where only `refresh` can say it: the server sends the board
   * with your turn, and events have moves and no boards.
   */
  get position(): { readonly [cell: string]: string } | null {
    return this._state.position;
  }

  /** With `position`: the cells with pieces that another seat could capture. */
  get threatened(): readonly string[] {
    return this._state.threatened;
  }

  /** Equal hashes mean equal positions with the same side to move. */
  get hash(): string {
    return this._state.hash;
  }

  get result(): GameResult | null {
    return this._state.result;
  }

  get isLive(): boolean {
    return this._state.result === null;
  }

  /** The open offers of a draw, a takeback or an abort. */
  get offers(): readonly OpenOffer[] {
    return this._state.offers;
  }

  /** Which players are there, as the server last said. */
  get presence(): readonly SeatPresence[] {
    return this._state.presence;
  }

  /** The server's request for a move, while it is your turn. */
  get yourTurn(): YourTurn | null {
    return this._state.yourTurn;
  }

  /** Legal moves, at most 512; all of them unless `yourTurn.legal_cut`. Empty if it is not your turn. */
  get legal(): readonly string[] {
    return this._state.yourTurn?.legal ?? [];
  }

  /** Milliseconds on a clock at this moment, your own by default; `undefined` without clocks. */
  timeLeftMs(seat = this.seat): number | undefined {
    const { leftMs, toMove, since } = this._state;
    const left = seat === undefined ? undefined : leftMs?.[seat];
    if (left === undefined) return undefined;
    const spent = toMove === seat && since !== undefined ? Math.max(0, this.#client.serverTime() - since) : 0;
    return Math.max(0, left - spent);
  }

  /** Milliseconds until your flag falls or the game is aborted; `undefined` without clocks or out of turn. */
  deadlineInMs(): number | undefined {
    const deadline = this._state.yourTurn?.deadline;
    return deadline === undefined ? undefined : Math.max(0, deadline - this.#client.serverTime());
  }

  toString(): string {
    const seats = this.seats.map(({ letter, user }) => `${letter} ${user}`).join(" ");
    const lines = [`${this.id} ${this.rules}: ${seats}; ply ${this.ply}, ${this.#outcome()}`];
    if (this.position !== null) {
      lines.push(Object.entries(this.position).map(([cell, pieces]) => `${cell}:${pieces}`).join(" "));
    }
    return plain(lines.join("\n"));
  }

  #outcome(): string {
    if (this.result !== null) {
      const winners = this.result.winners.map((seat) => this.seats[seat]?.user).join(", ");
      return winners === "" ? this.result.reason : `${this.result.reason}, winners: ${winners}`;
    }
    return this.toMove === null ? "not begun" : `${this.seats[this.toMove]?.letter} to move`;
  }

  // The record.

  /** The number of the last event. */
  get seq(): number {
    return this._record.seq;
  }

  /** The events that the client has, without a gap. `loadRecord` fetches those before them. */
  get events(): readonly Event[] {
    return this._record.events;
  }

  /** The same events, byte for byte as the server sent them: lines that the chain seals. */
  get record(): readonly string[] {
    return this._record.lines;
  }

  /** Fetches the events that are missing at the beginning, and returns all of them. */
  async loadRecord(): Promise<readonly Event[]> {
    while (this._record.first > 1 && !this.#isLeft) {
      const record = this._record;
      const { ended, isFirst } = record.load();
      if (isFirst) {
        try {
          await this.#client.request("watch", { game: this.id, from: 1 });
        } catch (error) {
          record.endLoad();
          throw error;
        }
      }
      // A lost connection ends it early, and the loop begins again.
      await ended;
    }
    return this.events;
  }

  /** Fetches the state with the board, and returns this game. */
  async refresh(): Promise<this> {
    await this.#client.request("watch", { game: this.id });
    return this;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    let seq = this._record.first;
    for (;;) {
      // A snapshot may have replaced the events.
      seq = Math.min(Math.max(seq, this._record.first), this._record.seq + 1);
      for (; seq <= this._record.seq; seq += 1) {
        const event = this._record.events[seq - this._record.first];
        if (event === undefined) break;
        yield event;
      }
      if (seq <= this._record.seq) continue;
      if (!this.isLive || this.#isLeft) return;
      this.#client.throwIfClosed();
      await this.#changed.wait();
    }
  }

  // What a player does.

  /**
   * Makes a move, by default for the turn that is due.
   *
   * The server makes it once, however often the connection breaks. Then this game has the move already.
   */
  move(move: string, turn = this.turn): Promise<Done> {
    return this.#act(this.#client.request("move", { id: moveId(this.id, turn), game: this.id, turn, move }));
  }

  /** Says what a move would lead to, and makes none. */
  tryMove(move: string): Promise<Done> {
    return this.#client.request("try", { game: this.id, turn: this.turn, move });
  }

  /**
   * Yields all legal moves of the side to move, or those from one cell, page by page.
   *
   * It ends early if the game goes on. Some positions have billions of moves: do not read those to the end.
   */
  async *allMoves(from?: string): AsyncGenerator<string, void> {
    const { turn } = this;
    let after: string | null | undefined;
    do {
      const page = await this.#client.request("moves", {
        game: this.id,
        ...(from === undefined ? {} : { from }),
        ...(after == null ? {} : { after }),
      });
      if (page.turn !== turn) return;
      yield* page.moves;
      after = page.next;
    } while (after != null);
  }

  resign(): Promise<Done> {
    return this.#act(this.#client.request("resign", { game: this.id }));
  }

  /** Ends the game without a result, while some side has not made its first move. */
  abort(): Promise<Done> {
    return this.#act(this.#client.request("abort", { game: this.id }));
  }

  /** Offers a `draw`, a `takeback` or an `abort`. */
  offer(what: OfferKind): Promise<Done> {
    return this.#act(this.#client.request("offer", { game: this.id, what }));
  }

  /** Accepts or declines an offer: the `offer` of an entry of `offers`. */
  answer(offer: string, accept: boolean): Promise<Done> {
    return this.#act(this.#client.request("answer", { game: this.id, offer, accept }));
  }

  withdraw(offer: string): Promise<Done> {
    return this.#act(this.#client.request("withdraw", { game: this.id, offer }));
  }

  /** Claims the game from a player who is to move and has gone away for long enough. */
  claim(): Promise<Done> {
    return this.#act(this.#client.request("claim", { game: this.id, what: "abandoned" }));
  }

  rematch(): Promise<Done> {
    return this.#client.request("rematch", { game: this.id });
  }

  /** Says a line in the room of the players, or of the spectators. */
  say(text: string): Promise<Done> {
    const room = this.seat === undefined ? "spectators" : "players";
    return this.#client.request("say", { game: this.id, room, text });
  }

  /** Ends the events of this game, also those of a game that you play. */
  async unfollow(): Promise<void> {
    await this.#client.request("unwatch", { game: this.id });
  }

  /** Waits for a request that changes the game, and until its event has arrived as well. */
  async #act(request: Promise<Done>): Promise<Done> {
    const forks = this.#forks;
    const done = await request;
    while (this.#forks === forks && this.seq < (done.seq ?? 0) && !this.#isLeft) {
      this.#client.throwIfClosed();
      await this.#changed.wait();
    }
    return done;
  }

  // What the client calls.

  /** @internal */
  _onEvent(event: Event, line: string): Arrival {
    const arrival = this._record.arrived(event, line);
    if (arrival === "next") {
      this._state.applyEvent(event);
      this._wake();
    }
    return arrival;
  }

  /** @internal */
  _onSnapshot(snapshot: Snapshot): void {
    if (snapshot.seq < this._record.seq) return;
    if (snapshot.seq > this._record.seq) {
      // The events that close a gap are on their way, and the program wants them.
      if (this._record.isFilling && snapshot.reason !== "lagged") return;
      this._record.endLoad();
      this._record = GameRecord.behind(snapshot.seq, snapshot.chain);
    }
    this._state.applySnapshot(snapshot);
    this._wake();
  }

  /** The server's record differs from this one. A snapshot follows. @internal */
  _onFork(): void {
    this._record.connectionLost();
    this._record = new GameRecord();
    this._state = new State();
    this.#forks += 1;
    this._wake();
  }

  /** @internal */
  _onLeft(): void {
    this.#isLeft = true;
    this._record.connectionLost();
    this._wake();
  }

  /** @internal */
  _wake(): void {
    this.#changed.wake();
  }
}

/** The id of the request for a move: the same move for the same turn has the same id in every run of a program. */
export function moveId(game: string, turn: number): string {
  return `${game}:${turn}`;
}
