// What went wrong in the page itself: each trouble is a line that says what happened, with buttons
// for what can be done.

import { ConnectionLost, RequestError } from "../net/pending.js";
import { errorText } from "./error_text.js";
import { html } from "./element.js";
import { isLoading } from "./loading.js";
import { strings } from "../strings/strings.js";

/** @import {Connection} from "../net/connection.js" */

const t = strings.trouble;

/** How long a view may load while the server answers, in milliseconds. */
const LOADING_MAX_MS = 10_000;

/** How long connecting may take before a view says that it waits for it, in milliseconds. */
const OPENING_MAX_MS = 3_000;

/** How often it is looked whether a view still loads, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** How long after a failure a part of the page is loaded again, in milliseconds. */
const RELOAD_AFTER_MS = 3_000;

export class Troubles {
  element = html("div", { role: "alert" });
  /** The lines, by what they are about. @type {Map<string, HTMLElement>} */
  #lines = new Map();

  /**
   * Shows a line in place of the one about the same thing.
   * @param {string} about
   * @param {string} text
   * @param {string} button
   * @param {() => void} [act] what the button does besides taking the line away
   */
  show(about, text, button, act) {
    this.hide(about);
    const onclick = () => {
      this.hide(about);
      act?.();
    };
    const close = html("button", { class: "quiet", "aria-label": strings.game.close, onclick: () => this.hide(about) }, "×");
    const line = html("p", { class: "trouble" }, text, " ", html("button", { onclick }, button), " ", act !== undefined && close);
    this.#lines.set(about, line);
    this.element.append(line);
  }

  /** @param {string} about */
  hide(about) {
    this.#lines.get(about)?.remove();
    this.#lines.delete(about);
  }

  /** Shows the errors that nothing else has handled. */
  catchErrors() {
    addEventListener("error", ({ error, filename }) => {
      // Extensions of the browser fail on their own, and a late `ResizeObserver` has no error.
      if (error != null && filename.startsWith(location.origin)) this.#showError(error);
    });
    addEventListener("unhandledrejection", ({ reason }) => this.#showError(reason));
  }

  /** @param {unknown} error */
  #showError(error) {
    // The banner shows a lost connection.
    if (error instanceof ConnectionLost) return;
    const text = error instanceof RequestError ? errorText(error) : t.failed(error instanceof Error ? error.message : String(error));
    this.show("error", text, t.reload, () => location.reload());
  }

  /**
   * Says so when a view stays at "Loading" although the server answers, and what it waits for if
   * the server cannot be reached.
   * @param {HTMLElement} main where views are shown
   * @param {Connection} connection
   */
  watchLoading(main, connection) {
    let [looks, unreached] = [0, 0];
    setInterval(() => {
      const { is } = connection.state;
      const isOpen = is === "open";
      unreached = isOpen ? 0 : unreached + 1;
      const waits = unreached * LOOK_EVERY_MS < OPENING_MAX_MS ? strings.loading : strings.loadingOffline;
      // Without the user's "Reconnect" nothing comes.
      const loads = isLoading(main, is === "ended" ? strings.loadingEnded : waits);
      looks = loads && isOpen ? looks + 1 : 0;
      if (looks * LOOK_EVERY_MS === LOADING_MAX_MS) this.show("loading", t.stillLoading, t.reload, () => location.reload());
      else if (!loads) this.hide("loading");
    }, LOOK_EVERY_MS);
  }
}

/**
 * Loads a part of the page, again after each failure until it is there or no longer wanted.
 * @template Part
 * @param {() => Promise<Part>} load
 * @param {Connection} connection
 * @param {(line: HTMLElement) => boolean} show shows what happened; returns whether the part is still wanted
 * @returns {Promise<Part | undefined>}
 */
export async function loadPart(load, connection, show) {
  for (;;) {
    try {
      return await load();
    } catch {
      const { promise, resolve } = pause();
      // Some browsers do not ask again for what failed once, and a newer server has other parts.
      const again = () => (connection.state.is === "open" ? location.reload() : resolve());
      if (!show(html("p", { class: "empty" }, t.partMissing, " ", html("button", { onclick: again }, t.tryAgain)))) return undefined;
      const stop = connection.on("welcome", resolve);
      await promise;
      stop();
    }
  }
}

function pause() {
  /** @type {() => void} */
  let resolve = () => {};
  /** @type {Promise<void>} */
  const promise = new Promise((done) => {
    resolve = done;
    setTimeout(done, RELOAD_AFTER_MS);
  });
  return { promise, resolve };
}
