// One connection: the WebSocket, `hello` and `welcome`, the heartbeat, and why it ended.

import { plain } from "./errors.js";
import type { Limits } from "./limits.js";
import type { Failed, Hello, Welcome } from "./protocol.js";
import { timer } from "./waiting.js";

const SUBPROTOCOL = "adamant.v1.json";

/** Close codes after which the same attempt would end in the same way. */
export const FINAL_CLOSE_CODES: ReadonlySet<number> = new Set([1001, 1002, 1003, 1007, 1008, 1009, 4001, 4002, 4003, 4007]);

/** The close code of a connection that broke. */
const BROKEN_CODE = 1006;

/** Close codes that no server sends: the connection broke. */
const BROKEN: ReadonlySet<number> = new Set([1005, BROKEN_CODE, 1015]);

/** What the client needs of a WebSocket. Those of browsers, of Node 22 and of the package `ws` have it. */
export interface Socket {
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  /** Ends the connection at once, where the WebSocket can do so. */
  terminate?(): void;
}

/** A WebSocket's constructor. */
export type SocketConstructor = new (url: string, protocols: string[]) => Socket;

/** A frame as it arrives: what it has besides is not known yet. */
export interface Frame {
  readonly type: string;
  readonly re?: string;
  readonly [field: string]: unknown;
}

/** Why a connection ended, and whether another one may follow. */
export interface Drop {
  /** `unreachable`, `timeout`, `closed`, or the server's code. */
  readonly code: string;
  readonly why: string;
  readonly mayReconnect: boolean;
  readonly closeCode?: number;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Who hears of a session. Only `ended` comes exactly once, and nothing after it. */
export interface SessionListener {
  opened(welcome: Welcome): void;
  received(frame: Frame, text: string): void;
  ended(drop: Drop): void;
}

/** A connection to a server. It begins to dial at once. */
export class Session {
  readonly #url: string;
  readonly #hello: Hello;
  readonly #limits: Limits;
  readonly #listener: SessionListener;
  readonly #socket: Socket;
  readonly #gone: Promise<void>;
  #setGone: () => void = () => undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;
  #isConnected = false;
  #cause: unknown;
  #helloAt = 0;
  #heardAt = 0;
  #pings = 0;
  #welcome: Welcome | undefined;
  #aheadMs = 0;

