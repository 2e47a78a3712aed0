// Actions besides moves: resign, abort, offer, answer, claim. The server decides what is allowed;
// the page shows what makes sense.

import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { rematch } from "./rematch.js";

/** @import {OpenOffer, NewRequest, Snapshot} from "../wire.js" */
/** @import {App} from "../app.js" */
/** @import {GameSync} from "./game_sync.js" */

const t = strings.game;

export class Controls {
  element = html("section", { class: "controls" });
  #app;
  #sync;
  /** The question to confirm before an action that cannot be undone. @type {string} */
  #confirming = "";
  #claim = html("p", { class: "claim" });
  #claimText = "";
  #waiting = html("p", { class: "soft", role: "status" });
  #error = html("p", { class: "error", role: "alert" });

  /**
   * @param {App} app
   * @param {GameSync} sync
   */
  constructor(app, sync) {
    this.#app = app;
    this.#sync = sync;
  }

  /**
   * @param {Snapshot} snapshot
   * @param {number | undefined} seat
   */
  show(snapshot, seat) {
    update(
      this.element,
      snapshot.offers.map((offer) => this.#offer(snapshot, offer, seat)),
      seat !== undefined && (snapshot.result || snapshot.seats[seat]?.state === "in")
        ? this.#buttons(snapshot)
        : null,
      this.#claim,
      this.#waiting,
      this.#error,
    );
    this.tick();
  }

  /** @param {Snapshot} snapshot */
  #buttons(snapshot) {
    const game = snapshot.game;
    if (snapshot.result) {
      const asked = [...this.#app.games.challenges.values()].find((each) => each.rematch_of === game);
      const again = html("button", { onclick: () => this.#playAgain(snapshot) }, t.again);
      return [asked && html("p", { class: "offer" }, t.wantsAgain(asked.by)), again];
    }
    const buttons = [];
    // A player can abort alone until every seat has moved.
    if (snapshot.ply < snapshot.seats.length) {
      buttons.push(this.#confirmButton(t.abort, t.abortSure, { type: "abort", game }));
    }
    const begun = snapshot.ply >= snapshot.seats.length;
    const offers = /** @type {const} */ ([snapshot.ply > 0 && "takeback", "draw", begun && "abort"]);
    for (const what of offers) {
      if (!what || snapshot.offers.some((open) => open.what === what)) continue;
      const offer = () => this.#act({ type: "offer", game, what });
      buttons.push(html("button", { class: "quiet", onclick: offer }, t.offers[what]));
    }
    buttons.push(this.#confirmButton(t.resign, t.resignSure, { type: "resign", game }));
    return html("div", { class: "buttons" }, buttons);
  }

  /**
   * A button that asks for confirmation first.
   * @param {string} text
   * @param {string} prompt
   * @param {NewRequest} request
   */
  #confirmButton(text, prompt, request) {
    if (this.#confirming !== prompt) {
      return html("button", { class: "quiet", onclick: () => this.#setConfirming(prompt) }, text);
    }
    const yes = () => {
      this.#confirming = "";
      this.#act(request);
    };
    return html(
      "span",
      { class: "confirm" },
      prompt,
      html("button", { class: "danger", onclick: yes }, t.yes),
      html("button", { class: "quiet", onclick: () => this.#setConfirming("") }, t.no),
    );
  }

  /** @param {string} prompt */
  #setConfirming(prompt) {
    this.#confirming = prompt;
    const { snapshot } = this.#sync;
    if (snapshot !== undefined) this.show(snapshot, this.#sync.seat());
    // A key that is held down must not resign: the focus goes to "No".
    const no = this.element.querySelector(".confirm button:last-child");
    if (no instanceof HTMLButtonElement) no.focus();
  }

  /**
   * @param {Snapshot} snapshot
   * @param {OpenOffer} offer
   * @param {number | undefined} seat
   */
  #offer(snapshot, offer, seat) {
    const { game } = snapshot;
    const by = snapshot.seats[offer.by]?.user ?? "";
    if (offer.by === seat) {
      const withdraw = () => this.#act({ type: "withdraw", game, offer: offer.offer });
      return html(
        "p",
        { class: "offer" },
        t.ownOffer(offer.what),
        " ",
        html("button", { class: "quiet", onclick: withdraw }, t.withdraw),
      );
    }
    const answer = (/** @type {boolean} */ accept) => () =>
      this.#act({ type: "answer", game, offer: offer.offer, accept });
    return html(
      "p",
      { class: "offer" },
      t.offer(by, offer.what),
      " ",
      seat !== undefined && offer.needs.includes(seat) && [
        html("button", { onclick: answer(true) }, t.accept),
        html("button", { class: "quiet", onclick: answer(false) }, t.decline),
      ],
    );
  }

  /** @param {NewRequest} request */
  async #act(request) {
    fill(this.#error);
    try {
      await this.#app.connection.request(request);
    } catch (error) {
      fill(this.#error, errorText(error));
      this.#sync.refresh();
    }
  }

  /** @param {Snapshot} snapshot */
  async #playAgain(snapshot) {
    fill(this.#error);
    try {
      const waits = await rematch(this.#app, snapshot.game);
      if (waits) fill(this.#waiting, strings.home.asked);
    } catch (error) {
      fill(this.#error, errorText(error));
    }
  }

  /** Shows whether the game can be claimed from an absent player. */
  tick() {
    const { snapshot } = this.#sync;
    const seat = this.#sync.seat();
    if (snapshot === undefined || seat === undefined || snapshot.result) return this.#showClaim("", null);
    const now = this.#app.connection.time.now();
    const absent = snapshot.presence.find((each) => each.seat !== seat && each.claim_at != null);
    if (absent?.claim_at == null) return this.#showClaim("", null);
    const user = snapshot.seats[absent.seat]?.user ?? "";
    const wait = Math.ceil((absent.claim_at - now) / 1000);
    if (wait > 0) return this.#showClaim(t.away(user, wait), null);
    const claim = () =>
      this.#act({ type: "claim", game: snapshot.game, what: "abandoned", seat: absent.seat });
    return this.#showClaim(t.gone(user), html("button", { onclick: claim }, t.claim));
  }

  /**
   * @param {string} text
   * @param {HTMLElement | null} button
   */
  #showClaim(text, button) {
    if (this.#claimText === text) return;
    this.#claimText = text;
    fill(this.#claim, text, button);
  }
}
