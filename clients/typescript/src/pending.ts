// Requests that wait for their replies. Each one is answered, sent again or failed.

import { type AdamantError, ConnectionLost, TooManyPending } from "./errors.js";
import type { Reply } from "./requests.js";
import { REPEATABLE } from "./requests.js";

/** A request that waits for its reply. Every attempt sends the same text. */
export class Pending {
  readonly id: string;
  readonly type: string;
  readonly text: string;
  readonly reply: Promise<Reply>;
  wasSent = false;
  answer: (reply: Reply) => void = () => undefined;
  fail: (error: AdamantError) => void = () => undefined;

  constructor(id: string, type: string, text: string) {
    this.id = id;
    this.type = type;
    this.text = text;
    this.reply = new Promise((resolve, reject) => {
      this.answer = resolve;
      this.fail = reject;
    });
    // A caller that has stopped waiting does not hear of a failure.
    this.reply.catch(() => undefined);
  }
}

/** The pending requests, oldest first. */
export class PendingRequests {
  readonly #byId = new Map<string, Pending>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds the request of a caller. */
  add(request: Pending): void {
    if (this.#byId.size >= this.#max) throw new TooManyPending(this.#max);
    if (this.#byId.has(request.id)) {
      throw new TypeError(`a request with the id "${request.id}" waits for its reply already`);
    }
    this.#byId.set(request.id, request);
  }

  /** Adds a request of the client itself. The number of these is bounded by that of the games. */
  addOwn(request: Pending): void {
    this.#byId.set(request.id, request);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  remove(id: string): Pending | undefined {
    const request = this.#byId.get(id);
    this.#byId.delete(id);
    return request;
  }

  /** The oldest request that this connection has not sent. */
  unsent(): Pending | undefined {
    for (const request of this.#byId.values()) if (!request.wasSent) return request;
    return undefined;
  }

  /** Keeps what the next connection may send again, and fails the rest. */
  connectionLost(): void {
    for (const request of [...this.#byId.values()]) {
      if (request.wasSent && !REPEATABLE.has(request.type)) {
        this.#byId.delete(request.id);
        request.fail(new ConnectionLost(request.type));
      }
      request.wasSent = false;
    }
  }

  close(error: AdamantError): void {
    for (const request of this.#byId.values()) request.fail(error);
    this.#byId.clear();
  }
}
