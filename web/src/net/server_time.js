// The server's time, from the replies to `ping`.

/** @import {Pong} from "../wire.js" */

/** Measurements that are kept. The one with the shortest round trip counts. */
const SAMPLES_MAX = 8;

export class ServerTime {
  /** @type {{ offset: number, roundTrip: number }[]} */
  #samples = [];
  #now;
  /** The time at which the clock was stopped, if it was. @type {number | undefined} */
  #stoppedAt;

  /** @param {() => number} now a clock of this machine, in milliseconds */
  constructor(now) {
    this.#now = now;
  }

  /**
   * Starts again from a time that the server has just sent.
   * @param {number} ts
   */
  reset(ts) {
    this.#samples = [{ offset: ts - this.#now(), roundTrip: Number.MAX_SAFE_INTEGER }];
  }

  /**
   * Adds the reply to a ping.
   * @param {Pong} pong
   */
  addSample(pong) {
    if (pong.t0 == null) return;
    const back = this.#now();
    const roundTrip = back - pong.t0 - (pong.t2 - pong.t1);
    if (roundTrip < 0) return;
    this.#samples.push({ offset: (pong.t1 - pong.t0 + pong.t2 - back) / 2, roundTrip });
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
  }

  /** Drops the measurements, but keeps what they say until the next one. */
  measureAnew() {
    this.reset(this.#running());
  }

  /** Stops the clock. */
  stop() {
    this.#stoppedAt ??= this.#running();
  }

  /** Lets the clock run on from the right time. */
  go() {
    this.#stoppedAt = undefined;
  }

  /** Returns the server's time, in milliseconds since the epoch; while stopped, the time of the stop. */
  now() {
    return this.#stoppedAt ?? this.#running();
  }

  #running() {
    let best = { offset: 0, roundTrip: Number.POSITIVE_INFINITY };
    for (const sample of this.#samples) if (sample.roundTrip < best.roundTrip) best = sample;
    return this.#now() + best.offset;
  }
}
