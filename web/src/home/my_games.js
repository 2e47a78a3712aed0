// The user's live games, those that wait for a move first, and the challenges to and from the user.

import { html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { accept } from "./matchmaking.js";

/** @import {Challenged, GameEntry, OpenChallenge, NewRequest} from "../wire.js" */
/** @import {App} from "../app.js" */

const t = strings.home;

export class MyGames {
  element = html("section", { class: "my-games" });
  #app;
  /** @type {Map<string, GameEntry>} */
  #entries = new Map();
  #unsubscribe;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#unsubscribe = [
      app.games.onChange(() => this.#onChange()),
      app.connection.on("welcome", () => this.#load()),
    ];
    if (app.connection.welcome !== undefined) this.#load();
    this.#draw();
  }

  close() {
    for (const stop of this.#unsubscribe) stop();
  }

  #onChange() {
    const unknown = [...this.#app.games.live].some((game) => !this.#entries.has(game));
    if (unknown) this.#load();
    this.#draw();
  }

  async #load() {
    const user = this.#app.connection.welcome?.user?.name;
    if (user === undefined || this.#app.games.live.size === 0) return;
    try {
      const { games } = await this.#app.connection.request({ type: "games", user, state: "live" });
      for (const game of games) this.#entries.set(game.game, game);
      this.#draw();
    } catch {
      // The next change requests it again.
    }
  }

  #draw() {
    const { games } = this.#app;
    const entries = [...games.live].flatMap((game) => this.#entries.get(game) ?? []);
    const myTurn = (/** @type {GameEntry} */ entry) => Number(games.toMove.has(entry.game));
    entries.sort((one, other) => myTurn(other) - myTurn(one) || other.last_at - one.last_at);
    const challenges = [...games.challenges.values()];
    const outgoing = [...games.outgoing.values()];
    update(
      this.element,
      challenges.length > 0 && html("h2", {}, t.challenges),
      challenges.length > 0 && html("ul", { class: "rows" }, challenges.map((each) => this.#challenge(each))),
      outgoing.length > 0 && html("h2", {}, t.outgoing),
      outgoing.length > 0 && html("ul", { class: "rows" }, outgoing.map((each) => this.#outgoing(each))),
      entries.length > 0 && html("h2", {}, t.yours),
      entries.length > 0 && html("ul", { class: "rows" }, entries.map((each) => this.#row(each))),
    );
  }

  /** @param {Challenged} challenged */
  #challenge(challenged) {
    const { challenge } = challenged;
    return html(
      "li",
      {},
      html("span", { class: "what" }, strings.gameName(challenged.rules)),
      html("span", { class: "who" }, t.challengedBy(challenged.by)),
      html("span", { class: "about" }, this.#about(challenged)),
      html("button", { onclick: () => this.#run(() => accept(this.#app, { challenge })) }, t.accept),
      html("button", { class: "quiet", onclick: () => this.#request({ type: "decline", challenge }) }, t.decline),
    );
  }

  /** @param {OpenChallenge} own */
  #outgoing(own) {
    const { challenge, seats, accepted } = own;
    return html(
      "li",
      {},
      html("span", { class: "what" }, strings.gameName(own.rules)),
      html("span", { class: "who" }, t.waitingFor(seats.filter((user) => !accepted.includes(user)))),
      html("span", { class: "about" }, this.#about(own)),
      html("button", { class: "quiet", onclick: () => this.#request({ type: "cancel", challenge }) }, t.cancel),
    );
  }

  /**
   * The terms of a challenge, to read before accepting it.
   * @param {Challenged | OpenChallenge} challenge
   */
  #about({ seats, rated, clock, options }) {
    const after = this.#app.connection.welcome?.claim_after;
    const about = [
      rated ? t.rated : t.unrated,
      strings.clock(clock),
      seats.length > 2 && t.versus(seats),
      strings.options(options),
      after != null && strings.claimAfter(clock.mode, after),
    ];
    return about.filter(Boolean).join(" · ");
  }

  /** @param {NewRequest} question */
  #request(question) {
    return this.#run(() => this.#app.connection.request(question));
  }

  /** @param {() => Promise<unknown>} work */
  async #run(work) {
    try {
      await work();
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
  }

  /** @param {GameEntry} entry */
  #row(entry) {
    const myTurn = this.#app.games.toMove.has(entry.game);
    return html(
      "li",
      { class: myTurn ? "your-turn" : "" },
      html("span", { class: "what" }, strings.gameName(entry.rules)),
      html(
        "a",
        { class: "who", href: `/game/${entry.game}` },
        t.versus(entry.seats.map((seat) => seat.user)),
      ),
      html("span", { class: "about" }, myTurn ? t.yourMove : t.ply(entry.ply)),
    );
  }
}