  /** Throws what the WebSocket's constructor throws, such as a `SyntaxError` for an address that is none. */
  constructor(url: string, WebSocket: SocketConstructor, hello: Hello, limits: Limits, listener: SessionListener) {
    this.#url = url;
    this.#hello = hello;
    this.#limits = limits;
    this.#listener = listener;
    this.#gone = new Promise((resolve) => {
      this.#setGone = resolve;
    });
    this.#socket = new WebSocket(url, [SUBPROTOCOL]);
    this.#socket.onopen = () => this.#sayHello();
    this.#socket.onmessage = ({ data }: { data: unknown }) => this.#receive(data);
    this.#socket.onerror = (event: { error?: unknown; message?: unknown }) => {
      // Node 22 sends no `onclose` after some errors.
      this.#cause = event.error ?? event.message;
      this.#closed(BROKEN_CODE, "");
    };
    this.#socket.onclose = ({ code, reason }: { code: number; reason: string }) => this.#closed(code, reason);
    this.#timer = setTimeout(() => {
      const why = `the server at ${url} did not answer in time`;
      this.#drop({ code: "timeout", why, mayReconnect: true });
    }, limits.openTimeoutMs);
  }

  /** The answer to `hello`, once it is there. */
  get welcome(): Welcome | undefined {
    return this.#welcome;
  }

  /** How far the server's clock is ahead of that of `performance`, which nobody sets, in milliseconds. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Sends a frame. On a connection that is breaking it is lost, as on the way. */
  send(text: string): void {
    if (this.#isOver) return;
    try {
      this.#socket.send(text);
    } catch {
      // Between the last frame and `onclose` a socket may refuse to send.
    }
  }

  /** Ends the session from this side. */
  drop(why: string): void {
    this.#drop({ code: "closed", why, mayReconnect: true });
  }

  /** Closes the connection without a word to the listener, and waits until it is closed. */
  async close(): Promise<void> {
    this.#end();
    const { promise, stop } = timer(this.#limits.closeTimeoutMs);
    await Promise.race([this.#gone, promise]);
    stop();
    this.#socket.terminate?.();
  }

  #sayHello(): void {
    if (this.#isOver) return;
    this.#isConnected = true;
    this.#helloAt = performance.now();
    this.send(JSON.stringify(this.#hello));
  }

  #receive(data: unknown): void {
    if (this.#isOver) return;
    this.#heardAt = performance.now();
    const frame = parse(data);
    if (frame === undefined) return;
    if (this.#welcome === undefined) this.#answered(frame);
    else if (frame.type !== "pong" || !frame.re?.startsWith(PING_PREFIX)) {
      this.#listener.received(frame, data as string);
    }
  }

  /** Takes the answer to `hello`. */
  #answered(frame: Frame): void {
    if ((frame.re ?? this.#hello.id) !== this.#hello.id) return;
    if (frame.type === "welcome") {
      const welcome = frame as unknown as Welcome;
      this.#welcome = welcome;
      // The middle of the round trip is nearest to the moment that `ts` names.
      this.#aheadMs = welcome.ts - Math.round((this.#helloAt + performance.now()) / 2);
      clearTimeout(this.#timer);
      this.#listen();
      this.#listener.opened(welcome);
    } else if (frame.type === "error") {
      const { code, message, retry, retry_after_ms: retryAfterMs } = frame as unknown as Failed;
      const why = plain(`${message} (${code})`);
      this.#drop({ code, why, mayReconnect: retry !== "never", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
    }
  }

  /** Asks a silent server whether it is there: a program sees no pings of a WebSocket. */
  #listen(): void {
    const { pingAfterMs, pingTimeoutMs } = this.#limits;
    const heardAt = this.#heardAt;
    this.#timer = setTimeout(() => {
      if (this.#heardAt !== heardAt) {
        this.#listen();
        return;
      }
      this.#pings += 1;
      this.send(JSON.stringify({ type: "ping", id: `${PING_PREFIX}${this.#pings}` }));
      this.#timer = setTimeout(() => {
        if (this.#heardAt === heardAt) this.drop("the server fell silent");
        else this.#listen();
      }, pingTimeoutMs);
    }, pingAfterMs);
  }

  #closed(closeCode: number, reason: string): void {
    this.#setGone();
    if (BROKEN.has(closeCode)) {
      const why = this.#isConnected
        ? "the connection broke"
        : `cannot reach the server at ${this.#url}${causeOf(this.#cause)}`;
      this.#drop({ code: "unreachable", why, mayReconnect: true, cause: this.#cause });
      return;
    }
    // Codes that the protocol does not name come from proxies, crashes and later servers.
    const mayReconnect = !FINAL_CLOSE_CODES.has(closeCode);
    this.#drop({ code: "closed", why: `the server closed the connection: ${plain(reason)} (${closeCode})`, mayReconnect, closeCode });
  }

  #drop(drop: Drop): void {
    if (this.#isOver) return;
    this.#end();
    this.#listener.ended(drop);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#socket.close();
  }
}

/** The ids of the heartbeat's requests. */
const PING_PREFIX = "heartbeat-";

/** Returns a frame, or `undefined` for what is none. */
function parse(data: unknown): Frame | undefined {
  if (typeof data !== "string") return undefined;
  try {
    const frame: unknown = JSON.parse(data);
    const isFrame = typeof frame === "object" && frame !== null && "type" in frame && typeof frame.type === "string";
    return isFrame ? (frame as Frame) : undefined;
  } catch {
    return undefined;
  }
}

/** What the WebSocket says about a failure, if anything. Browsers say nothing. */
function causeOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : cause;
  return typeof text === "string" && text !== "" ? `: ${text}` : "";
}
