// The strip that says what the user wants: the goal in one sentence, or that the user is out. The
// result takes its place when the game is over.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";

/** @import {Snapshot} from "../wire.js" */

const t = strings.game;

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
