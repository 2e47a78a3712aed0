// The one connection of a page: says hello, comes back after a drop with its cursors, sends again
// what was not answered, and notices silence. It shows nothing and knows no game.

import { Backoff, STEADY_AFTER_MS } from "./backoff.js";
import { REFUSED_HELLO, mayComeBack } from "./close_codes.js";
import { Follower } from "./subscriptions.js";
import { Pace } from "./rate_limiter.js";
import { Pending, Refused, Unanswered } from "./pending.js";
import { ServerTime } from "./server_time.js";

/** @import {Auth, EventFrame, Failed, FromClient, Question, ReplyTo, ToClient, Welcome} from "../wire.js" */

/** The version of the protocol that is spoken here. */
const PROTO = 1;

/** The sub-protocol that is offered. */
export const SUBPROTOCOL = "adamant.v1.json";

/** How often the connection is looked after, in milliseconds. */
const BEAT_MS = 1_000;

/** How long the server may take from dialling to `welcome`, in milliseconds. */
const OPENING_MAX_MS = 10_000;

/**
 * What is needed of a WebSocket.
 * @typedef {object} Line
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
 * )} Condition
 */

/**
 * @typedef {object} Surroundings what a connection needs of the world
 * @property {() => Line} dial opens a socket
 * @property {() => Auth | undefined} auth who to be, asked before each hello
 * @property {(failed: Failed) => boolean} refused told that a hello was refused; whether to try again
 * @property {() => number} now milliseconds since the epoch
 * @property {() => number} random from 0 up to but not including 1
 * @property {(work: () => void, ms: number) => any} after runs work later
 * @property {(timer: any) => void} cancel prevents that
 */

export class Connection {
  #world;
  #backoff;
  #follower = new Follower();
  #pending = new Pending();
  #pace = new Pace();
  /** @type {Line | undefined} */
  #line;
  /** @type {Condition} */
  #condition = { is: "opening" };
  /** @type {Map<string, Set<(message: any) => void>>} */
  #listeners = new Map();
  /** @type {Welcome | undefined} */
  #welcome;
  #helloId = "";
  #lastId = 0;
  #prefix;
  #openedAt = 0;
  #heardAt = 0;
  #pingedAt = 0;
  /** @type {number | undefined} */
  #restartIn;
  /** @type {any} */
  #timer;
  /** Sends what had to wait for the server's allowance. @type {any} */
  #later;

  /** @param {Surroundings} world */
  constructor(world) {
    this.#world = world;
    this.#backoff = new Backoff(world.random);
    // Ids are remembered by the server for the life of a game, so another visit needs others.
    this.#prefix = Math.floor(world.random() * 36 ** 6).toString(36);
    this.time = new ServerTime(world.now);
  }

  /** How the connection is. */
  get condition() {
    return this.#condition;
  }

  /** What the server said last when it let us in. */
  get welcome() {
    return this.#welcome;
  }

