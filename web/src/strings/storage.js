// The browser's storage, which it may refuse: to pages in the frames of others, by a setting, or
// because it is full. The page then keeps what it stores until it is closed.

/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} KeyValueStore */

/** @implements {KeyValueStore} */
export class SafeStorage {
  #find;
  /** What the browser does not store; `null` is what it does not delete. @type {Map<string, string | null>} */
  #unsaved = new Map();
  /** Called when the browser refuses to store something for the first time. */
  onRefused = () => {};

  /** @param {() => KeyValueStore | undefined} find may throw */
  constructor(find) {
    this.#find = find;
  }

  /** @param {string} key */
  getItem(key) {
    const unsaved = this.#unsaved.get(key);
    if (unsaved !== undefined) return unsaved;
    try {
      return this.#find()?.getItem(key) ?? null;
    } catch {
      return null;
    }
  }

  /**
   * @param {string} key
   * @param {string} value
   */
  setItem(key, value) {
    this.#change(key, value, (store) => store.setItem(key, value));
  }

  /** @param {string} key */
  removeItem(key) {
    this.#change(key, null, (store) => store.removeItem(key));
  }

  /**
   * @param {string} key
   * @param {string | null} value
   * @param {(store: KeyValueStore) => void} store
   */
  #change(key, value, store) {
    try {
      store(/** @type {KeyValueStore} */ (this.#find()));
      this.#unsaved.delete(key);
    } catch {
      const isFirst = this.#unsaved.size === 0;
      this.#unsaved.set(key, value);
      if (isFirst) this.onRefused();
    }
  }
}

/** What the browser keeps. */
export const storage = new SafeStorage(() => globalThis.localStorage);

/** What the browser keeps for this tab. */
export const tabStorage = new SafeStorage(() => globalThis.sessionStorage);
