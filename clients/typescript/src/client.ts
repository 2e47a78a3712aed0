// The client: it keeps one session with a server, and opens the next one when it is lost.

import { Closed, ConnectError, TooLarge } from "./errors.js";
import { type Game, moveId } from "./game.js";
import { Games } from "./games.js";
import { Inbox } from "./inbox.js";
import type { Limits } from "./limits.js";
import type { Log } from "./log.js";
import { Outgoing } from "./outgoing.js";
import { Backoff } from "./pace.js";
import type {
  Auth,
  Event,
  Hello,
  Me,
  OptionValue,
  Presence,
  Snapshot,
  Software,
  TimeControl,
  ToClient,
  Welcome,
  YourTurn,
} from "./protocol.js";
import type { Arguments, Reply, ReplyTo, Requester, RequestType } from "./requests.js";
import { type Drop, type Frame, Session, type SocketConstructor } from "./session.js";
import { pause, until } from "./waiting.js";

/** Terms of a challenge. */
export interface Challenge {
  /** The kind of game, such as `adamas`. */
  rules: string;
  /** Your own seat, from 0. */
  seat?: number;
  /** Whether the server draws the seats by lot. */
  shuffle?: boolean;
  options?: { [name: string]: OptionValue } | string;
  clock?: TimeControl;
  rated?: boolean;
}

type Listener = (frame: any) => void;

/** @internal */
export interface Settings {
  readonly url: string;
  readonly auth: Auth | undefined;
  readonly caps: readonly string[];
  readonly software: Software;
  readonly WebSocket: SocketConstructor;
  readonly limits: Limits;
  readonly log: Log;
}

/**
 * A session with a server, which outlives lost connections. `connect` makes it.
 *
 * `for await (const frame of client)` yields all frames that are no replies: the events of games, each once and in
 * order, and messages such as `your_turn` and `challenged`. A `welcome` begins each session. A `your_turn` whose turn
 * is over, or whose move is on its way, is left out. There is one reader.
 */
export class Client implements AsyncIterable<ToClient>, Requester {
  /** Resolves when there will be no further connection. */
  readonly closed: Promise<Closed>;
  readonly #settings: Settings;
  /** @internal */
  readonly _limits: Limits;
  /** @internal */
  readonly _log: Log;
  #auth: Auth | undefined;
  #session: Session | undefined;
  #welcome: Welcome | undefined;
  #aheadMs = 0;
  readonly #games: Games;
  readonly #fills = new Map<string, Game>();
  readonly #outgoing: Outgoing;
  readonly #inbox: Inbox;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #backoff: Backoff;
  #openedAt = 0;
  #restartInMs: number | undefined;
  #ids = 0;
  readonly #idPrefix = randomPrefix();
  #opened: { resolve: () => void; reject: (error: ConnectError) => void } | undefined;
  readonly #stopped = new AbortController();
  #end: Closed | undefined;
  #setClosed: (closed: Closed) => void = () => undefined;

  /** @internal */
  constructor(settings: Settings) {
    this.#settings = settings;
    this._limits = settings.limits;
    this._log = settings.log;
    this.#auth = settings.auth;
    this.#games = new Games(this, settings.limits.gamesMax);
    this.#outgoing = new Outgoing(settings.limits, (text) => settings.log.info(text));
    this.#inbox = new Inbox(settings.limits.inboxMax);
    this.#backoff = new Backoff(settings.limits);
    this.closed = new Promise((resolve) => {
      this.#setClosed = resolve;
    });
  }

  // What the program knows.

