// Who this browser is to the server: a guest or an account, remembered as a token. Somebody who only
// looks on is nobody yet.

import { GUEST_NAMES } from "../strings.js";
import { Refused } from "./pending.js";

/** @import {Auth, Failed, Welcome} from "../wire.js" */
/** @import {Connection} from "./connection.js" */

/** Where the token is kept. */
const KEY = "adamant.token";

/** Names that are tried for a guest before the last refusal is shown. */
const GUEST_TRIES = 5;

/**
 * Where a token can be kept.
 * @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} Keep
 */

/**
 * A wish to be somebody, under way.
 * @typedef {object} Becoming
 * @property {Auth} auth
 * @property {number} triesLeft
 * @property {() => void} resolve
 * @property {(failed: Failed) => void} reject
 */

export class Identity {
  #keep;
  #random;
  /** @type {Becoming | undefined} */
  #becoming;
  /** @type {Connection | undefined} */
  #connection;

  /**
   * @param {Keep} keep
   * @param {() => number} random
   */
  constructor(keep, random) {
    this.#keep = keep;
    this.#random = random;
  }

  /** @param {Connection} connection */
  attach(connection) {
    this.#connection = connection;
    connection.on("welcome", (/** @type {Welcome} */ welcome) => this.#welcomed(welcome));
  }

  /**
   * How to say hello.
   * @returns {Auth | undefined}
   */
  auth() {
    if (this.#becoming !== undefined) return this.#becoming.auth;
    const token = this.#keep.getItem(KEY);
    return token === null ? undefined : { token };
  }

  /**
   * Hears that a hello was refused; whether another one makes sense.
   * @param {Failed} failed
   */
  refused(failed) {
    const becoming = this.#becoming;
    if (becoming === undefined) {
      // The token is no good any more: come back as nobody.
      const had = this.#keep.getItem(KEY) !== null && failed.code === "unauthorized";
      if (had) this.#keep.removeItem(KEY);
      return had;
    }
    if (failed.code === "name_taken" && becoming.triesLeft > 0) {
      becoming.triesLeft -= 1;
      becoming.auth = { guest: this.#guestName() };
      return true;
    }
    this.#becoming = undefined;
    becoming.reject(failed);
    return true;
  }

  /** @param {Welcome} welcome */
  #welcomed(welcome) {
    if (welcome.token != null) this.remember(welcome.token);
    this.#becoming?.resolve();
    this.#becoming = undefined;
  }

  /**
   * Keeps a token for the next hello.
   * @param {string} token
   */
  remember(token) {
    this.#keep.setItem(KEY, token);
  }

  /**
   * Says hello as somebody with an account.
   * @param {string} user
   * @param {string} password
   */
  logIn(user, password) {
    return this.#become({ user, password }, 0);
  }

  /** Makes nobody a guest; a guest or user stays. */
  async ensure() {
    if (this.#connection?.welcome?.user != null) return;
    await this.#become({ guest: this.#guestName() }, GUEST_TRIES);
  }

  /**
   * Forgets who was here. The token ends at the server, too, so that nobody comes back with it.
   * @param {boolean} forget whether live games are given up, as a guest's are, who cannot come back
   */
  async logOut(forget) {
    const connection = this.#connection;
    try {
      if (connection?.condition.is === "open") await connection.request({ type: "logout", forget });
    } catch (error) {
      // Without an answer the token is forgotten here all the same.
      if (error instanceof Refused) throw error;
    }
    this.#keep.removeItem(KEY);
    connection?.reopen();
  }

  /**
   * @param {Auth} auth
   * @param {number} triesLeft
   * @returns {Promise<void>} broken with what the server said
   */
  #become(auth, triesLeft) {
    return new Promise((resolve, reject) => {
      this.#becoming = { auth, triesLeft, resolve, reject };
      this.#connection?.reopen();
    });
  }

  #guestName() {
    const name = GUEST_NAMES[Math.floor(this.#random() * GUEST_NAMES.length)] ?? "Guest";
    return `${name}-${Math.floor(this.#random() * 9000) + 1000}`;
  }
}
