// The limits of this client.

/** All times, in milliseconds, and sizes. `connect` takes others as `limits`. */
export const LIMITS = {
  /** The longest that dialling, the handshake and `hello` may take together. */
  openTimeoutMs: 10_000,
  /** The longest wait before the first attempt to connect again. It doubles with each attempt. */
  firstWaitMaxMs: 250,
  /**
   * The longest wait before an attempt to connect again in the first `eagerForMs` after a loss: clocks of a few seconds
   * a move run again once the server is back.
   */
  eagerWaitMaxMs: 3_000,
  /** How long after a loss the waits stay short: most restarts end within it. */
  eagerForMs: 60_000,
  /** The longest wait before a later attempt, unless the server asks for a longer one. */
  waitMaxMs: 15_000,
  /** The lifetime after which a connection counts as good, so that the waits begin again. */
  steadyAfterMs: 15_000,
  /** How long the server may be silent before the client asks whether it is there. */
  pingAfterMs: 10_000,
  /** The longest wait for the answer. The connection then counts as dead. */
  pingTimeoutMs: 20_000,
  /** The longest that the closing handshake may take. */
  closeTimeoutMs: 1_000,
  /** The largest frame that a server accepts, in bytes, until `welcome` names another limit. */
  frameOutBytesMax: 16 * 1024,
  /** The most requests that wait for their replies. */
  pendingMax: 256,
  /**
   * The most frames that wait for the program. Beyond it the client drops the connection and resumes. What a server
   * sends to a program that comes back to some hundred games fits.
   */
  inboxMax: 4096,
  /** The share of the server's message rate that one client uses. Other sessions may need the rest. */
  rateShare: 0.8,
  /** The longest wait, named by the server, after which a refused request is sent again by itself. */
  retryWaitMaxMs: 60_000,
  /** The most times that one refused request is sent again. */
  retriesMax: 8,
  /** The shortest wait before that. It doubles with each time. */
  retryWaitMinMs: 25,
  /** The most cursors in one `hello`, as the protocol has it. The server sends the state of further games. */
  cursorsMax: 512,
  /** What one cursor takes of a frame at most, in bytes. */
  cursorBytesMax: 112,
  /** What a `hello` takes of a frame at most, without its cursors, in bytes. */
  helloBytesMax: 4 * 1024,
  /** The most games that a client remembers. Further ones displace finished games, the oldest first. */
  gamesMax: 1024,
  /** How long a bot without a game waits before it looks for one again. */
  idleWaitMs: 30_000,
};

/** The limits of a client. */
export type Limits = Readonly<typeof LIMITS>;