  /** The `welcome` of the present session, or of the last one. */
  get welcome(): Welcome {
    if (this.#welcome === undefined) throw new TypeError("a client is opened by connect");
    return this.#welcome;
  }

  /** Your user; `null` if you only watch. */
  get user(): Me | null {
    return this.welcome.user;
  }

  get name(): string | undefined {
    return this.user?.name;
  }

  /** The secret to come back with. Keep it: a guest without it cannot come back as the same guest. */
  get token(): string | undefined {
    return this.#auth !== undefined && "token" in this.#auth ? this.#auth.token : undefined;
  }

  /** The games that you play or watch, by id, and those that have ended meanwhile. */
  get games(): ReadonlyMap<string, Game> {
    return this.#games.byId;
  }

  /** The games that you play and that are not over. */
  get liveGames(): Game[] {
    return [...this.games.values()].filter((game) => game.isLive && game.seat !== undefined);
  }

  /** The server's clock, in milliseconds since the Unix epoch. */
  serverTime(): number {
    return Math.round(performance.now() + this.#aheadMs);
  }

  [Symbol.asyncIterator](): AsyncIterator<ToClient, undefined> {
    return { next: () => this.#next() };
  }

  async #next(): Promise<IteratorResult<ToClient, undefined>> {
    for (;;) {
      const frame = await this.#inbox.get();
      if (frame === undefined) return { done: true, value: undefined };
      if (this.#isDue(frame)) return { done: false, value: frame };
    }
  }

  /** Calls a function for each message of a type as it arrives. Returns a function that ends this. */
  on<T extends ToClient["type"]>(type: T, listener: (frame: Extract<ToClient, { type: T }>) => void): () => void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Throws `Closed` if there will be no further connection. */
  throwIfClosed(): void {
    if (this.#end !== undefined) throw this.#end;
  }

  // What the program does.

  /** Watches a game, and returns it with its board. */
  async follow(game: string): Promise<Game> {
    await this.request("watch", { game });
    return this.#games.get(game);
  }

  /** Challenges one or two users, and returns the id of the challenge. */
  async challenge(opponents: string | readonly string[], terms: Challenge): Promise<string> {
    if (this.name === undefined) throw new TypeError("to challenge others, connect with a name or a token");
    const { seat = 0, shuffle = false, options = {}, clock = { mode: "none" }, rated = false } = terms;
    const seats = typeof opponents === "string" ? [opponents] : [...opponents];
    seats.splice(seat, 0, this.name);
    const done = await this.request("challenge", { rules: terms.rules, seats, shuffle, options, clock, rated });
    return done.challenge ?? "";
  }

  /**
   * Creates an account and returns its token. The session goes on as its user.
   *
   * The session is one without a user, or that of a guest who is no program: `connect(url, { name, bot: false })`.
   */
  async signUp(user: string, password: string): Promise<string> {
    const done = await this.request("signup", { user, password });
    const token = done.token ?? "";
    this.#auth = { token };
    // The server has logged this session in as another user; `hello` is not repeated.
    this.#welcome = { ...this.welcome, user: { name: done.user ?? user, bot: false, guest: false } };
    return token;
  }

  /**
   * Returns a new token for a bot of yours, which is created if you have none of that name.
   *
   * It needs an account: connect with its token or its password. The server shows a token only once.
   */
  async createBotToken(name: string, label = "@adamant/client"): Promise<string> {
    const { bots } = await this.request("bot_list");
    if (bots.every((bot) => bot.name.toLowerCase() !== name.toLowerCase())) await this.request("bot_create", { name });
    return (await this.request("token_create", { label, user: name })).token ?? "";
  }

  /** Closes the connection for good. */
  async close(): Promise<void> {
    this.#finish(new Closed("the program closed the client", undefined, true));
    await this.#session?.close();
  }

  // Requests.

  /**
   * Sends a request and returns its reply. Without a connection it waits for the next one.
   *
   * Throws `RequestError` if the server refuses it, and `ConnectionLost` if nobody knows whether the server got it.
   */
  async request<T extends RequestType>(type: T, ...[fields, options]: Arguments<T>): Promise<ReplyTo<T>> {
    this.throwIfClosed();
    const { id = this.#nextId(), ...rest } = fields ?? {};
    const text = JSON.stringify({ type, id, ...rest });
    const bytes = new TextEncoder().encode(text).length;
    const limit = this.#frameBytesMax;
    if (bytes > limit) throw new TooLarge(bytes, limit);
    const game = "game" in rest && typeof rest.game === "string" ? rest.game : "";
    if (type === "watch") this.#games.enter(game);
    else if (type === "unwatch") this.#games.leave(game);
    try {
      return (await this.#outgoing.request(id, type, text, options?.signal)) as ReplyTo<T>;
    } catch (error) {
      if (type === "watch" && this.games.get(game)?.seq === 0) this.#games.byId.delete(game);
      throw error;
    }
  }

  /** The largest frame that the server accepts, as far as it has said so. */
  get #frameBytesMax(): number {
    return this.#welcome?.limits.frame_bytes ?? this._limits.frameOutBytesMax;
  }

  get #cursorsMax(): number {
    const { cursorsMax, cursorBytesMax, helloBytesMax } = this._limits;
    const room = Math.floor((this.#frameBytesMax - helloBytesMax) / cursorBytesMax);
    return Math.max(0, Math.min(room, cursorsMax));
  }

  #nextId(): string {
    // The server stores ids of acts with their games, so no other run may have used them.
    this.#ids += 1;
    return `${this.#idPrefix}-${this.#ids}`;
  }

  // The connection.

  /** Opens the first session. Throws `ConnectError` if that fails. @internal */
  async _start(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    signal?.addEventListener("abort", () => void this.close(), { once: true, signal: this.#stopped.signal });
    const opened = new Promise<void>((resolve, reject) => {
      this.#opened = { resolve, reject };
    });
    this.#dial();
    await until(opened, signal);
  }

  #dial(): void {
    const { url, WebSocket } = this.#settings;
    try {
      this.#session = new Session(url, WebSocket, this.#hello(), this._limits, {
        opened: (welcome) => this.#guard(() => this.#onWelcome(welcome)),
        received: (frame, text) => this.#guard(() => this.#onFrame(frame, text)),
        ended: (drop) => this.#onDrop(drop),
      });
    } catch (cause) {
      // The browser forbids the address.
      const why = `cannot reach the server at ${url}: ${cause instanceof Error ? cause.message : cause}`;
      this.#onDrop({ code: "unreachable", why, mayReconnect: false, cause });
    }
  }

  #hello(): Hello {
    const hello: Hello = {
      type: "hello",
      id: this.#nextId(),
      proto: [1],
      client: this.#settings.software,
      caps: [...this.#settings.caps],
      resume: this.#games.cursors(this.#cursorsMax),
    };
    return this.#auth === undefined ? hello : { ...hello, auth: this.#auth };
  }

  /** Runs work for a frame. What it throws ends the client, so that no program waits for ever. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this._log.error(`the client has failed: ${error instanceof Error ? error.stack : error}`);
      this.#finish(new Closed(`the client has failed: ${error}`));
      void this.#session?.close();
    }
  }

  #onDrop(drop: Drop): void {
    this.#session = undefined;
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened !== undefined) {
      this.#finish(new Closed(drop.why, drop.closeCode));
      opened.reject(new ConnectError(drop.code, drop.why, drop.mayReconnect, drop.retryAfterMs, { cause: drop.cause }));
      return;
    }
    this.#outgoing.connectionLost();
    for (const id of this.#fills.keys()) this.#outgoing.remove(id);
    this.#fills.clear();
    this.#games.connectionLost();
    if (this.#openedAt > 0 && performance.now() - this.#openedAt >= this._limits.steadyAfterMs) this.#backoff.reset();
    this.#openedAt = 0;
    if (drop.mayReconnect) void this.#reconnect(drop);
    else this.#finish(new Closed(drop.why, drop.closeCode));
  }

  /** Waits and dials. The server spreads its clients itself when it names a time. */
  async #reconnect(drop: Drop): Promise<void> {
    const own = this.#backoff.next(performance.now());
    const wait = drop.retryAfterMs ?? this.#restartInMs ?? own;
    this.#restartInMs = undefined;
    this._log.warn(`${drop.why}; connecting again in ${Math.round(wait)} ms`);
    await pause(wait, this.#stopped.signal).catch(() => undefined);
    await this.#inbox.waitForRoom();
    if (this.#end === undefined) this.#dial();
  }

  #finish(closed: Closed): void {
    if (this.#end !== undefined) return;
    this.#end = closed;
    this.#stopped.abort();
    this.#outgoing.close(closed);
    this.#inbox.close(closed.byProgram ? undefined : closed);
    this.#games.close();
    this.#setClosed(closed);
  }

  // Frames.

  #onWelcome(welcome: Welcome): void {
    this.#welcome = welcome;
    this.#aheadMs = this.#session?.aheadMs ?? this.#aheadMs;
    this.#openedAt = performance.now();
    this.#backoff.opened();
    if (welcome.token !== undefined) this.#auth = { token: welcome.token };
    for (const resumed of welcome.games) {
      if (resumed.resume === "gone") this.#games.byId.delete(resumed.game);
      else if (!this.#games.isLeft(resumed.game)) {
        const game = this.#games.get(resumed.game);
        if (resumed.resume !== "fork") continue;
        this._log.warn(`${game.id}: the server's record differs from what it was`);
        game._onFork();
      }
    }
    this.#deliver(welcome);
    this.#opened?.resolve();
    this.#opened = undefined;
    if (this.#session !== undefined) this.#outgoing.opened(this.#session, welcome.limits);
  }

  /** Takes a frame in. What it does not know, it only passes on. */
  #onFrame(frame: Frame, text: string): void {
    const id = typeof frame["game"] === "string" ? frame["game"] : "";
    if (OF_A_GAME.has(frame.type) && this.#games.isLeft(id)) return;
    if (frame.type === "snapshot") this.#games.get(id)._onSnapshot(frame as unknown as Snapshot);
    if (frame.re !== undefined) {
      this.#onReply(frame.re, frame);
      return;
    }
    if (frame.type === "event") {
      if (!this.#onEvent(this.#games.get(id), frame as unknown as Event, text)) return;
    } else if (frame.type === "your_turn") {
      this.#games.get(id)._state.applyYourTurn(frame as unknown as YourTurn);
    } else if (frame.type === "presence") {
      const presence = frame as unknown as Presence;
      const state = this.#games.get(id)._state;
      state.presence = presence.seats;
      state.spectators = presence.spectators;
    } else if (frame.type === "notice" && frame["what"] === "restart") {
      this.#restartInMs = typeof frame["in_ms"] === "number" ? frame["in_ms"] : this._limits.firstWaitMaxMs;
    }
    this.#deliver(frame as unknown as ToClient);
    if (this.#inbox.isFull) this.#session?.drop("the program does not read its frames");
  }

  #onReply(re: string, frame: Frame): void {
    const seq = frame["seq"];
    this.#fills.get(re)?._record.fillAnswered(typeof seq === "number" ? seq : undefined);
    this.#fills.delete(re);
    this.#outgoing.answer(re, frame as unknown as Reply);
  }

  /** Returns whether the event is the next one of its game. Asks for events that are missing. */
  #onEvent(game: Game, event: Event, text: string): boolean {
    const arrival = game._onEvent(event, text);
    if (arrival === "gap") {
      const id = this.#nextId();
      const from = game.seq + 1;
      this.#fills.set(id, game);
      game._record.beginFill();
      this.#outgoing.sendOwn(id, "watch", JSON.stringify({ type: "watch", id, game: game.id, from }));
    }
    return arrival === "next";
  }

  /** Passes a message on to the program. */
  #deliver(frame: ToClient): void {
    this.#inbox.put(frame);
    if (!this.#isDue(frame)) return;
    for (const listener of [...(this.#listeners.get(frame.type) ?? [])]) {
      try {
        listener(frame);
      } catch (error) {
        // The program's own mistake: it ends like any other error that nobody catches.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  /** Whether a message still counts: the server repeats `your_turn`, and the program may have moved meanwhile. */
  #isDue(frame: ToClient): boolean {
    if (frame.type !== "your_turn") return true;
    const game = this.games.get(frame.game);
    const isOnItsWay = this.#outgoing.isPending(moveId(frame.game, frame.turn));
    return game?.isMyTurn === true && game.turn === frame.turn && !isOnItsWay;
  }
}

/** Messages about one game. */
const OF_A_GAME: ReadonlySet<string> = new Set(["event", "snapshot", "your_turn", "presence"]);

/** A prefix of ids that no other run has. */
function randomPrefix(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(5));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
