// The server's time, from the replies to `ping`.

/** @import {Pong} from "../wire.js" */

/** Measurements that are kept. The one with the shortest round trip counts. */
const SAMPLES_MAX = 8;

export class ServerTime {
  /** @type {{ offset: number, roundTrip: number }[]} */
  #samples = [];
  #now;

  /** @param {() => number} now this machine's time, in milliseconds since the epoch */
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

  /** Returns the server's time, in milliseconds since the epoch. */
  now() {
    let best = { offset: 0, roundTrip: Number.POSITIVE_INFINITY };
    for (const sample of this.#samples) if (sample.roundTrip < best.roundTrip) best = sample;
    return this.#now() + best.offset;
  }
}