  /** Makes the first attempt, or one after the end or ahead of its time. */
  open() {
    if (this.#line !== undefined) return;
    this.#world.cancel(this.#timer);
    this.#dial();
  }

  /** Drops the connection and says hello anew, as somebody else. */
  reopen() {
    this.#follower.clear();
    this.#welcome = undefined;
    if (this.#line === undefined) this.open();
    else this.#lost(true);
  }

  /**
   * Hears messages of one type that answer no request, and `condition`, `welcome` and `refused`.
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
   * @template {Question} Asked
   * @param {Asked} question
   * @returns {Promise<ReplyTo<Asked["type"]>>} the reply; broken with `Refused` or `Unanswered`
   */
  request(question) {
    if (this.#condition.is === "ended") return Promise.reject(new Unanswered());
    const request = /** @type {FromClient} */ (
      /** @type {unknown} */ ({ ...question, id: question.id ?? this.#nextId() })
    );
    const answer = this.#pending.add(request);
    this.#flush();
    return answer;
  }

  /** Finds out at once whether the line still holds, as after a laptop was opened. */
  probe() {
    if (this.#condition.is === "waiting") this.open();
    else if (this.#condition.is === "open") this.#ping();
  }

  #nextId() {
    this.#lastId += 1;
    return `${this.#prefix}-${this.#lastId}`;
  }

  /**
   * @param {string} type
   * @param {any} message
   */
  #tell(type, message) {
    for (const listener of [...(this.#listeners.get(type) ?? [])]) listener(message);
  }

  /** @param {Condition} condition */
  #become(condition) {
    this.#condition = condition;
    this.#tell("condition", condition);
  }

  #dial() {
    const line = this.#world.dial();
    this.#line = line;
    this.#become({ is: "opening" });
    this.#timer = this.#world.after(() => this.#lost(false), OPENING_MAX_MS);
    line.onopen = () => this.#hello(line);
    line.onmessage = ({ data }) => {
      if (line === this.#line && typeof data === "string") this.#hear(data);
    };
    line.onclose = ({ code, reason }) => {
      if (line === this.#line) this.#closed(code, reason);
    };
  }

  /** @param {Line} line */
  #hello(line) {
    if (line !== this.#line) return;
    this.#helloId = this.#nextId();
    const auth = this.#world.auth();
    line.send(
      JSON.stringify({
        type: "hello",
        id: this.#helloId,
        proto: [PROTO],
        client: { name: "page", version: "1" },
        ...(auth === undefined ? {} : { auth }),
        resume: this.#follower.cursors(),
      }),
    );
  }

  /** @param {string} text */
  #hear(text) {
    this.#heardAt = this.#world.now();
    /** @type {ToClient} */
    const message = JSON.parse(text);
    if (this.#welcome === undefined || this.#condition.is !== "open") this.#hearOpening(message);
    else this.#take(message);
    if (this.#condition.is === "open" && this.#condition.stale) {
      this.#become({ is: "open", stale: false });
    }
  }

  /** @param {ToClient} message */
  #hearOpening(message) {
    if (message.type === "welcome") this.#welcomed(message);
    else if (message.type === "error" && message.re === this.#helloId) {
      if (message.retry === "after") {
        const line = this.#line;
        this.#world.after(() => line && this.#hello(line), message.retry_after_ms ?? 1_000);
      } else this.#refused(message);
    }
  }

  /** @param {Failed} failed */
  #refused(failed) {
    const again = this.#world.refused(failed);
    this.#tell("refused", failed);
    if (again) this.#lost(false);
    else this.#end(REFUSED_HELLO, failed.message);
  }

  /** @param {Welcome} welcome */
  #welcomed(welcome) {
    this.#world.cancel(this.#timer);
    this.#openedAt = this.#world.now();
    this.#restartIn = undefined;
    this.#welcome = welcome;
    this.time.told(welcome.ts);
    this.#pace.allow(welcome.limits, this.#openedAt);
    this.#follower.welcomed(welcome);
    this.#become({ is: "open", stale: false });
    this.#tell("welcome", welcome);
    this.#flush();
    this.#ping();
    this.#beat();
  }

  /** Sends what the present connection does not carry yet, as fast as the server allows. */
  #flush() {
    this.#world.cancel(this.#later);
    if (this.#condition.is !== "open" || this.#line === undefined) return;
    for (let request = this.#pending.unsent(); request !== undefined; request = this.#pending.unsent()) {
      const wait = this.#pace.take(this.#world.now());
      if (wait > 0) {
        this.#later = this.#world.after(() => this.#flush(), wait);
        return;
      }
      this.#pending.carried(request.id);
      this.#follower.asking(request);
      this.#line.send(JSON.stringify(request));
    }
  }

  /** @param {ToClient} message */
  #take(message) {
    if (message.type === "snapshot") this.#follower.snapshot(message);
    if ("re" in message && message.re != null) {
      this.#takeReply(message);
    } else if (message.type === "event") {
      this.#takeEvent(message);
      return;
    } else if (message.type === "notice" && message.what === "restart") {
      this.#restartIn = message.in_ms;
    }
    // A snapshot is news to everybody who shows the game, whoever has asked for it.
    if (!("re" in message) || message.re == null || message.type === "snapshot") {
      this.#tell(message.type, message);
    }
  }

  /** @param {any} reply */
  #takeReply(reply) {
    this.#follower.answered(reply);
    if (reply.type === "pong") this.time.measured(reply);
    const wait = this.#pending.answer(reply);
    if (wait === undefined) return;
    this.#world.after(() => {
      this.#pending.repeat(reply.re);
      this.#flush();
    }, wait);
  }

  /** @param {EventFrame} event */
  #takeEvent(event) {
    const verdict = this.#follower.event(event);
    if (verdict.is === "next") this.#tell("event", event);
    else if (verdict.is === "missing") {
      this.request({ type: "watch", game: event.game, from: verdict.from }).catch(() => {});
    }
  }

  #ping() {
    this.#pingedAt = this.#world.now();
    this.request({ type: "ping", t0: this.#pingedAt }).catch(() => {});
  }

  /** Looks after the connection: asks whether the other side is there, and leaves it if not. */
  #beat() {
    const line = this.#line;
    this.#timer = this.#world.after(() => {
      if (line !== this.#line || this.#condition.is !== "open" || !this.#welcome) return;
      const { ping_every_ms: every, idle_close_ms: idle } = this.#welcome.heartbeat;
      const now = this.#world.now();
      if (now - this.#heardAt >= idle) {
        this.#lost(false);
        return;
      }
      if (now - this.#pingedAt >= every) this.#ping();
      const stale = now - this.#heardAt >= every * 1.5;
      if (stale !== this.#condition.stale) this.#become({ is: "open", stale });
      this.#beat();
    }, BEAT_MS);
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #closed(code, reason) {
    if (mayComeBack(code)) this.#lost(false);
    else this.#end(code, reason);
  }

  /**
   * The line is gone, or is given up.
   * @param {boolean} atOnce
   */
  #lost(atOnce) {
    this.#drop();
    this.#follower.connectionLost();
    this.#pending.connectionLost();
    const now = this.#world.now();
    if (this.#openedAt > 0 && now - this.#openedAt >= STEADY_AFTER_MS) this.#backoff.reset();
    this.#openedAt = 0;
    const own = this.#backoff.next();
    // The server spreads its clients itself when it names a time.
    const restart = this.#restartIn !== undefined;
    const wait = atOnce ? 0 : (this.#restartIn ?? own);
    this.#restartIn = undefined;
    this.#become({ is: "waiting", until: now + wait, restart });
    this.#timer = this.#world.after(() => this.#dial(), wait);
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #end(code, reason) {
    this.#drop();
    this.#become({ is: "ended", code, reason });
    this.#pending.close();
  }

  #drop() {
    this.#world.cancel(this.#timer);
    this.#world.cancel(this.#later);
    const line = this.#line;
    this.#line = undefined;
    if (line === undefined) return;
    line.onopen = line.onmessage = line.onclose = null;
    line.close();
  }
}

export { Refused, Unanswered };
