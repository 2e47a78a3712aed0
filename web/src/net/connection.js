// The one connection of a page: says hello, comes back after a drop with its cursors, sends again
// what was not answered, and notices silence. It shows nothing and knows no game.

import { Backoff, STEADY_AFTER_MS } from "./backoff.js";
import { HELLO_REFUSED, shouldReconnect } from "./close_codes.js";
import { Subscriptions } from "./subscriptions.js";
import { RateLimiter } from "./rate_limiter.js";
import { PendingRequests, RequestError, ConnectionLost } from "./pending.js";
import { ServerTime } from "./server_time.js";

/** @import {Auth, EventFrame, Failed, FromClient, NewRequest, ReplyTo, ToClient, Welcome} from "../wire.js" */

/** The version of the protocol that is spoken here. */
const PROTO = 1;

/** The sub-protocol that is offered. */
export const SUBPROTOCOL = "adamant.v1.json";

/** How often the connection is looked after, in milliseconds. */
const HEARTBEAT_MS = 1_000;

/** How long the server may take from dialling to `welcome`, in milliseconds. */
const OPENING_TIMEOUT_MS = 10_000;

/**
 * What is needed of a WebSocket.
 * @typedef {object} Socket
 * @property {(text: string) => void} send
 * @property {(code?: number, reason?: string) => void} close
 * @property {((this: any, event: any) => void) | null} onopen
 * @property {((this: any, event: any) => void) | null} onmessage
 * @property {((this: any, event: any) => void) | null} onclose
 */

/**
 * How the connection is.
 * @typedef {(
 *   | { is: "opening" }
 *   | { is: "open", stale: boolean }
 *   | { is: "waiting", until: number, restart: boolean }
 *   | { is: "ended", code: number, reason: string }
 * )} ConnectionState
 */

/**
 * @typedef {object} Env what a connection needs of the env
 * @property {() => Socket} dial opens a socket
 * @property {() => Auth | undefined} auth who to be, asked before each hello
 * @property {(failed: Failed) => boolean} onHelloError told that a hello was refused; whether to try again
 * @property {() => number} now milliseconds since the epoch
 * @property {() => number} random from 0 up to but not including 1
 * @property {(work: () => void, ms: number) => any} after runs work later
 * @property {(timer: any) => void} cancel prevents that
 */

export class Connection {
  #env;
  #backoff;
  #subscriptions = new Subscriptions();
  #pending = new PendingRequests();
  #rateLimiter = new RateLimiter();
  /** @type {Socket | undefined} */
  #socket;
  /** @type {ConnectionState} */
  #state = { is: "opening" };
  /** @type {Map<string, Set<(message: any) => void>>} */
  #listeners = new Map();
  /** @type {Welcome | undefined} */
  #welcome;
  #helloId = "";
  #lastId = 0;
  #prefix;
  #openedAt = 0;
  #receivedAt = 0;
  #pingedAt = 0;
  /** @type {number | undefined} */
  #restartIn;
  /** @type {any} */
  #timer;
  /** Sends what had to wait for the server's allowance. @type {any} */
  #flushTimer;

  /** @param {Env} env */
  constructor(env) {
    this.#env = env;
    this.#backoff = new Backoff(env.random);
    // Ids are remembered by the server for the life of a game, so another visit needs others.
    this.#prefix = Math.floor(env.random() * 36 ** 6).toString(36);
    this.time = new ServerTime(env.now);
  }

  /** How the connection is. */
  get state() {
    return this.#state;
  }

  /** What the server said last when it let us in. */
  get welcome() {
    return this.#welcome;
  }

