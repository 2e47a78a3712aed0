// A real server, and a proxy in front of it that loses, doubles and adds frames.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, afterEach, before } from "node:test";
import { type Client, type ConnectOptions, connect } from "@adamant/client";
import WebSocket, { WebSocketServer } from "ws";

/** The options of tests that the short form of the tests leaves out. */
export const LONG = { skip: process.env["ADAMANT_LONG"] === undefined && "cargo xtask test --all" };

/** The timeout of every step, in milliseconds, for a busy machine. */
export const TIMEOUT_MS = 60_000;

export type Frame = any;

/** The server's binary, on a data directory and a port that outlive it. */
export class Server {
  readonly data: string;
  readonly #options: string[];
  #address = "127.0.0.1:0";
  #process: ChildProcess | undefined;

  private constructor(data: string, options: string[]) {
    this.data = data;
    this.#options = options;
  }

  static async start(options = ["--no-limits"], config = ""): Promise<Server> {
    const data = await mkdtemp(join(tmpdir(), "adamant-typescript-"));
    await writeFile(join(data, "adamant.toml"), config);
    const server = new Server(data, options);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const binary = process.env["ADAMANT_SERVER"];
    if (binary === undefined) throw new Error("ADAMANT_SERVER names the server's binary; use cargo xtask typescript");
    const config = ["--config", join(this.data, "adamant.toml"), "--listen", this.#address, "--data", this.data];
    const child = spawn(binary, [...config, ...this.#options], { stdio: ["ignore", "ignore", "pipe"] });
    this.#process = child;
    const said = [];
    for await (const line of createInterface({ input: child.stderr })) {
      said.push(line);
      const address = /listening url=ws:\/\/([^/]+)\/v1\/ws/.exec(line)?.[1];
      if (address === undefined) continue;
      this.#address = address;
      child.stderr.resume();
      return;
    }
    throw new Error(`the server did not start; it said:\n${said.join("\n")}`);
  }

  get url(): string {
    return `ws://${this.#address}`;
  }

  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  /** Stops the server as an operator does. */
  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.data, { recursive: true, force: true });
  }

  /** The record of a game, as the server stores it. */
  async log(game: string): Promise<string[]> {
    const answer = await fetch(`http://${this.#address}/v1/games/${game}/log`);
    return (await answer.text()).trimEnd().split("\n");
  }
}

/** Stands between a client and a server. */
export class Proxy {
  /** What the client has sent. */
  readonly received: Frame[] = [];
  /** Answers a request in place of the server. */
  answer: (frame: Frame) => Frame | undefined = () => undefined;
  /** What the client gets for a frame of the server. */
  change: (frame: Frame, text: string) => string[] = (_, text) => [text];
  sessions: WebSocket[] = [];
  opened = 0;
  url = "";
  readonly #server: Server;
  readonly #listener = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  #changed: () => void = () => undefined;

  constructor(server: Server) {
    this.#server = server;
    this.#listener.on("connection", (session) => this.#serve(session));
  }

  async start(): Promise<this> {
    await once(this.#listener, "listening");
    this.url = `ws://127.0.0.1:${(this.#listener.address() as AddressInfo).port}`;
    return this;
  }

  stop(): void {
    this.cut();
    this.#listener.close();
  }

  #serve(session: WebSocket): void {
    const upstream = new WebSocket(`${this.#server.url}/v1/ws`, { perMessageDeflate: false });
    const waiting: string[] = [];
    this.sessions.push(session);
    this.opened += 1;
    session.on("message", (data) => {
      const text = String(data);
      const frame = JSON.parse(text);
      this.received.push(frame);
      this.#changed();
      const own = this.answer(frame);
      if (own !== undefined) session.send(JSON.stringify(own));
      else if (upstream.readyState === WebSocket.OPEN) upstream.send(text);
      else waiting.push(text);
    });
    upstream.on("open", () => waiting.forEach((text) => upstream.send(text)));
    upstream.on("message", (data) => {
      const text = String(data);
      for (const changed of this.change(JSON.parse(text), text)) session.send(changed);
    });
    upstream.on("error", () => session.terminate());
    upstream.on("close", (code, reason) => {
      if (code === 1006) session.terminate();
      else session.close(code, reason);
    });
    session.on("error", () => undefined);
    session.on("close", () => upstream.terminate());
  }

