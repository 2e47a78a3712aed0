// Requests that wait for their replies. Each is answered, sent again, or failed; none is forgotten.

/** @import {Failed, Reply, Request} from "../wire.js" */

/** Requests that may wait at once. */
export const PENDING_MAX = 256;

/** How often one request is sent again because the server asked for it. */
const RETRIES_MAX = 4;

/** Requests that change something and that the server knows by their id, so that they may be sent again. */
const RETRIED = new Set([
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
export class RequestError extends Error {
  /** @param {Failed} failed */
  constructor(failed) {
    super(failed.message);
    this.name = "RequestError";
    this.failed = failed;
  }
}

/** The connection broke before the answer came, or there is none any more. */
export class ConnectionLost extends Error {
  constructor() {
    super("the connection broke before the answer came");
    this.name = "ConnectionLost";
  }
}

/**
 * @typedef {object} PendingRequest
 * @property {Request} request
 * @property {boolean} sent whether the present connection carries it
 * @property {number} retries how often it was sent again at the server's wish
 * @property {(reply: any) => void} resolve
 * @property {(error: Error) => void} reject
 */

export class PendingRequests {
  /** In the order in which they were made. @type {Map<string, PendingRequest>} */
  #requests = new Map();

  /**
   * Takes a request in. The promise is kept or broken exactly once.
   * @param {Request} request
   * @returns {Promise<any>}
   */
  add(request) {
    if (this.#requests.size >= PENDING_MAX) return Promise.reject(new ConnectionLost());
    return new Promise((resolve, reject) => {
      this.#requests.set(request.id, { request, sent: false, retries: 0, resolve, reject });
    });
  }

  /** The next one that the present connection does not carry yet: acts go before questions. */
  nextUnsent() {
    const unsent = [...this.#requests.values()].filter((pending) => !pending.sent);
    const next = unsent.find(({ request }) => RETRIED.has(request.type)) ?? unsent[0];
    return next?.request;
  }

  /**
   * Takes note that the present connection carries a request.
   * @param {string} id
   */
  markSent(id) {
    const pending = this.#requests.get(id);
    if (pending !== undefined) pending.sent = true;
  }

  /**
   * Settles the request that a reply answers. If the server wants it again later, the answer is
   * after how many milliseconds to look at what is unsent.
   * @param {Reply} reply
   * @returns {number | undefined}
   */
  onReply(reply) {
    const pending = this.#requests.get(reply.re ?? "");
    if (pending === undefined) return undefined;
    if (reply.type === "error" && pending.retries < RETRIES_MAX) {
      const wait = retryDelay(reply);
      if (wait !== undefined) {
        pending.retries += 1;
        return wait;
      }
    }
    this.#requests.delete(pending.request.id);
    if (reply.type === "error") pending.reject(new RequestError(reply));
    else pending.resolve(reply);
    return undefined;
  }

  /**
   * Lets a request be sent again.
   * @param {string} id
   */
  markUnsent(id) {
    const pending = this.#requests.get(id);
    if (pending !== undefined) pending.sent = false;
  }

  /** Acts, and what was never sent, wait for the next connection; the rest fails. */
  onDisconnect() {
    for (const pending of [...this.#requests.values()]) {
      if (RETRIED.has(pending.request.type) || !pending.sent) {
        pending.sent = false;
        continue;
      }
      this.#requests.delete(pending.request.id);
      pending.reject(new ConnectionLost());
    }
  }

  /** Fails everything: there will be no further connection. */
  close() {
    for (const pending of this.#requests.values()) pending.reject(new ConnectionLost());
    this.#requests.clear();
  }
}

/** The longest wait, in milliseconds, that a person is made to sit through without being told. */
const SILENT_WAIT_MAX_MS = 5_000;

/**
 * After how long the same request makes sense again, if it does.
 * @param {Failed} failed
 * @returns {number | undefined}
 */
function retryDelay(failed) {
  if (failed.retry === "same") return 250;
  const wait = failed.retry === "after" ? failed.retry_after_ms : undefined;
  return wait != null && wait <= SILENT_WAIT_MAX_MS ? wait : undefined;
}
