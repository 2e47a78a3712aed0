// One's own live games, those first that wait for one's move, and challenges to answer. Without any
// it takes no room.

import { html, refill } from "../ui/element.js";
import { reason } from "../ui/error_text.js";
import { words } from "../strings.js";
import { accept } from "./matchmaking.js";

/** @import {Challenged, GameEntry, OpenChallenge, Question} from "../wire.js" */
/** @import {App} from "../main.js" */

const say = words.home;

export class OwnGames {
  element = html("section", { class: "own" });
  #app;
  /** @type {Map<string, GameEntry>} */
  #entries = new Map();
  #stops;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#stops = [
      app.games.changed(() => this.#changed()),
      app.connection.on("welcome", () => this.#ask()),
    ];
    if (app.connection.welcome !== undefined) this.#ask();
    this.#draw();
  }

  close() {
    for (const stop of this.#stops) stop();
  }

  #changed() {
    const unknown = [...this.#app.games.live].some((game) => !this.#entries.has(game));
    if (unknown) this.#ask();
    this.#draw();
  }

  async #ask() {
    const user = this.#app.connection.welcome?.user?.name;
    if (user === undefined || this.#app.games.live.size === 0) return;
    try {
      const { games } = await this.#app.connection.request({ type: "games", user, state: "live" });
      for (const game of games) this.#entries.set(game.game, game);
      this.#draw();
    } catch {
      // The next change asks again.
    }
  }

  #draw() {
    const { games } = this.#app;
    const entries = [...games.live].flatMap((game) => this.#entries.get(game) ?? []);
    const due = (/** @type {GameEntry} */ entry) => Number(games.due.has(entry.game));
    entries.sort((one, other) => due(other) - due(one) || other.last_at - one.last_at);
    const challenges = [...games.challenges.values()];
    const outgoing = [...games.outgoing.values()];
    refill(
      this.element,
      challenges.length > 0 && html("h2", {}, say.challenges),
      challenges.length > 0 && html("ul", { class: "rows" }, challenges.map((each) => this.#challenge(each))),
      outgoing.length > 0 && html("h2", {}, say.outgoing),
      outgoing.length > 0 && html("ul", { class: "rows" }, outgoing.map((each) => this.#own(each))),
      entries.length > 0 && html("h2", {}, say.yours),
      entries.length > 0 && html("ul", { class: "rows" }, entries.map((each) => this.#row(each))),
    );
  }

  /** @param {Challenged} challenged */
  #challenge(challenged) {
    const { challenge } = challenged;
    return html(
      "li",
      {},
      html("span", { class: "what" }, words.gameName(challenged.rules)),
      html("span", { class: "who" }, say.challengedBy(challenged.by)),
      html("span", { class: "about" }, this.#about(challenged)),
      html("button", { onclick: () => this.#try(() => accept(this.#app, { challenge })) }, say.accept),
      html("button", { class: "quiet", onclick: () => this.#do({ type: "decline", challenge }) }, say.decline),
    );
  }

  /** @param {OpenChallenge} own */
  #own(own) {
    const { challenge, seats, accepted } = own;
    return html(
      "li",
      {},
      html("span", { class: "what" }, words.gameName(own.rules)),
      html("span", { class: "who" }, say.waitingFor(seats.filter((user) => !accepted.includes(user)))),
      html("span", { class: "about" }, this.#about(own)),
      html("button", { class: "quiet", onclick: () => this.#do({ type: "cancel", challenge }) }, say.cancel),
    );
  }

  /**
   * What a challenge is about, as somebody wants to know before they accept it.
   * @param {Challenged | OpenChallenge} challenge
   */
  #about({ seats, rated, clock, options }) {
    const after = this.#app.connection.welcome?.claim_after;
    const about = [
      rated ? say.rated : say.unrated,
      words.clock(clock),
      seats.length > 2 && say.versus(seats),
      words.options(options),
      after != null && words.claimAfter(clock.mode, after),
    ];
    return about.filter(Boolean).join(" · ");
  }

  /** @param {Question} question */
  #do(question) {
    return this.#try(() => this.#app.connection.request(question));
  }

  /** @param {() => Promise<unknown>} work */
  async #try(work) {
    try {
      await work();
    } catch (error) {
      this.#app.say(reason(error));
    }
  }

  /** @param {GameEntry} entry */
  #row(entry) {
    const due = this.#app.games.due.has(entry.game);
    return html(
      "li",
      { class: due ? "due" : "" },
      html("span", { class: "what" }, words.gameName(entry.rules)),
      html(
        "a",
        { class: "who", href: `/game/${entry.game}` },
        say.versus(entry.seats.map((seat) => seat.user)),
      ),
      html("span", { class: "about" }, due ? say.yourMove : say.ply(entry.ply)),
    );
  }
}