  /** Breaks all connections, as a network does: without a close frame. */
  cut(): void {
    for (const session of this.sessions.splice(0)) session.terminate();
  }

  close(code: number, reason: string): void {
    for (const session of this.sessions.splice(0)) session.close(code, reason);
  }

  /** Waits for something that the client sends. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await within(
        new Promise<void>((resolve) => {
          this.#changed = resolve;
        }),
      );
    }
  }

  sent(type: string): Frame[] {
    return this.received.filter((frame) => frame.type === type);
  }
}

/** What the tests of a file share: a server, and what ends with each test. */
export class World {
  server!: Server;
  readonly #ends: (() => unknown)[] = [];

  constructor(options?: string[], config?: string) {
    before(async () => {
      this.server = await Server.start(options, config);
    });
    afterEach(async () => {
      for (const end of this.#ends.splice(0).reverse()) await end();
    });
    after(() => this.server.remove());
  }

  /** Does something at the end of the test. */
  atEnd(end: () => unknown): void {
    this.#ends.push(end);
  }

  async proxy(server = this.server): Promise<Proxy> {
    const proxy = await new Proxy(server).start();
    this.atEnd(() => proxy.stop());
    return proxy;
  }

  /** A server of one test. */
  async ownServer(): Promise<Server> {
    const server = await Server.start();
    this.atEnd(() => server.remove());
    return server;
  }

  /** A new guest, or the user that the options name. */
  async client(url = this.server.url, options: ConnectOptions = {}): Promise<Client> {
    const hasUser = ["name", "token", "tokenStore", "user"].some((key) => key in options);
    const client = await within(connect(url, { log: SILENT, ...(hasUser ? {} : { name: newName() }), ...options }));
    this.atEnd(() => client.close());
    return client;
  }

  /** Starts a game of these players, in this order, and returns its id once all of them have it. */
  async game(players: Client[], terms: { rules?: string; [term: string]: unknown } = {}): Promise<string> {
    const [first, ...others] = players;
    if (first === undefined) throw new Error("a game has players");
    const names = others.map((player) => player.name ?? "");
    const challenge = await first.challenge(names, { rules: "adamas", ...terms });
    let game = "";
    for (const player of others) game = (await player.request("accept", { challenge })).game ?? game;
    for (const player of players) await frameOf(player, (frame) => frame.kind === "started" && frame.game === game);
    return game;
  }
}

export const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

let names = 0;

/** A name that no other test of this run has. */
export function newName(): string {
  names += 1;
  return `guest-${process.pid % 10 ** 6}-${names}`;
}

export async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the step took too long")), TIMEOUT_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The next frame of a kind. Those before it are gone. */
export async function frameOf(client: Client, wanted: (frame: Frame) => boolean): Promise<Frame> {
  const search = async () => {
    for await (const frame of client) if (wanted(frame)) return frame;
    throw new Error("the client was closed");
  };
  return within(search());
}

/** Whether a frame is an event of one of these kinds, or a message of one of these types. */
export function kind(...kinds: string[]): (frame: Frame) => boolean {
  return (frame) => kinds.includes(frame.kind) || kinds.includes(frame.type);
}

/** A game that the client knows. */
export function gameOf(client: Client, id: string) {
  const game = client.games.get(id);
  if (game === undefined) throw new Error(`there is no game ${id}`);
  return game;
}

/** The first legal move, once it is this player's turn. */
export async function legalMove(client: Client, id: string): Promise<string> {
  const game = gameOf(client, id);
  while (!game.isMyTurn || game.legal.length === 0) await frameOf(client, kind("your_turn"));
  return game.legal[0] ?? "";
}

/** Plays at random, gives up after so many plies, and returns the game once it is over. */
export async function play(client: Client, id: string, plies: number) {
  const game = gameOf(client, id);
  while (game.isLive) {
    if (game.isMyTurn && game.legal.length > 0) {
      if (game.ply < plies) await game.move(game.legal[(game.ply * 7919) % game.legal.length] ?? "");
      else await game.resign();
    }
    if (game.isLive) await frameOf(client, kind("your_turn", "event"));
  }
  return game;
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Waits for something in this process, one round trip after the other. */
export async function until(client: Client, holds: () => boolean): Promise<void> {
  while (!holds()) await within(client.request("ping"));
}
