// What waits for an answer: challenges to the user, and the user's own challenges, open games and
// invitations, which can be cancelled.

import { html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { reserveHeight } from "../ui/reserved_height.js";
import { strings } from "../strings/strings.js";
import { accept, seatInWords, seekInWords, termsInWords } from "../set_up/challenges.js";
import { emblem } from "../ui/emblems.js";
import { linkField } from "../set_up/invite_link.js";

/** @import {Challenged, InviteEntry, NewRequest, OpenChallenge, SeekEntry} from "../wire.js" */
/** @import {App} from "../app.js" */
/** @import {Lobby} from "./open_games.js" */

const t = strings.home;

/** The key under which the browser stores how much room this took. */
const HEIGHT_KEY = "adamant.waiting-height";

export class Waiting {
  element = html("section", { class: "waiting" });
  #app;
  #lobby;
  /** The user's open invitations. @type {InviteEntry[]} */
  #invites = [];
  /** Whether the invitations have come. */
  #isLoaded = false;
  #room = reserveHeight(this.element, HEIGHT_KEY);
  #unsubscribe;

  /**
   * @param {App} app
   * @param {Lobby} lobby
   */
  constructor(app, lobby) {
    this.#app = app;
    this.#lobby = lobby;
    lobby.onChange(() => this.#draw());
    this.#unsubscribe = [
      app.games.onChange(() => this.#draw()),
      app.games.onStart(() => this.load()),
      app.connection.onSession(() => this.load()),
      app.connection.on("invite", () => this.load()),
    ];
    this.#draw();
  }

  close() {
    for (const stop of this.#unsubscribe) stop();
    this.#room.close();
  }

  /** Requests the user's invitations. */
  async load() {
    try {
      const isUser = this.#app.connection.welcome?.user != null;
      this.#invites = isUser ? (await this.#app.connection.request({ type: "invites" })).invites : [];
      this.#isLoaded = true;
      this.#draw();
    } catch {
      // The next welcome requests them again.
    }
  }

  #draw() {
    const { games, connection } = this.#app;
    const user = connection.welcome?.user?.name ?? "";
    const challenges = [...games.challenges.values()];
    const own = [
      ...this.#lobby.own.map((each) => this.#seek(each, user)),
      ...[...games.outgoing.values()].map((each) => this.#outgoing(each)),
      ...this.#invites.filter(({ game }) => game == null).map((each) => this.#invite(each, user)),
    ];
    update(
      this.element,
      challenges.length > 0 && html("h2", {}, t.challenges),
      challenges.length > 0 && html("ul", { class: "rows" }, challenges.map((each) => this.#challenge(each, user))),
      own.length > 0 && html("h2", {}, t.outgoing),
      own.length > 0 && html("ul", { class: "rows" }, own),
    );
    if (this.#isLoaded && this.#lobby.loaded) this.#room.complete();
  }

  /**
   * @param {Challenged} challenged
   * @param {string} user
   */
  #challenge(challenged, user) {
    const { challenge, by, accepted } = challenged;
    const about = termsInWords(challenged, this.#app.connection.welcome?.claim_after ?? undefined);
    const others = challenged.seats.filter((each) => each !== user && each !== by);
    return html(
      "li",
      { class: "challenge", "data-key": challenge },
      emblem(challenged.rules),
      html("span", { class: "who" }, t.challengedBy(by)),
      html("span", { class: "about" }, [...about, seatInWords(challenged, user), ...(others.length > 0 ? [strings.challenge.others(others)] : [])].join(" · ")),
      !accepted.includes(user) && html("button", { onclick: () => this.#run(() => accept(this.#app, { challenge })) }, t.accept),
      html("button", { class: "quiet", onclick: () => this.#request({ type: "decline", challenge }) }, t.decline),
    );
  }

  /** @param {OpenChallenge} own */
  #outgoing(own) {
    const { challenge, seats, accepted } = own;
    const missing = seats.filter((user) => !accepted.includes(user));
    return this.#own(challenge, own.rules, t.waitingFor(missing), termsInWords(own).join(" · "), { type: "cancel", challenge });
  }

  /**
   * @param {SeekEntry} own
   * @param {string} user
   */
  #seek(own, user) {
    const others = own.joined.filter((each) => each !== user);
    const who = others.length > 0 ? others.join(", ") : t.waiting;
    const about = [seekInWords(own), own.lasting && t.stays].filter(Boolean).join(" · ");
    return this.#own(own.seek, own.rules, who, about, { type: "unseek", seek: own.seek });
  }

  /**
   * @param {InviteEntry} own
   * @param {string} user
   */
  #invite(own, user) {
    const { invite, rules, players, joined, by } = own;
    const about = [...termsInWords(own), ...(players > 2 ? [t.seated(joined.length, players)] : [])].join(" · ");
    const row = this.#own(invite, rules, by === user ? t.invited : t.invitedBy(by), about, { type: "cancel", invite });
    row.append(linkField(invite, rules));
    return row;
  }

  /**
   * @param {string} key
   * @param {string} rules
   * @param {string} who
   * @param {string} about
   * @param {NewRequest} cancel
   */
  #own(key, rules, who, about, cancel) {
    return html(
      "li",
      { "data-key": key },
      emblem(rules),
      html("span", { class: "who" }, who),
      html("span", { class: "about" }, about),
      html("button", { class: "quiet", onclick: () => this.#run(() => this.#cancel(key, cancel)) }, t.cancel),
    );
  }

  /**
   * @param {string} offer
   * @param {NewRequest} cancel
   */
  async #cancel(offer, cancel) {
    await this.#app.connection.request(cancel);
    this.#app.games.awaited.delete(offer);
  }

  /** @param {NewRequest} request */
  #request(request) {
    return this.#run(() => this.#app.connection.request(request));
  }

  /** @param {() => Promise<unknown>} work */
  async #run(work) {
    try {
      await work();
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
    this.load();
  }
}
