// Who this browser is to the server: a guest or an account, remembered as a token. Somebody who only
// looks on is nobody yet.

import { GUEST_NAMES } from "../strings.js";
import { RequestError } from "./pending.js";

/** @import {Auth, Failed, Welcome} from "../wire.js" */
/** @import {Connection} from "./connection.js" */

/** Where the token is kept. */
const KEY = "adamant.token";

/** Names that are tried for a guest before the last refusal is shown. */
const GUEST_TRIES = 5;

/**
 * Where a token can be kept.
 * @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} TokenStorage
 */

/**
 * A wish to be somebody, under way.
 * @typedef {object} LogInAttempt
 * @property {Auth} auth
 * @property {number} triesLeft
 * @property {() => void} resolve
 * @property {(failed: Failed) => void} reject
 */

export class Identity {
  #storage;
  #random;
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
   * How to say hello.
   * @returns {Auth | undefined}
   */
  auth() {
    if (this.#attempt !== undefined) return this.#attempt.auth;
    const token = this.#storage.getItem(KEY);
    return token === null ? undefined : { token };
  }

  /**
   * Hears that a hello was onHelloError; whether another one makes sense.
   * @param {Failed} failed
   */
  onHelloError(failed) {
    const attempt = this.#attempt;
    if (attempt === undefined) {
      // The token is no good any more: come back as nobody.
      const had = this.#storage.getItem(KEY) !== null && failed.code === "unauthorized";
      if (had) this.#storage.removeItem(KEY);
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
    this.#attempt?.resolve();
    this.#attempt = undefined;
  }

  /**
   * Keeps a token for the next hello.
   * @param {string} token
   */
  saveToken(token) {
    this.#storage.setItem(KEY, token);
  }

  /**
   * Says hello as somebody with an account.
   * @param {string} user
   * @param {string} password
   */
  logIn(user, password) {
    return this.#reconnectAs({ user, password }, 0);
  }

  /** Makes nobody a guest; a guest or user stays. */
  async ensureUser() {
    if (this.#connection?.welcome?.user != null) return;
    await this.#reconnectAs({ guest: this.#guestName() }, GUEST_TRIES);
  }

  /**
   * Forgets who was here. The token ends at the server, too, so that nobody comes back with it.
   * @param {boolean} forget whether live games are given up, as a guest's are, who cannot come back
   */
  async logOut(forget) {
    const connection = this.#connection;
    try {
      if (connection?.state.is === "open") await connection.request({ type: "logout", forget });
    } catch (error) {
      // Without an answer the token is forgotten here all the same.
      if (error instanceof RequestError) throw error;
    }
    this.#storage.removeItem(KEY);
    connection?.reopen();
  }

  /**
   * @param {Auth} auth
   * @param {number} triesLeft
   * @returns {Promise<void>} broken with what the server said
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
