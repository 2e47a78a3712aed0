// What a player has to answer: offers of others, one's own open offers, and the claim of a game
// whose player is absent.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { takenBack } from "./taken_back.js";

/** @import {OfferedSubstitute, OpenOffer, NewRequest, Snapshot} from "../wire.js" */

const t = strings.game;

export class Notices {
  element = html("section", { class: "game-notices", "aria-label": t.notices });
  #offers = html("div", { class: "offers" });
  #claim = html("p", { class: "claim" });
  #claimText = "";
  /** How long a computer is still offered a seat, and until when. */
  #seconds = html("small", { class: "seconds", "aria-hidden": "true" });
  #until = 0;
  #now;
  #act;

  /**
   * @param {() => number} now the server's time
   * @param {(request: NewRequest) => void} act sends a request
   */
  constructor(now, act) {
    this.#now = now;
    this.#act = act;
    this.element.append(this.#offers, this.#claim);
  }

  /**
   * @param {Snapshot} snapshot
   * @param {number | undefined} seat
   */
  show(snapshot, seat) {
    update(this.#offers, snapshot.offers.map((offer) => this.#offer(snapshot, offer, seat)));
    this.tick(snapshot, seat);
  }

  /**
   * @param {Snapshot} snapshot
   * @param {OpenOffer} offer
   * @param {number | undefined} seat
   */
  #offer(snapshot, offer, seat) {
    const { game } = snapshot;
    const by = strings.player(snapshot.seats[offer.by]?.user ?? "");
    const moves = takenBack(snapshot, offer.by);
    const key = { class: "offer", role: "status", "data-key": offer.offer };
    const { substitute } = offer;
    if (offer.by === seat && substitute == null) {
      const withdraw = () => this.#act({ type: "withdraw", game, offer: offer.offer });
      return html("p", key, html("span", {}, t.ownOffer(offer.what, moves)), html("button", { class: "quiet", onclick: withdraw }, t.withdraw));
    }
    const answer = (/** @type {boolean} */ accept) => () => this.#act({ type: "answer", game, offer: offer.offer, accept });
    return html(
      "p",
      key,
      html("span", {}, substitute == null ? t.offer(by, offer.what, moves) : this.#leaving(snapshot, offer, substitute, seat)),
      seat !== undefined &&
        offer.needs.includes(seat) &&
        html(
          "span",
          { class: "buttons" },
          html("button", { onclick: answer(true) }, t.accept),
          html("button", { class: "quiet", onclick: answer(false) }, t.decline),
        ),
    );
  }

  /**
   * What is said of a player who leaves, and whose seat is offered to a computer. The seconds go down unheard.
   * @param {Snapshot} snapshot
   * @param {OpenOffer} offer
   * @param {OfferedSubstitute} substitute
   * @param {number | undefined} seat
   */
  #leaving({ seats }, { by }, { user, reason, until }, seat) {
    const computer = strings.player(user);
    this.#until = until;
    const text = by === seat ? t.youLeave(reason, computer) : t.leaves(strings.player(seats[by]?.user ?? ""), reason, computer);
    return [text, " ", this.#seconds];
  }

  /**
   * Shows whether the game can be claimed from an absent player.
   * @param {Snapshot} snapshot
   * @param {number | undefined} seat
   */
  tick(snapshot, seat) {
    this.#seconds.textContent = t.seconds(Math.max(0, Math.ceil((this.#until - this.#now()) / 1000)));
    const absent = snapshot.presence.find((each) => each.seat !== seat && each.claim_at != null);
    if (seat === undefined || snapshot.result || absent?.claim_at == null) return this.#showClaim("", null);
    const user = strings.player(snapshot.seats[absent.seat]?.user ?? "");
    const wait = Math.ceil((absent.claim_at - this.#now()) / 1000);
    if (wait > 0) return this.#showClaim(t.away(user, wait), null);
    const claim = () => this.#act({ type: "claim", game: snapshot.game, what: "abandoned", seat: absent.seat });
    return this.#showClaim(t.gone(user), html("button", { onclick: claim }, t.claim));
  }

  /**
   * @param {string} text
   * @param {HTMLElement | null} button
   */
  #showClaim(text, button) {
    if (this.#claimText === text) return;
    this.#claimText = text;
    update(this.#claim, text, button);
  }
}