  /** Makes the first attempt, or one after the end or ahead of its time. */
  open() {
    if (this.#socket !== undefined) return;
    this.#env.cancel(this.#timer);
    this.#dial();
  }

  /** Drops the connection and says hello anew, as somebody else. */
  reopen() {
    this.#subscriptions.clear();
    this.#welcome = undefined;
    if (this.#socket === undefined) this.open();
    else this.#reconnect(true);
  }

  /**
   * Hears messages of one type that answer no request, and `state`, `welcome` and `refused`.
   * @param {string} type
   * @param {(message: any) => void} listener
   * @returns {() => void} stops it
   */
  on(type, listener) {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /**
   * Asks the server. What is asked while there is no connection waits for the next one.
   * @template {NewRequest} Body
   * @param {Body} body
   * @returns {Promise<ReplyTo<Body["type"]>>} the reply; broken with `RequestError` or `ConnectionLost`
   */
  request(body) {
    if (this.#state.is === "ended") return Promise.reject(new ConnectionLost());
    const request = /** @type {FromClient} */ (
      /** @type {unknown} */ ({ ...body, id: body.id ?? this.#nextId() })
    );
    const answer = this.#pending.add(request);
    this.#flush();
    return answer;
  }

  /** Finds out at once whether the line still holds, as after a laptop was opened. */
  probe() {
    if (this.#state.is === "waiting") this.open();
    else if (this.#state.is === "open") this.#ping();
  }

  #nextId() {
    this.#lastId += 1;
    return `${this.#prefix}-${this.#lastId}`;
  }

  /**
   * @param {string} type
   * @param {any} message
   */
  #emit(type, message) {
    for (const listener of [...(this.#listeners.get(type) ?? [])]) listener(message);
  }

  /** @param {ConnectionState} state */
  #setState(state) {
    this.#state = state;
    this.#emit("state", state);
  }

  #dial() {
    const socket = this.#env.dial();
    this.#socket = socket;
    this.#setState({ is: "opening" });
    this.#timer = this.#env.after(() => this.#reconnect(false), OPENING_TIMEOUT_MS);
    socket.onopen = () => this.#hello(socket);
    socket.onmessage = ({ data }) => {
      if (socket === this.#socket && typeof data === "string") this.#receive(data);
    };
    socket.onclose = ({ code, reason }) => {
      if (socket === this.#socket) this.#onClose(code, reason);
    };
  }

  /** @param {Socket} socket */
  #hello(socket) {
    if (socket !== this.#socket) return;
    this.#helloId = this.#nextId();
    const auth = this.#env.auth();
    socket.send(
      JSON.stringify({
        type: "hello",
        id: this.#helloId,
        proto: [PROTO],
        client: { name: "page", version: "1" },
        ...(auth === undefined ? {} : { auth }),
        resume: this.#subscriptions.cursors(),
      }),
    );
  }

  /** @param {string} text */
  #receive(text) {
    this.#receivedAt = this.#env.now();
    /** @type {ToClient} */
    const message = JSON.parse(text);
    if (this.#welcome === undefined || this.#state.is !== "open") this.#handleOpening(message);
    else this.#dispatch(message);
    if (this.#state.is === "open" && this.#state.stale) {
      this.#setState({ is: "open", stale: false });
    }
  }

  /** @param {ToClient} message */
  #handleOpening(message) {
    if (message.type === "welcome") this.#onWelcome(message);
    else if (message.type === "error" && message.re === this.#helloId) {
      if (message.retry === "after") {
        const socket = this.#socket;
        this.#env.after(() => socket && this.#hello(socket), message.retry_after_ms ?? 1_000);
      } else this.#onHelloError(message);
    }
  }

  /** @param {Failed} failed */
  #onHelloError(failed) {
    const retry = this.#env.onHelloError(failed);
    this.#emit("refused", failed);
    if (retry) this.#reconnect(false);
    else this.#giveUp(HELLO_REFUSED, failed.message);
  }

  /** @param {Welcome} welcome */
  #onWelcome(welcome) {
    this.#env.cancel(this.#timer);
    this.#openedAt = this.#env.now();
    this.#restartIn = undefined;
    this.#welcome = welcome;
    this.time.reset(welcome.ts);
    this.#rateLimiter.setLimits(welcome.limits, this.#openedAt);
    this.#subscriptions.onWelcome(welcome);
    this.#setState({ is: "open", stale: false });
    this.#emit("welcome", welcome);
    this.#flush();
    this.#ping();
    this.#scheduleHeartbeat();
  }

  /** Sends what the present connection does not carry yet, as fast as the server allows. */
  #flush() {
    this.#env.cancel(this.#flushTimer);
    if (this.#state.is !== "open" || this.#socket === undefined) return;
    for (let request = this.#pending.nextUnsent(); request !== undefined; request = this.#pending.nextUnsent()) {
      const wait = this.#rateLimiter.acquire(this.#env.now());
      if (wait > 0) {
        this.#flushTimer = this.#env.after(() => this.#flush(), wait);
        return;
      }
      this.#pending.markSent(request.id);
      this.#subscriptions.onRequest(request);
      this.#socket.send(JSON.stringify(request));
    }
  }

  /** @param {ToClient} message */
  #dispatch(message) {
    if (message.type === "snapshot") this.#subscriptions.onSnapshot(message);
    if ("re" in message && message.re != null) {
      this.#onReply(message);
    } else if (message.type === "event") {
      this.#onEvent(message);
      return;
    } else if (message.type === "notice" && message.what === "restart") {
      this.#restartIn = message.in_ms;
    }
    // A snapshot is news to everybody who shows the game, whoever has asked for it.
    if (!("re" in message) || message.re == null || message.type === "snapshot") {
      this.#emit(message.type, message);
    }
  }

  /** @param {any} reply */
  #onReply(reply) {
    this.#subscriptions.onReply(reply);
    if (reply.type === "pong") this.time.addSample(reply);
    const wait = this.#pending.onReply(reply);
    if (wait === undefined) return;
    this.#env.after(() => {
      this.#pending.markUnsent(reply.re);
      this.#flush();
    }, wait);
  }

  /** @param {EventFrame} event */
  #onEvent(event) {
    const disposition = this.#subscriptions.onEvent(event);
    if (disposition.is === "deliver") this.#emit("event", event);
    else if (disposition.is === "gap") {
      this.request({ type: "watch", game: event.game, from: disposition.from }).catch(() => {});
    }
  }

  #ping() {
    this.#pingedAt = this.#env.now();
    this.request({ type: "ping", t0: this.#pingedAt }).catch(() => {});
  }

  /** Looks after the connection: asks whether the other side is there, and leaves it if not. */
  #scheduleHeartbeat() {
    const socket = this.#socket;
    this.#timer = this.#env.after(() => {
      if (socket !== this.#socket || this.#state.is !== "open" || !this.#welcome) return;
      const { ping_every_ms: every, idle_close_ms: idle } = this.#welcome.heartbeat;
      const now = this.#env.now();
      if (now - this.#receivedAt >= idle) {
        this.#reconnect(false);
        return;
      }
      if (now - this.#pingedAt >= every) this.#ping();
      const stale = now - this.#receivedAt >= every * 1.5;
      if (stale !== this.#state.stale) this.#setState({ is: "open", stale });
      this.#scheduleHeartbeat();
    }, HEARTBEAT_MS);
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #onClose(code, reason) {
    if (shouldReconnect(code)) this.#reconnect(false);
    else this.#giveUp(code, reason);
  }

  /**
   * The socket is gone, or is given up.
   * @param {boolean} immediately
   */
  #reconnect(immediately) {
    this.#closeSocket();
    this.#subscriptions.onDisconnect();
    this.#pending.onDisconnect();
    const now = this.#env.now();
    if (this.#openedAt > 0 && now - this.#openedAt >= STEADY_AFTER_MS) this.#backoff.reset();
    this.#openedAt = 0;
    const own = this.#backoff.next();
    // The server spreads its clients itself when it names a time.
    const restart = this.#restartIn !== undefined;
    const wait = immediately ? 0 : (this.#restartIn ?? own);
    this.#restartIn = undefined;
    this.#setState({ is: "waiting", until: now + wait, restart });
    this.#timer = this.#env.after(() => this.#dial(), wait);
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #giveUp(code, reason) {
    this.#closeSocket();
    this.#setState({ is: "ended", code, reason });
    this.#pending.close();
  }

  #closeSocket() {
    this.#env.cancel(this.#timer);
    this.#env.cancel(this.#flushTimer);
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }
}

export { RequestError, ConnectionLost };
