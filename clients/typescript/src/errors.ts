// What can go wrong. Every error has a `code` that does not change; messages are for people.

import type { Failed } from "./protocol.js";

const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** A server's text without what would move a terminal's cursor, rename its window or fill the clipboard. */
export function plain(text: string): string {
  return text.replace(CONTROL, "\ufffd");
}

/** The base of all errors of this package. */
export class AdamantError extends Error {
  /** A word for programs, such as `name_taken` or `connection_lost`. A later server may send further words. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(plain(message), options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** There is no connection. `code` is `unreachable`, `timeout`, `closed`, or the server's, such as `name_taken`. */
export class ConnectError extends AdamantError {
  /** Whether a later attempt may succeed. */
  readonly mayRetry: boolean;
  /** The wait that the server asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, mayRetry = true, retryAfterMs?: number, options?: ErrorOptions) {
    super(code, message, options);
    this.mayRetry = mayRetry;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The server refused a request. The message is the server's sentence, `code` its code, such as `illegal_move`. */
export class RequestError extends AdamantError {
  /** The whole error frame: `why` of an illegal move, `limit`, `turn` and the like. */
  readonly frame: Failed;

  constructor(frame: Failed) {
    super(frame.code, `${frame.message} (${frame.code})`);
    this.frame = frame;
  }

  /** `never`, `same`, `after` or `resync`. */
  get retry(): string {
    return this.frame.retry;
  }

  /** The wait that the server asks for. */
  get retryAfterMs(): number | undefined {
    return this.frame.retry_after_ms;
  }
}

/**
 * The connection broke before the reply arrived. The server may have carried the request out.
 *
 * Only requests that may not be sent twice fail like this; the client sends all others again.
 */
export class ConnectionLost extends AdamantError {
  constructor(type: string) {
    super("connection_lost", `the connection broke before the answer to ${type} arrived`);
  }
}

/** The connection has ended for good. */
export class Closed extends AdamantError {
  /** The server's close code, if it sent one. */
  readonly closeCode: number | undefined;
  /** Whether the program itself closed the client. */
  readonly byProgram: boolean;

  constructor(message: string, closeCode?: number, byProgram = false) {
    super("closed", message);
    this.closeCode = closeCode;
    this.byProgram = byProgram;
  }
}

/** The request is larger than the server accepts. */
export class TooLarge extends AdamantError {
  constructor(bytes: number, limit: number) {
    super("too_large", `the request has ${bytes} bytes; the server accepts ${limit}`);
  }
}

/** Too many requests wait for their replies. */
export class TooManyPending extends AdamantError {
  constructor(limit: number) {
    super("too_many_pending", `${limit} requests wait for their replies`);
  }
}

/** Frames were lost because the program did not read them. Begin to iterate at once. */
export class InboxOverflow extends AdamantError {
  constructor() {
    super("inbox_overflow", "frames were lost because the program did not read them");
  }
}
