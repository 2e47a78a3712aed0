// The page's connection: sends `hello`, reconnects with its cursors, repeats unanswered requests,
// and detects silence. It draws nothing and knows no rules.

import { Backoff, HELLO_REFUSED, shouldReconnect, STEADY_AFTER_MS } from "./reconnect.js";
import { Subscriptions } from "./subscriptions.js";
import { RateLimiter } from "./rate_limiter.js";
import { PendingRequests, RequestError, ConnectionLost } from "./pending.js";
import { ServerTime } from "./server_time.js";
import { now } from "./stopwatch.js";
import { strings } from "../strings/strings.js";

/** @import {Auth, EventFrame, Failed, FromClient, NewRequest, ReplyTo, ToClient, Welcome} from "../wire.js" */

/** The version of the protocol. */
const PROTO = 1;

/** What the server sends besides: the board and the first steps with each turn. */
const CAPS = ["position", "steps"];

/** The WebSocket sub-protocol. */
const SUBPROTOCOL = "adamant.v1.json";

/** How often the connection checks for silence, in milliseconds. */
const HEARTBEAT_MS = 1_000;

/** The least time between attempts that somebody asks for, in milliseconds. */
const HURRY_MS = 1_000;

/** A check that comes this much too late, in milliseconds, means that the page was not running. */
const ASLEEP_MS = 2_000;

/**
 * The part of a WebSocket that the connection uses.
 * @typedef {object} Socket
 * @property {(text: string) => void} send
 * @property {(code?: number, reason?: string) => void} close
 * @property {((this: any, event: any) => void) | null} onopen
 * @property {((this: any, event: any) => void) | null} onmessage
 * @property {((this: any, event: any) => void) | null} onclose
 */

/**
 * The state of the connection.
 * @typedef {(
 *   | { is: "opening" }
 *   | { is: "open", stale: boolean }
 *   | { is: "waiting", until: number, restart: boolean }
 *   | { is: "ended", code: number, reason: string }
 * )} ConnectionState
 */

/**
 * @typedef {object} Env what the connection needs from outside
 * @property {() => Socket} dial opens a socket
 * @property {() => Auth | undefined} auth credentials for the next `hello`
 * @property {(failed: Failed) => boolean} onHelloError called when the server refuses a `hello`; returns whether to try again
 * @property {() => number} now milliseconds; never set back
 * @property {() => number} random from 0 up to but not including 1
 * @property {(work: () => void, ms: number) => any} after runs `work` after a delay
 * @property {(timer: any) => void} cancel cancels a timer
 */

export class Connection {
  #env;
  #backoff;
  #subscriptions = new Subscriptions();
  /** How many views follow a game, or something else. @type {Map<string, number>} */
  #followers = new Map();
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
  /** The id of the last `hello` over this socket; empty before it. */
  #helloId = "";
  #lastId = 0;
  #prefix;
  #openedAt = 0;
  #dialledAt = 0;
  /** How long the last successful attempt took, in milliseconds. */
  #openingTook = 0;
  #receivedAt = 0;
  #pingedAt = 0;
  /** @type {number | undefined} */
  #restartIn;
  /** @type {any} */
  #timer;
  /** Timer of the next flush, while the rate limit is used up. @type {any} */
  #flushTimer;

  /** @param {Env} env */
  constructor(env) {
    this.#env = env;
    this.#backoff = new Backoff(env.random);
    // The server remembers ids for the life of a game, so every page load needs its own prefix.
    this.#prefix = Math.floor(env.random() * 36 ** 6).toString(36);
    this.time = new ServerTime(env.now);
  }

  /** The state of the connection. */
  get state() {
    return this.#state;
  }

  /** The last `welcome`. */
  get welcome() {
    return this.#welcome;
  }

