// The rules of the game in a few sentences, beside the board.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";

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
