// A form for what is played on a board: the number of players, the options, and perhaps names.

import { loadCatalogue } from "../net/catalogue.js";
import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { OptionFields } from "../ui/option_fields.js";
import { strings } from "../strings/strings.js";

/** @import {App} from "../app.js" */
/** @import {Options} from "../wire.js" */

const t = strings.analysis.setUp;

/** Letters of a name. */
const NAME_MAX = 32;

/** @typedef {{ options: Options, players: number, users: string[] }} SetUp */

export class SetUpForm {
  #app;
  #rules;
  #withNames;
  #players = html("select", { name: "players", onchange: () => this.#showNames() });
  #names = html("div", { class: "names" });
  #options = new OptionFields();
  #error = html("p", { class: "error", role: "alert" });
  element;

  /**
   * @param {App} app
   * @param {string} rules
   * @param {{ names?: readonly string[], button: string }} how with names, if some are given
   * @param {(setUp: SetUp) => void} onDone
   */
  constructor(app, rules, { names, button }, onDone) {
    this.#app = app;
    this.#rules = rules;
    this.#withNames = names;
    const players = html("label", { class: "field" }, html("span", {}, strings.newGame.players), this.#players);
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#submit(onDone);
    };
    this.element = html("form", { class: "analysis-set-up", onsubmit }, players, this.#names, this.#options.element, this.#error, html("button", {}, button));
    void this.#load(players);
  }

  /** @param {HTMLElement} row */
  async #load(row) {
    try {
      const { games } = await loadCatalogue(this.#app.connection);
      const game = games.find((each) => strings.kind(each.rules) === this.#rules);
      fill(this.#players, (game?.players ?? [2]).map((players) => html("option", { value: players }, players)));
      row.hidden = (game?.players.length ?? 1) < 2;
      this.#options.show(this.#rules, game?.options ?? []);
      this.#showNames();
    } catch (error) {
      fill(this.#error, errorText(error));
    }
  }

  get #count() {
    return Number(this.#players.value) || 2;
  }

  #showNames() {
    const { sides } = strings.analysis;
    const fields = this.#withNames && Array.from({ length: this.#count }, (_, seat) =>
      html(
        "label",
        { class: "field", "data-key": seat },
        html("span", {}, t.name(seat + 1)),
        html("input", { name: `name-${seat}`, maxlength: NAME_MAX, autocomplete: "off", placeholder: sides[seat] ?? "", value: this.#withNames?.[seat] ?? "" }),
      ),
    );
    update(this.#names, ...(fields ?? []));
  }

  /** @param {(setUp: SetUp) => void} onDone */
  async #submit(onDone) {
    const options = this.#options.read();
    if (options instanceof HTMLElement) return options.focus();
    fill(this.#error);
    const players = this.#count;
    try {
      // The server knows which options go together.
      await this.#app.connection.request({ type: "explore", rules: this.#rules, options, players });
    } catch (error) {
      return fill(this.#error, errorText(error));
    }
    const inputs = [...this.#names.querySelectorAll("input")];
    const users = Array.from({ length: players }, (_, seat) => inputs[seat]?.value.trim() || strings.analysis.sides[seat] || String(seat + 1));
    return onDone({ options, players, users });
  }
}
