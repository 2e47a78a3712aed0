// Requests without a reply. Each is answered, sent again or rejected.

/** @import {Failed, Reply, Request} from "../wire.js" */

/** Requests that may wait at the same time. */
const PENDING_MAX = 256;

/** How often one request is sent again when the server asks for it. */
const RETRIES_MAX = 4;

/**
 * Requests that change something. The server knows them by their ids, so they are safe to repeat.
 */
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

/** The server's error reply to a request. */
export class RequestError extends Error {
  /** @param {Failed} failed */
  constructor(failed) {
    super(failed.message);
    this.name = "RequestError";
    this.failed = failed;
  }
}

/** The connection broke before the reply came, or is closed. */
export class ConnectionLost extends Error {
  constructor() {
    super("the connection broke before the answer came");
    this.name = "ConnectionLost";
  }
}

/**
 * @typedef {object} PendingRequest
 * @property {Request} request
 * @property {boolean} sent whether it was sent on the current connection
 * @property {number} retries how often the server asked for it again
 * @property {(reply: any) => void} resolve
 * @property {(error: Error) => void} reject
 */

export class PendingRequests {
  /** In the order of their creation. @type {Map<string, PendingRequest>} */
  #requests = new Map();

  /**
   * Adds a request. The promise settles exactly once.
   * @param {Request} request
   * @returns {Promise<any>}
   */
  add(request) {
    if (this.#requests.size >= PENDING_MAX) return Promise.reject(new ConnectionLost());
    return new Promise((resolve, reject) => {
      this.#requests.set(request.id, { request, sent: false, retries: 0, resolve, reject });
    });
  }

  /** Returns the next request that the current connection has not sent. Acts go before queries. */
  nextUnsent() {
    const unsent = [...this.#requests.values()].filter((pending) => !pending.sent);
    const next = unsent.find(({ request }) => RETRIED.has(request.type)) ?? unsent[0];
    return next?.request;
  }

  /**
   * Marks a request as sent on the current connection.
   * @param {string} id
   */
  markSent(id) {
    const pending = this.#requests.get(id);
    if (pending !== undefined) pending.sent = true;
  }

  /**
   * Settles the request of a reply. Returns the delay in milliseconds if the server wants the
   * request again.
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
   * Marks a request to be sent again.
   * @param {string} id
   */
  markUnsent(id) {
    const pending = this.#requests.get(id);
    if (pending !== undefined) pending.sent = false;
  }

  /** Keeps acts and unsent requests for the next connection and rejects the rest. */
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

  /** Rejects all requests: there will be no further connection. */
  close() {
    for (const pending of this.#requests.values()) pending.reject(new ConnectionLost());
    this.#requests.clear();
  }
}

/** The longest delay, in milliseconds, that the page waits without an error message. */
const SILENT_WAIT_MAX_MS = 5_000;

/**
 * Returns the delay in milliseconds before the same request makes sense again, if it does.
 * @param {Failed} failed
 * @returns {number | undefined}
 */
function retryDelay(failed) {
  if (failed.retry === "same") return 250;
  const wait = failed.retry === "after" ? failed.retry_after_ms : undefined;
  return wait != null && wait <= SILENT_WAIT_MAX_MS ? wait : undefined;
}
