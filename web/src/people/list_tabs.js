// Links between the views of each game and number of players, and of everyone, people or bots. The
// address holds what is chosen: `/standings/hexma#2,bots`.

import { html } from "../ui/element.js";
import { strings } from "../strings/strings.js";

/** @import {PlayableGame} from "../wire.js" */

/**
 * What a view shows.
 * @template {string} Who
 * @typedef {object} Shown
 * @property {"standings" | "stats"} view
 * @property {string} rules
 * @property {number} players
 * @property {Who} who
 */

/**
 * What an address says after `#`. Without a known word it is the first choice.
 * @template {string} Who
 * @param {string} hash
 * @param {readonly [Who, ...Who[]]} choices
 */
export function readHash(hash, choices) {
  const [players, who] = hash.slice(1).split(",");
  return { players: Number(players), who: choices.find((each) => each === who) ?? choices[0] };
}

/**
 * Links to the same view of each game and number of players.
 * @template {string} Who
 * @param {Shown<Who>} shown
 * @param {PlayableGame[]} games
 */
export function gameTabs(shown, games) {
  const links = games.flatMap((game) => {
    const rules = strings.kind(game.rules);
    const name = strings.gameName(rules);
    const text = (/** @type {number} */ players) => (game.players.length > 1 ? `${name}, ${strings.users.tables(players)}` : name);
    return game.players.map((players) => tab(shown, { rules, players }, text(players)));
  });
  return html("nav", { class: "tabs", "aria-label": strings.rules.games }, links);
}

/**
 * Links to the same view of everyone, and of some only.
 * @template {string} Who
 * @param {Shown<Who>} shown
 * @param {string} label
 * @param {Record<Who, string>} names
 */
export function whoTabs(shown, label, names) {
  const choices = /** @type {[Who, string][]} */ (Object.entries(names));
  return html("nav", { class: "tabs", "aria-label": label }, choices.map(([who, text]) => tab(shown, { who }, text)));
}

/**
 * @template {string} Who
 * @param {Shown<Who>} shown
 * @param {Partial<Shown<Who>>} change
 * @param {string} text
 */
function tab(shown, change, text) {
  const to = address({ ...shown, ...change });
  return html("a", { href: to, class: "tab", "aria-current": to === address(shown) ? "page" : undefined }, text);
}

/** @param {Shown<string>} shown */
function address({ view, rules, players, who }) {
  return `/${view}/${rules}#${players}${who === "everyone" ? "" : `,${who}`}`;
}
