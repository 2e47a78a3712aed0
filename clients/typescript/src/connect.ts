// How a program reaches a server.

import { isExposed, webSocketUrl } from "./address.js";
import { Client } from "./client.js";
import { ConnectError } from "./errors.js";
import { LIMITS, type Limits } from "./limits.js";
import { DEFAULT_LOG, type Log } from "./log.js";
import type { Auth, Software } from "./protocol.js";
import type { SocketConstructor } from "./session.js";
import { VERSION } from "./version.js";

/** Keeps the secret of a user from one run to the next. */
export interface TokenStore {
  /** Returns the token that is kept, if there is one. */
  read(): string | undefined | null | Promise<string | undefined | null>;
  write(token: string): void | Promise<void>;
}

/** How to connect, and as whom. */
export interface ConnectOptions {
  /** Comes back as the user of this secret. */
  token?: string;
  /** Comes as a new guest of this name. */
  name?: string;
  /** Whether the guest is a program, as it is by default. Other users see that. */
  bot?: boolean;
  /** With `password`: logs in to an account. */
  user?: string;
  password?: string;
  /**
   * Keeps the secret. If it has one, that counts instead of `name`, `user` and `password`; if not, the client writes
   * the token that it gets, so that the next run comes back as the same user.
   */
  tokenStore?: TokenStore;
  /** What the server sends along. `legal` and `position` fill `Game.legal` and `Game.position` on your turn. */
  caps?: readonly string[];
  /** The name and version of your program, for the server's log. */
  software?: Software;
  /** Closes the client, also while it connects. */
  signal?: AbortSignal;
  /** The WebSocket to use where the platform has none, such as that of the package `ws` on Node 20. */
  WebSocket?: SocketConstructor;
  /** Where to report what happens: by default warnings and errors go to the console. */
  log?: Log;
  /** Times and sizes that differ from `LIMITS`. */
  limits?: Partial<Limits>;
}

/**
 * Opens a session with the server at `wss://host`, `ws://host:port` or `host:port`. Without a scheme the connection is
 * encrypted, except to this machine.
 *
 * Without a token, a name or a log-in the session may watch and sign up, but not play. The first attempt throws
 * `ConnectError` if it fails. Later the client connects again by itself.
 */
export async function connect(url: string, options: ConnectOptions = {}): Promise<Client> {
  const address = webSocketUrl(url);
  const kept = options.token === undefined ? ((await options.tokenStore?.read()) ?? undefined) : undefined;
  const auth = authOf(options, kept);
  const log = options.log ?? DEFAULT_LOG;
  if (auth !== undefined && isExposed(address) && !told.has(address)) {
    told.add(address);
    log.warn(`${address} is not encrypted: whoever is on the way reads the password or the token`);
  }
  const client = new Client({
    url: address,
    auth,
    caps: options.caps ?? ["legal", "position"],
    software: options.software ?? { name: "@adamant/client", version: VERSION },
    WebSocket: options.WebSocket ?? platformSocket(),
    limits: { ...LIMITS, ...options.limits },
    log,
  });
  try {
    await client._start(options.signal);
  } catch (error) {
    if (kept === undefined || !(error instanceof ConnectError) || error.code !== "unauthorized") throw error;
    const message = `${error.message}: the token that is kept has ended; delete it to begin as another user`;
    throw new ConnectError(error.code, message, false, undefined, { cause: error });
  }
  const { token } = client.welcome;
  if (kept !== undefined || token === undefined) return client;
  try {
    await options.tokenStore?.write(token);
  } catch (error) {
    await client.close();
    throw error;
  }
  return client;
}

/** The addresses without encryption of which a log has been told. */
const told = new Set<string>();

function authOf(options: ConnectOptions, kept: string | undefined): Auth | undefined {
  const { token = kept, name, bot = true, user, password } = options;
  if (token !== undefined) return { token };
  if (user !== undefined && password !== undefined) return { user, password };
  if (user !== undefined || password !== undefined) throw new TypeError("a log-in needs both user and password");
  return name === undefined ? undefined : { guest: name, bot };
}

function platformSocket(): SocketConstructor {
  if (typeof WebSocket === "function") return WebSocket;
  throw new TypeError("this platform has no WebSocket: pass the one of the package ws as the option WebSocket");
}
