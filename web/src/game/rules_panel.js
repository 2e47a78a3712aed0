// What the user wants and how: the goal in a strip beside the board, and the rules in a few sentences.

import { strings } from "../strings/strings.js";
import { html, update } from "../ui/element.js";

/** @import {Snapshot} from "../wire.js" */

const t = strings.game;

export class RulesPanel {
  element = html("section", { class: "rules-panel panel", tabindex: 0 });

  /**
   * @param {Snapshot} snapshot
   * @param {number | undefined} seat
   */
  show({ rules, options, seats, clock, rated }, seat) {
    const kind = strings.kind(rules);
    const about = [strings.options(options), strings.clock(clock), rated ? strings.home.rated : strings.home.unrated];
    update(
      this.element,
      html("h2", {}, strings.gameName(rules)),
      html("p", { class: "goal-sentence" }, t.goal(kind, seat, seats.length)),
      html("ul", { class: "rule-list" }, t.rulesOf(kind, seats.length).map((rule) => html("li", {}, rule))),
      html("p", {}, html("a", { href: `/rules/${kind}` }, t.allRules)),
      html("p", { class: "about" }, about.filter(Boolean).join(" · ")),
    );
  }
}

/** The goal in one sentence, or that the user is out. The result takes its place when the game is over. */
export class Goal {
  element = html("section", { class: "goal-strip", "aria-label": t.goalRegion });
  #onRules;

  /** @param {() => void} onRules called to show the rules */
  constructor(onRules) {
    this.#onRules = onRules;
  }

  /**
   * @param {Snapshot} snapshot
   * @param {number | undefined} seat
   */
  show(snapshot, seat) {
    const { seats, rules, result, clock, rated } = snapshot;
    this.element.hidden = result != null;
    const state = seat === undefined ? "in" : (seats[seat]?.state ?? "in");
    const goal = t.goal(strings.kind(rules), seat, seats.length);
    const about = [strings.gameName(rules), strings.clock(clock), rated && strings.home.rated];
    update(
      this.element,
      html("p", { class: "about" }, about.filter(Boolean).join(" · ")),
      html("p", { class: "goal-text" }, state === "in" ? t.goalSentence(goal) : t.youAreOut(state)),
      html("button", { class: "quiet rules-button", onclick: this.#onRules }, t.rules),
    );
  }
}
