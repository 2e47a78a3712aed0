// The user of this browser: a guest or an account, stored as a token. A visitor without a game has
// no user.

import { RequestError } from "./pending.js";

/** @import {Auth, Failed, Welcome} from "../wire.js" */
/** @import {Connection} from "./connection.js" */

/** The storage key of the token. */
export const TOKEN_KEY = "adamant.token";

/** First names of guests in every language: names must be ASCII. */
const GUEST_NAMES = [
  "Agate", "Amber", "Beryl", "Citrine", "Coral", "Emerald", "Flint", "Garnet", "Granite", "Jade",
  "Jasper", "Jet", "Lapis", "Marble", "Obsidian", "Onyx", "Opal", "Pearl", "Peridot", "Quartz",
  "Ruby", "Sapphire", "Slate", "Spinel", "Topaz", "Zircon",
];

/** Guest names to try before the page shows the error. */
const GUEST_TRIES = 5;

/**
 * The storage of the token.
 * @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} TokenStorage
 */

/**
 * A log-in that waits for the server.
 * @typedef {object} LogInAttempt
 * @property {Auth | undefined} auth `undefined` for the stored token
 * @property {number} triesLeft
 * @property {() => void} resolve
 * @property {(failed: Failed) => void} reject
 */

/**
 * Runs work that no other tab runs at the same time, where the browser has locks: not over plain
 * HTTP. Without them the tabs follow whoever stored a token last.
 * @param {() => Promise<void>} work
 * @returns {Promise<void>}
 */
async function exclusively(work) {
  await (globalThis.navigator?.locks?.request(TOKEN_KEY, work) ?? work());
}

export class Identity {
  #storage;
  #random;
  /** The token of the last `hello`, or a newer one of the same user. @type {string | null} */
  #token = null;
  /** The name of the page's user, until this tab changes it. @type {string | undefined} */
  #user;
  /**
   * Called when the page has become another user, or nobody, because another tab has.
   * @type {(user: string | undefined) => void}
   */
  onOtherUser = () => {};
  /** @type {LogInAttempt | undefined} */
  #attempt;
  /** @type {Connection | undefined} */
  #connection;

  /**
   * @param {TokenStorage} storage
   * @param {() => number} random
   */
  constructor(storage, random) {
    this.#storage = storage;
    this.#random = random;
  }

  /** @param {Connection} connection */
  attach(connection) {
    this.#connection = connection;
    connection.on("welcome", (/** @type {Welcome} */ welcome) => this.#onWelcome(welcome));
  }

  /**
   * Returns the credentials for `hello`.
   * @returns {Auth | undefined}
   */
  auth() {
    if (this.#attempt?.auth !== undefined) return this.#attempt.auth;
    this.#token = this.#storage.getItem(TOKEN_KEY);
    return this.#token === null ? undefined : { token: this.#token };
  }

  /**
   * Handles a refused `hello`. Returns whether to send another one.
   * @param {Failed} failed
   */
  onHelloError(failed) {
    const attempt = this.#attempt;
    if (attempt?.auth === undefined) {
      // The token is no longer valid: continue without a user.
      const had = this.#storage.getItem(TOKEN_KEY) !== null && failed.code === "unauthorized";
      if (had) this.#storage.removeItem(TOKEN_KEY);
      return had;
    }
    if (failed.code === "name_taken" && attempt.triesLeft > 0) {
      attempt.triesLeft -= 1;
      attempt.auth = { guest: this.#guestName() };
      return true;
    }
    this.#attempt = undefined;
    attempt.reject(failed);
    return true;
  }

  /** @param {Welcome} welcome */
  #onWelcome(welcome) {
    if (welcome.token != null) this.saveToken(welcome.token);
    const isChosenHere = this.#attempt?.auth !== undefined;
    this.#attempt?.resolve();
    this.#attempt = undefined;
    const [before, user] = [this.#user, welcome.user?.name];
    this.#user = user;
    if (!isChosenHere && before !== undefined && user !== before) this.onOtherUser(user);
  }

  /**
   * Stores a token for the next `hello`.
   * @param {string} token
   */
  saveToken(token) {
    this.#token = token;
    this.#user = undefined;
    this.#storage.setItem(TOKEN_KEY, token);
  }

  /** Follows another tab, which has stored another token or has deleted it. */
  async followStored() {
    if (this.#attempt === undefined && this.#storage.getItem(TOKEN_KEY) !== this.#token) await this.#reconnectAs(undefined, 0);
  }

  /**
   * Logs in to an account.
   * @param {string} user
   * @param {string} password
   */
  logIn(user, password) {
    return this.#reconnectAs({ user, password }, 0);
  }

  /** Creates a guest unless there is a user. */
  async ensureUser() {
    if (this.#hasUser()) return;
    await exclusively(async () => {
      // Before the first welcome nobody knows whose the stored token is.
      const isUnknown = this.#connection?.welcome === undefined && this.#storage.getItem(TOKEN_KEY) !== null;
      if (isUnknown) await this.#reconnectAs(undefined, 0);
      // Another tab may have become somebody since.
      else await this.followStored();
      if (!this.#hasUser()) await this.#reconnectAs({ guest: this.#guestName() }, GUEST_TRIES);
    });
  }

  #hasUser() {
    return this.#connection?.welcome?.user != null;
  }

  /**
   * Logs out and deletes the token here and at the server.
   * @param {boolean} forget whether to give up live games; a guest cannot come back to them
   */
  async logOut(forget) {
    const connection = this.#connection;
    try {
      if (connection?.state.is === "open") await connection.request({ type: "logout", forget });
    } catch (error) {
      // Without a reply the token is still deleted here.
      if (error instanceof RequestError) throw error;
    }
    this.#beNobody();
  }

  /**
   * Closes the account for good, and forgets it here.
   * @param {string} password
   */
  async closeAccount(password) {
    await this.#connection?.request({ type: "account_close", password });
    this.#beNobody();
  }

  #beNobody() {
    this.#storage.removeItem(TOKEN_KEY);
    this.#user = undefined;
    this.#connection?.reopen();
  }

  /**
   * @param {Auth | undefined} auth
   * @param {number} triesLeft
   * @returns {Promise<void>} rejects with the server's error
   */
  #reconnectAs(auth, triesLeft) {
    return new Promise((resolve, reject) => {
      this.#attempt = { auth, triesLeft, resolve, reject };
      this.#connection?.reopen();
    });
  }

  #guestName() {
    const name = GUEST_NAMES[Math.floor(this.#random() * GUEST_NAMES.length)] ?? "Guest";
    return `${name}-${Math.floor(this.#random() * 9000) + 1000}`;
  }
}
