// Actions besides moves: resign, abort, offer. The server decides what is allowed; the page shows
// what makes sense.

import { leavingSeat } from "../net/seat_offers.js";
import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { icon } from "./icons.js";
import { takenBack } from "./taken_back.js";

/** @import {NewRequest, Snapshot} from "../wire.js" */
/** @import {IconName} from "./icons.js" */

const t = strings.game;

export class Controls {
  element = html("section", { class: "controls", "aria-label": t.controls });
  #act;
  /** The question to confirm before an action that cannot be undone. @type {string} */
  #confirming = "";
  /** @type {{ snapshot: Snapshot, seat: number | undefined } | undefined} */
  #shown;

  /** @param {(request: NewRequest) => void} act sends a request */
  constructor(act) {
    this.#act = act;
  }

  /**
   * @param {Snapshot} snapshot
   * @param {number | undefined} seat
   */
  show(snapshot, seat) {
    this.#shown = { snapshot, seat };
    const leaving = leavingSeat(snapshot);
    const plays = seat !== undefined && !snapshot.result && snapshot.seats[seat]?.state === "in" && seat !== leaving;
    update(this.element, plays && this.#buttons(snapshot, seat));
    this.element.hidden = !plays;
  }

  /**
   * @param {Snapshot} snapshot
   * @param {number} seat
   */
  #buttons(snapshot, seat) {
    const { game } = snapshot;
    const waits = leavingSeat(snapshot) !== undefined;
    const moves = takenBack(snapshot, seat);
    // A player can abort alone until every seat has moved.
    const begun = snapshot.ply >= snapshot.seats.length;
    const offers = waits ? [] : /** @type {const} */ ([moves > 0 && "takeback", begun && "draw", begun && "abort"]);
    const icons = /** @type {const} */ ({ takeback: "back", draw: "draw", abort: "abort" });
    const open = snapshot.offers.map(({ what }) => what);
    return [
      ...offers.filter((what) => what !== false && !open.includes(what)).map((what) => {
        const kind = /** @type {"takeback" | "draw" | "abort"} */ (what);
        return this.#button(kind, icons[kind], t.offers[kind], t.offerTitles[kind](moves), () => this.#act({ type: "offer", game, what: kind }));
      }),
      // Nobody gives up a game that has not begun.
      begun
        ? this.#confirmed("resign", "resign", t.resign, t.resignSure, { type: "resign", game })
        : this.#confirmed("abort-alone", "abort", t.abort, t.abortSure, { type: "abort", game }),
    ];
  }

  /**
   * @param {string} key
   * @param {IconName} picture
   * @param {string} text
   * @param {string} title
   * @param {() => void} onclick
   */
  #button(key, picture, text, title, onclick) {
    return html("button", { class: "quiet control", "data-key": key, title, onclick }, icon(picture), html("span", {}, text));
  }

  /**
   * A button that asks for confirmation first.
   * @param {string} key
   * @param {IconName} picture
   * @param {string} text
   * @param {string} prompt
   * @param {NewRequest} request
   */
  #confirmed(key, picture, text, prompt, request) {
    if (this.#confirming !== prompt) return this.#button(key, picture, text, prompt, () => this.#setConfirming(prompt));
    const yes = () => {
      this.#confirming = "";
      this.#act(request);
    };
    return html(
      "span",
      { class: "confirm", "data-key": `${key}-sure` },
      html("span", {}, prompt),
      html("button", { class: "danger", onclick: yes }, t.yes),
      html("button", { class: "quiet", onclick: () => this.#setConfirming("") }, t.no),
    );
  }

  /** @param {string} prompt */
  #setConfirming(prompt) {
    this.#confirming = prompt;
    if (this.#shown !== undefined) this.show(this.#shown.snapshot, this.#shown.seat);
    // A key that is held down must not resign: the focus goes to "No".
    const no = this.element.querySelector(".confirm button:last-child");
    if (no instanceof HTMLButtonElement) no.focus();
  }
}
