// Requests that wait for their replies. Each is answered, sent again, or failed; none is forgotten.

/** @import {Failed, Reply, Request} from "../wire.js" */

/** Requests that may wait at once. */
export const PENDING_MAX = 256;

/** How often one request is sent again because the server asked for it. */
const REPEATS_MAX = 4;

/** Requests that change something and that the server knows by their id, so that they may be sent again. */
const ACTS = new Set([
  "move",
  "resign",
  "abort",
  "offer",
  "answer",
  "withdraw",
  "claim",
  "say",
]);

/** The server's no to a request. */
export class Refused extends Error {
  /** @param {Failed} failed */
  constructor(failed) {
    super(failed.message);
    this.name = "Refused";
    this.failed = failed;
  }
}

/** The connection broke before the answer came, or there is none any more. */
export class Unanswered extends Error {
  constructor() {
    super("the connection broke before the answer came");
    this.name = "Unanswered";
  }
}

/**
 * @typedef {object} Waiting
 * @property {Request} request
 * @property {boolean} sent whether the present connection carries it
 * @property {number} repeats how often it was sent again at the server's wish
 * @property {(reply: any) => void} resolve
 * @property {(error: Error) => void} reject
 */

export class Pending {
  /** In the order in which they were made. @type {Map<string, Waiting>} */
  #waiting = new Map();

  /**
   * Takes a request in. The promise is kept or broken exactly once.
   * @param {Request} request
   * @returns {Promise<any>}
   */
  add(request) {
    if (this.#waiting.size >= PENDING_MAX) return Promise.reject(new Unanswered());
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { request, sent: false, repeats: 0, resolve, reject });
    });
  }

  /** The next one that the present connection does not carry yet: acts go before questions. */
  unsent() {
    const unsent = [...this.#waiting.values()].filter((waiting) => !waiting.sent);
    const next = unsent.find(({ request }) => ACTS.has(request.type)) ?? unsent[0];
    return next?.request;
  }

  /**
   * Takes note that the present connection carries a request.
   * @param {string} id
   */
  carried(id) {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) waiting.sent = true;
  }

  /**
   * Settles the request that a reply answers. If the server wants it again later, the answer is
   * after how many milliseconds to look at what is unsent.
   * @param {Reply} reply
   * @returns {number | undefined}
   */
  answer(reply) {
    const waiting = this.#waiting.get(reply.re ?? "");
    if (waiting === undefined) return undefined;
    if (reply.type === "error" && waiting.repeats < REPEATS_MAX) {
      const wait = waitOf(reply);
      if (wait !== undefined) {
        waiting.repeats += 1;
        return wait;
      }
    }
    this.#waiting.delete(waiting.request.id);
    if (reply.type === "error") waiting.reject(new Refused(reply));
    else waiting.resolve(reply);
    return undefined;
  }

  /**
   * Lets a request be sent again.
   * @param {string} id
   */
  repeat(id) {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) waiting.sent = false;
  }

  /** Acts, and what was never sent, wait for the next connection; the rest fails. */
  connectionLost() {
    for (const waiting of [...this.#waiting.values()]) {
      if (ACTS.has(waiting.request.type) || !waiting.sent) {
        waiting.sent = false;
        continue;
      }
      this.#waiting.delete(waiting.request.id);
      waiting.reject(new Unanswered());
    }
  }

  /** Fails everything: there will be no further connection. */
  close() {
    for (const waiting of this.#waiting.values()) waiting.reject(new Unanswered());
    this.#waiting.clear();
  }
}

/** The longest wait, in milliseconds, that a person is made to sit through without being told. */
const QUIET_WAIT_MAX_MS = 5_000;

/**
 * After how long the same request makes sense again, if it does.
 * @param {Failed} failed
 * @returns {number | undefined}
 */
function waitOf(failed) {
  if (failed.retry === "same") return 250;
  const wait = failed.retry === "after" ? failed.retry_after_ms : undefined;
  return wait != null && wait <= QUIET_WAIT_MAX_MS ? wait : undefined;
}
