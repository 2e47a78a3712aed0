// What a player may do besides moving: give up, call off, offer, answer. The server says what is
// allowed; here is only what makes sense to show.

import { rematch } from "../home/matchmaking.js";
import { fill, html, refill } from "../ui/element.js";
import { reason } from "../ui/error_text.js";
import { words } from "../strings.js";

/** @import {OpenOffer, Question, Snapshot} from "../wire.js" */
/** @import {App} from "../main.js" */
/** @import {Feed} from "./game_sync.js" */

const say = words.game;

export class Controls {
  element = html("section", { class: "controls" });
  #app;
  #feed;
  /** The question that is being asked back before something final is done. @type {string} */
  #sure = "";
  #claim = html("p", { class: "claim" });
  #claimText = "";
  #waiting = html("p", { class: "soft", role: "status" });
  #complaint = html("p", { class: "complaint", role: "alert" });

  /**
   * @param {App} app
   * @param {Feed} feed
   */
  constructor(app, feed) {
    this.#app = app;
    this.#feed = feed;
  }

  /**
   * @param {Snapshot} snapshot
   * @param {number | undefined} seat
   */
  show(snapshot, seat) {
    refill(
      this.element,
      snapshot.offers.map((offer) => this.#offer(snapshot, offer, seat)),
      seat !== undefined && (snapshot.result || snapshot.seats[seat]?.state === "in")
        ? this.#buttons(snapshot)
        : null,
      this.#claim,
      this.#waiting,
      this.#complaint,
    );
    this.tick();
  }

  /** @param {Snapshot} snapshot */
  #buttons(snapshot) {
    const game = snapshot.game;
    if (snapshot.result) {
      const asked = [...this.#app.games.challenges.values()].find((each) => each.rematch_of === game);
      const again = html("button", { onclick: () => this.#again(snapshot) }, say.again);
      return [asked && html("p", { class: "offer" }, say.wantsAgain(asked.by)), again];
    }
    const buttons = [];
    // Calling off by oneself is for games that have not begun in earnest: until every seat has moved.
    if (snapshot.ply < snapshot.seats.length) {
      buttons.push(this.#final(say.abort, say.abortSure, { type: "abort", game }));
    }
    const begun = snapshot.ply >= snapshot.seats.length;
    const offers = /** @type {const} */ ([snapshot.ply > 0 && "takeback", "draw", begun && "abort"]);
    for (const what of offers) {
      if (!what || snapshot.offers.some((open) => open.what === what)) continue;
      const offer = () => this.#do({ type: "offer", game, what });
      buttons.push(html("button", { class: "quiet", onclick: offer }, say.offers[what]));
    }
    buttons.push(this.#final(say.resign, say.resignSure, { type: "resign", game }));
    return html("div", { class: "buttons" }, buttons);
  }

  /**
   * A button that asks back before it does something that cannot be undone.
   * @param {string} text
   * @param {string} sure
   * @param {Question} question
   */
  #final(text, sure, question) {
    if (this.#sure !== sure) {
      return html("button", { class: "quiet", onclick: () => this.#ask(sure) }, text);
    }
    const yes = () => {
      this.#sure = "";
      this.#do(question);
    };
    return html(
      "span",
      { class: "sure" },
      sure,
      html("button", { class: "danger", onclick: yes }, say.yes),
      html("button", { class: "quiet", onclick: () => this.#ask("") }, say.no),
    );
  }

  /** @param {string} sure */
  #ask(sure) {
    this.#sure = sure;
    const { snapshot } = this.#feed;
    if (snapshot !== undefined) this.show(snapshot, this.#feed.seat());
    // Whoever holds a key down for too long has not given up with it.
    const no = this.element.querySelector(".sure button:last-child");
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
      const withdraw = () => this.#do({ type: "withdraw", game, offer: offer.offer });
      return html(
        "p",
        { class: "offer" },
        say.ownOffer(offer.what),
        " ",
        html("button", { class: "quiet", onclick: withdraw }, say.withdraw),
      );
    }
    const answer = (/** @type {boolean} */ accept) => () =>
      this.#do({ type: "answer", game, offer: offer.offer, accept });
    return html(
      "p",
      { class: "offer" },
      say.offer(by, offer.what),
      " ",
      seat !== undefined && offer.needs.includes(seat) && [
        html("button", { onclick: answer(true) }, say.accept),
        html("button", { class: "quiet", onclick: answer(false) }, say.decline),
      ],
    );
  }

  /** @param {Question} question */
  async #do(question) {
    fill(this.#complaint);
    try {
      await this.#app.connection.request(question);
    } catch (error) {
      fill(this.#complaint, reason(error));
      this.#feed.refresh();
    }
  }

  /** @param {Snapshot} snapshot */
  async #again(snapshot) {
    fill(this.#complaint);
    try {
      const waits = await rematch(this.#app, snapshot.game);
      if (waits) fill(this.#waiting, words.home.asked);
    } catch (error) {
      fill(this.#complaint, reason(error));
    }
  }

  /** What another player's absence allows, as time goes by. */
  tick() {
    const { snapshot } = this.#feed;
    const seat = this.#feed.seat();
    if (snapshot === undefined || seat === undefined || snapshot.result) return this.#claimable("", null);
    const now = this.#app.connection.time.now();
    const gone = snapshot.presence.find((each) => each.seat !== seat && each.claim_at != null);
    if (gone?.claim_at == null) return this.#claimable("", null);
    const user = snapshot.seats[gone.seat]?.user ?? "";
    const wait = Math.ceil((gone.claim_at - now) / 1000);
    if (wait > 0) return this.#claimable(say.away(user, wait), null);
    const claim = () =>
      this.#do({ type: "claim", game: snapshot.game, what: "abandoned", seat: gone.seat });
    return this.#claimable(say.gone(user), html("button", { onclick: claim }, say.claim));
  }

  /**
   * @param {string} text
   * @param {HTMLElement | null} button
   */
  #claimable(text, button) {
    if (this.#claimText === text) return;
    this.#claimText = text;
    fill(this.#claim, text, button);
  }
}
