// Which fields a request has, and which reply belongs to it. Types, but for one table.

import type { Failed, FromClient, ToClient } from "./protocol.js";

/** The `type` of the replies that are not a plain `ok`. The schema does not say which reply belongs to a request. */
export const REPLIES = {
  analyse: ["analysis"],
  blocks: ["blocks"],
  bot_list: ["bots"],
  catalogue: ["catalogue"],
  challenges: ["challenges"],
  directory: ["directory"],
  explore: ["explored"],
  games: ["games"],
  hints: ["hints"],
  history: ["history"],
  invite_info: ["invite"],
  invites: ["invites"],
  layout: ["layout"],
  live: ["live"],
  lobby: ["lobby"],
  mail_get: ["mail"],
  moves: ["moves"],
  mutes: ["mutes"],
  ping: ["pong"],
  positions: ["positions"],
  push_list: ["push_subscriptions"],
  settings_get: ["settings"],
  settings_set: ["settings"],
  signature: ["signature"],
  standings: ["standings"],
  stats: ["stats"],
  talk: ["talk"],
  token_list: ["tokens"],
  tv: ["tv"],
  user: ["user"],
  watch: ["snapshot", "ok"],
  webhook_get: ["webhook"],
} as const satisfies Partial<Record<RequestType, readonly ToClient["type"][]>>;

/** The requests that a program sends. The client sends `hello` itself. */
export type Request = Exclude<FromClient, { type: "hello" }>;

/** The words of the requests. */
export type RequestType = Request["type"];

type Without<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;

/** The fields of a request. The client chooses the id, unless it is given. */
export type Fields<T extends RequestType> = Without<Extract<Request, { type: T }>, "type" | "id"> & { id?: string };

/** The reply to a request that succeeds. */
export type ReplyTo<T extends string> = Extract<
  ToClient,
  { type: T extends keyof typeof REPLIES ? (typeof REPLIES)[T][number] : "ok" }
>;

/** Any reply. */
export type Reply = ReplyTo<RequestType> | Failed;

/** How a request is sent. */
export interface RequestOptions {
  /** Stops the wait for the reply. A move and the like still reaches the server. */
  signal?: AbortSignal;
}

/** What follows the type of a request: its fields, which may be left out if none is needed. */
export type Arguments<T extends RequestType> =
  Record<never, never> extends Fields<T>
    ? [fields?: Fields<T>, options?: RequestOptions]
    : [fields: Fields<T>, options?: RequestOptions];

/** What a game needs of the client that follows it. */
export interface Requester {
  readonly name: string | undefined;
  serverTime(): number;
  throwIfClosed(): void;
  request<T extends RequestType>(type: T, ...args: Arguments<T>): Promise<ReplyTo<T>>;
}

/** Requests that the server recognises by their id when they arrive twice. */
export const ACTS: ReadonlySet<string> = new Set<RequestType>([
  "move",
  "resign",
  "abort",
  "offer",
  "answer",
  "withdraw",
  "claim",
  "rematch",
  "say",
  "unsay",
]);

/** Replies of requests that change something which lasts. */
const CHANGING: ReadonlySet<string> = new Set<RequestType>(["settings_set"]);

/** Requests that may be sent twice: acts, and requests that change nothing which lasts. */
export const REPEATABLE: ReadonlySet<string> = new Set<string>([
  ...ACTS,
  ...Object.keys(REPLIES).filter((type) => !CHANGING.has(type)),
  "try",
  "unwatch",
]);
