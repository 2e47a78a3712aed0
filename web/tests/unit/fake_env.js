// An environment for a connection under the test's control: its time and its server.

import assert from "node:assert/strict";
import { Connection } from "../../src/net/connection.js";

/** @import {Auth, Failed} from "../../src/wire.js" */
/** @import {Socket} from "../../src/net/connection.js" */

/** A socket whose other end is the test. @implements {Socket} */
export class FakeSocket {
  /** Frames that were sent and not yet looked at. @type {any[]} */
  sent = [];
  closed = false;
  /** @type {Socket["onopen"]} */
  onopen = null;
  /** @type {Socket["onmessage"]} */
  onmessage = null;
  /** @type {Socket["onclose"]} */
  onclose = null;

  /** @param {string} text */
  send(text) {
    assert.ok(!this.closed, "nothing is sent on a closed socket");
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.closed = true;
  }

  /** The next frame of a type, letting others pass. @param {string} type */
  next(type) {
    const at = this.sent.findIndex((frame) => frame.type === type);
    assert.ok(at >= 0, `no ${type} among ${JSON.stringify(this.sent)}`);
    return this.sent.splice(at, 1)[0];
  }

  /** @param {string} type */
  has(type) {
    return this.sent.some((frame) => frame.type === type);
  }

  /** @param {object} message */
  receive(message) {
    this.onmessage?.call(this, { data: JSON.stringify(message) });
  }

  /** @param {number} code */
  disconnect(code, reason = "") {
    this.closed = true;
    this.onclose?.call(this, { code, reason });
  }
}

export class FakeEnv {
  now = 1_000_000;
  /** @type {{ at: number, work: () => void }[]} */
  #timers = [];
  /** @type {FakeSocket[]} */
  sockets = [];
  /** @type {Auth | undefined} */
  auth = undefined;
  /** @type {(failed: Failed) => boolean} */
  onHelloError = () => false;
  random = 0.5;

  constructor() {
    this.connection = new Connection({
      dial: () => {
        const socket = new FakeSocket();
        this.sockets.push(socket);
        return socket;
      },
      auth: () => this.auth,
      onHelloError: (failed) => this.onHelloError(failed),
      now: () => this.now,
      random: () => this.random,
      after: (work, ms) => {
        const timer = { at: this.now + ms, work };
        this.#timers.push(timer);
        return timer;
      },
      cancel: (timer) => {
        this.#timers = this.#timers.filter((other) => other !== timer);
      },
    });
  }

  /** The socket that was opened last. */
  get socket() {
    const socket = this.sockets.at(-1);
    assert.ok(socket, "no socket was opened");
    return socket;
  }

  /** Lets time pass, and what is due happen in its order. @param {number} ms */
  advance(ms) {
    const until = this.now + ms;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= until).sort((one, other) => one.at - other.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.now = Math.max(this.now, due.at);
      due.work();
    }
    this.now = until;
  }

  /** Advances the time to the next attempt to connect. */
  reconnect() {
    const { state } = this.connection;
    assert.equal(state.is, "waiting");
    if (state.is === "waiting") this.advance(state.until - this.now);
  }

  /**
   * Opens the socket and sends `welcome`. `more` adds fields to it.
   * @param {object} [more] what the welcome says besides
   */
  welcome(more = {}) {
    this.socket.onopen?.call(this.socket, {});
    const hello = this.socket.next("hello");
    this.socket.receive({
      type: "welcome",
      re: hello.id,
      ts: this.now,
      user: { name: "ann", bot: false, guest: true },
      rules: { adamas: 1 },
      heartbeat: { ping_every_ms: 10_000, idle_close_ms: 30_000 },
      limits: { burst: 0, per_s: 0 },
      games: [],
      challenges: [],
      ...more,
    });
    return hello;
  }
}

/**
 * @param {string} game
 * @param {number} seq
 */
export function event(game, seq, kind = "started") {
  return { type: "event", game, seq, kind, at: 1, hash: "0", chain: `chain-${seq}` };
}
