// What the reader has solved and read, as the browser stores it.

const KEY = "adamant.learnt";

export class Progress {
  #storage;

  /** @param {Pick<Storage, "getItem" | "setItem">} storage */
  constructor(storage) {
    this.#storage = storage;
  }

  /** Whether something is done: a puzzle by its id, or the first moves of a game. @param {string} what */
  has(what) {
    return this.#all().includes(what);
  }

  /** How many puzzles of a game are solved, by the start of their ids. @param {string} start */
  count(start) {
    return this.#all().filter((what) => what.startsWith(start)).length;
  }

  /** @param {string} what */
  add(what) {
    const all = this.#all();
    if (!all.includes(what)) this.#storage.setItem(KEY, JSON.stringify([...all, what]));
  }

  /** @returns {string[]} */
  #all() {
    try {
      const stored = JSON.parse(this.#storage.getItem(KEY) ?? "[]");
      return Array.isArray(stored) ? stored.filter((each) => typeof each === "string") : [];
    } catch {
      return [];
    }
  }
}

/** The key of a game's first moves. @param {string} kind */
export const guidedKey = (kind) => `first-moves-${kind}`;
