// The games that can be played, each with the ways to begin: against the computer with one click,
// or against people after a choice of the terms.

import { goalOf } from "../net/catalogue.js";
import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { emblem } from "../ui/emblems.js";

/** @import {Opponent} from "../set_up/set_up.js" */

const t = strings.home;

export class GameCards {
  element = html("ul", { class: "game-cards" });
  #play;

  /** @param {(rules: string, against: Opponent) => void} play */
  constructor(play) {
    this.#play = play;
    // The cards are there before the server has said what it plays.
    this.show(strings.kinds);
  }

  /** @param {readonly string[]} kinds of games */
  show(kinds) {
    update(this.element, kinds.map((rules) => this.#card(rules)));
  }

  /** @param {string} rules */
  #card(rules) {
    const game = strings.gameName(rules);
    const play = (/** @type {Opponent} */ against) => () => this.#play(rules, against);
    return html(
      "li",
      { class: "game-card", "data-key": rules },
      emblem(rules),
      html("h3", {}, game),
      html("p", { class: "goal" }, goalOf(rules)),
      html("a", { class: "learn", href: `/learn/${rules}` }, t.learn, html("span", { class: "visually-hidden" }, `: ${game}`)),
      html(
        "div",
        { class: "go" },
        html("button", { "data-rules": rules, "aria-label": t.playComputer(game), onclick: play("computer") }, t.computer),
        html("button", { class: "quiet", "data-person": rules, "aria-label": t.playPerson(game), onclick: play("person") }, t.person),
        html("button", { class: "quiet", "data-friend": rules, "aria-label": t.playFriend(game), onclick: play("friend") }, t.friend),
      ),
    );
  }
}