  /** Connects: for the first time, after the end, or before the back-off has passed. */
  open() {
    if (this.#socket !== undefined) return;
    this.#env.cancel(this.#timer);
    this.#dial();
  }

  /**
   * Sends `hello` again as another user, over a new connection. One that is still opening names the
   * user later, and stays.
   */
  reopen() {
    this.#subscriptions.clear();
    this.#welcome = undefined;
    if (this.#socket === undefined) this.open();
    else if (this.#helloId !== "") this.#reconnect(true);
  }

  /**
   * Subscribes to messages of one type that are not replies, and to `state`, `welcome` and
   * `refused`.
   * @param {string} type
   * @param {(message: any) => void} listener
   * @returns {() => void} unsubscribes
   */
  on(type, listener) {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /**
   * Calls a function in this session, if there is one, and at the beginning of each further one.
   * @param {() => void} listener
   * @returns {() => void} ends this
   */
  onSession(listener) {
    const stop = this.on("welcome", listener);
    if (this.#welcome !== undefined) listener();
    return stop;
  }

  /**
   * Sends a request and returns its reply. Without a connection the request waits for the next one.
   * @template {NewRequest} Body
   * @param {Body} body
   * @returns {Promise<ReplyTo<Body["type"]>>} the reply; rejects with `RequestError` or `ConnectionLost`
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

  /**
   * Notes that a view follows a game, or something else. All views share one subscription.
   * @param {string} what
   * @returns {() => boolean} notes that the view has left; returns whether no other one follows it
   */
  follow(what) {
    this.#followers.set(what, (this.#followers.get(what) ?? 0) + 1);
    return () => {
      const others = (this.#followers.get(what) ?? 1) - 1;
      if (others > 0) this.#followers.set(what, others);
      else this.#followers.delete(what);
      return others === 0;
    };
  }

  /** Ends a wait for the next attempt, unless the last one has just begun: servers bound how many come. */
  hurry() {
    if (this.#state.is === "waiting" && this.#env.now() - this.#dialledAt >= HURRY_MS) this.open();
  }

  /**
   * Checks at once whether the connection still works, and measures the server's time again, for
   * example after a laptop wakes.
   */
  probe() {
    this.hurry();
    if (this.#state.is !== "open") return;
    this.time.measureAnew();
    this.#ping();
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
    // Clocks stand still while nobody knows what the server's do.
    if (state.is === "open" && !state.stale) this.time.go();
    else this.time.stop();
    this.#emit("state", state);
  }

  #dial() {
    const socket = this.#env.dial();
    this.#socket = socket;
    this.#helloId = "";
    this.#setState({ is: "opening" });
    this.#dialledAt = this.#env.now();
    this.#timer = this.#env.after(() => this.#reconnect(false), this.#backoff.openingTimeout(this.#dialledAt, this.#openingTook));
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
        caps: CAPS,
        ...(auth === undefined ? {} : { auth }),
        resume: this.#subscriptions.cursors(),
      }),
    );
  }

  /** @param {string} text */
  #receive(text) {
    this.#receivedAt = this.#env.now();
    if (this.#state.is === "open" && this.#state.stale) this.#setState({ is: "open", stale: false });
    /** @type {ToClient} */
    const message = JSON.parse(text);
    if (this.#welcome === undefined || this.#state.is !== "open") this.#handleOpening(message);
    else this.#dispatch(message);
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
    else this.#giveUp(HELLO_REFUSED, strings.failed(failed).replace(/\.$/, ""));
  }

  /** @param {Welcome} welcome */
  #onWelcome(welcome) {
    this.#env.cancel(this.#timer);
    this.#openedAt = this.#env.now();
    this.#openingTook = this.#openedAt - this.#dialledAt;
    this.#backoff.found();
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

  /** Sends the unsent requests as fast as the rate limit allows. */
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
    // Every view of the game needs a snapshot, not only the one that requested it.
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

  /** Pings the server and reconnects if it stays silent. */
  #scheduleHeartbeat() {
    const socket = this.#socket;
    const due = this.#env.now() + HEARTBEAT_MS;
    this.#timer = this.#env.after(() => {
      if (socket !== this.#socket || this.#state.is !== "open" || !this.#welcome) return;
      const { ping_every_ms: every, idle_close_ms: idle } = this.#welcome.heartbeat;
      const now = this.#env.now();
      if (now - this.#receivedAt >= idle) {
        this.#reconnect(false);
        return;
      }
      if (now - due >= ASLEEP_MS) this.probe();
      else if (now - this.#pingedAt >= every) this.#ping();
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
   * Closes the socket and schedules the next attempt.
   * @param {boolean} immediately
   */
  #reconnect(immediately) {
    this.#closeSocket();
    this.#subscriptions.onDisconnect();
    this.#pending.onDisconnect();
    const now = this.#env.now();
    if (this.#openedAt > 0 && now - this.#openedAt >= STEADY_AFTER_MS) this.#backoff.reset();
    this.#openedAt = 0;
    const own = this.#backoff.next(now);
    // A restarting server names a time itself, to spread its clients.
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

/**
 * Returns the connection of a page to its server.
 * @param {Pick<Env, "auth" | "onHelloError">} user
 */
export function browserConnection(user) {
  const url = new URL("/v1/ws", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return new Connection({
    dial: () => new WebSocket(url, [SUBPROTOCOL]),
    ...user,
    now,
    random: Math.random,
    after: (work, ms) => setTimeout(work, ms),
    cancel: (timer) => clearTimeout(timer),
  });
}
