// The keys of a game's page, outside of fields and within them.

/** What a key does. It returns `false` if it does nothing now. @typedef {(event: KeyboardEvent) => boolean | void} Action */

/**
 * @typedef {object} FieldKeys
 * @property {() => void} leave leaves a field for text
 * @property {(target: EventTarget | null) => boolean} isEmpty whether it is a field where other keys go on
 */

export class Shortcuts {
  #actions;
  #other;
  #field;

  /**
   * @param {Record<string, Action>} actions by key
   * @param {(key: string) => boolean} other handles a key without an action; returns whether it was one of its own
   * @param {FieldKeys} field
   */
  constructor(actions, other, field) {
    this.#actions = actions;
    this.#other = other;
    this.#field = field;
    document.addEventListener("keydown", this.#onKeyDown);
  }

  close() {
    document.removeEventListener("keydown", this.#onKeyDown);
  }

  /** @param {KeyboardEvent} event */
  #onKeyDown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
    if (isText(event.target) ? this.#inField(event) : this.#outside(event)) event.preventDefault();
  };

  /** @param {KeyboardEvent} event */
  #inField({ key, target }) {
    if (key !== "Escape") return this.#field.isEmpty(target) && this.#other(key);
    this.#field.leave();
    return true;
  }

  /** @param {KeyboardEvent} event */
  #outside(event) {
    const action = Object.hasOwn(this.#actions, event.key) ? this.#actions[event.key] : undefined;
    return action !== undefined && action(event) !== false ? true : this.#other(event.key);
  }
}

/** @param {EventTarget | null} target */
function isText(target) {
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== "range" && target.type !== "checkbox");
}
