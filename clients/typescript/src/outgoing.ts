// What the client sends: requests with their replies, within the server's rate.

import { type AdamantError, RequestError } from "./errors.js";
import type { Limits } from "./limits.js";
import { Rate } from "./pace.js";
import { Pending, PendingRequests } from "./pending.js";
import { ACTS, REPEATABLE, type Reply } from "./requests.js";
import type { Session } from "./session.js";
import { pause, until } from "./waiting.js";

/** The requests of a client, on one connection after the other. */
export class Outgoing {
  readonly #limits: Limits;
  readonly #log: (text: string) => void;
  readonly #pending: PendingRequests;
  #session: Session | undefined;
  #rate: Rate | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #end: AdamantError | undefined;

  constructor(limits: Limits, log: (text: string) => void) {
    this.#limits = limits;
    this.#log = log;
    this.#pending = new PendingRequests(limits.pendingMax);
  }

  /** Sends a request, again if the server asks for it, and returns its reply. Throws `RequestError`. */
  async request(id: string, type: string, text: string, signal: AbortSignal | undefined): Promise<Reply> {
    for (let attempt = 0; ; attempt += 1) {
      if (this.#end !== undefined) throw this.#end;
      const reply = await this.#reply(new Pending(id, type, text), signal);
      if (reply.type !== "error") return reply;
      const error = new RequestError(reply);
      const wait = this.#retryWait(type, error, attempt);
      if (wait === undefined) throw error;
      this.#log(`${type}: ${error.message}; sent again in ${Math.round(wait)} ms`);
      await pause(wait, signal);
    }
  }

  /** Sends a request of the client itself, to which no caller waits for a reply. */
  sendOwn(id: string, type: string, text: string): void {
    this.#pending.addOwn(new Pending(id, type, text));
    this.#flush();
  }

  /** Whether a request waits for its reply. */
  isPending(id: string): boolean {
    return this.#pending.has(id);
  }

  remove(id: string): void {
    this.#pending.remove(id);
  }

  answer(re: string, reply: Reply): void {
    this.#pending.remove(re)?.answer(reply);
  }

  opened(session: Session, rates: { per_s: number; burst: number }): void {
    this.#session = session;
    this.#rate = new Rate(rates, this.#limits.rateShare);
    this.#flush();
  }

  connectionLost(): void {
    clearTimeout(this.#timer);
    this.#session = undefined;
    this.#pending.connectionLost();
  }

  close(error: AdamantError): void {
    clearTimeout(this.#timer);
    this.#end = error;
    this.#pending.close(error);
  }

  async #reply(request: Pending, signal: AbortSignal | undefined): Promise<Reply> {
    signal?.throwIfAborted();
    this.#pending.add(request);
    this.#flush();
    try {
      return await until(request.reply, signal);
    } catch (error) {
      // The server may have an act already, or may get it: it has to reach its end.
      if (!ACTS.has(request.type)) this.#pending.remove(request.id);
      throw error;
    }
  }

  /** How long to wait before a refused request is sent again, unchanged; `undefined` if it is not. */
  #retryWait(type: string, error: RequestError, attempt: number): number | undefined {
    const { retriesMax, retryWaitMaxMs, retryWaitMinMs } = this.#limits;
    if (attempt >= retriesMax) return undefined;
    let named = Infinity;
    if (error.retry === "after") named = error.retryAfterMs ?? 1000;
    else if (error.retry === "same" && REPEATABLE.has(type)) named = 0;
    return named <= retryWaitMaxMs ? Math.max(named, retryWaitMinMs * 2 ** attempt) : undefined;
  }

  /** Sends what this connection has not sent yet, oldest first, as fast as the server's rate allows. */
  #flush(): void {
    clearTimeout(this.#timer);
    if (this.#session === undefined || this.#rate === undefined) return;
    for (let request = this.#pending.unsent(); request !== undefined; request = this.#pending.unsent()) {
      const wait = this.#rate.take();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.#flush(), wait);
        return;
      }
      request.wasSent = true;
      this.#session.send(request.text);
    }
  }
}
