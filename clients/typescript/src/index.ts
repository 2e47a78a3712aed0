// A client of the Adamant game server for programs: typed requests, games to follow, and bots.
//
// The client survives lost connections: it connects again, resumes each game behind the last event that it has, and
// sends what was not answered again, under the same id.

export { Bot, type RunOptions } from "./bot.js";
export type { Challenge, Client } from "./client.js";
export { connect, type ConnectOptions, type TokenStore } from "./connect.js";
export {
  AdamantError,
  Closed,
  ConnectError,
  ConnectionLost,
  InboxOverflow,
  RequestError,
  TooLarge,
  TooManyPending,
} from "./errors.js";
export type { Game } from "./game.js";
export { type Limits, LIMITS } from "./limits.js";
export type { Log } from "./log.js";
export type * as protocol from "./protocol.js";
export type { Fields, ReplyTo, Request, RequestOptions, RequestType } from "./requests.js";
export type { Socket, SocketConstructor } from "./session.js";
export type { Seat } from "./state.js";
export { VERSION } from "./version.js";
