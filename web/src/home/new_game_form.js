// The form for a game with chosen rules, options, opponents and clock.

import { isUserName } from "../net/validation.js";
import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { challenge, seek } from "./matchmaking.js";

/** @import {Clock, GameOption, PlayableGame} from "../wire.js" */
/** @import {App} from "../app.js" */
/** @import {HousePicker} from "./house.js" */
/** @import {GameConfig} from "./matchmaking.js" */

const t = strings.newGame;

/** The fields of each clock mode, with the unit on the wire and the preset. */
const CLOCKS = /** @type {const} */ ({
  none: [],
  fischer: [
    { name: "base_ms", label: t.minutes, unit: 60_000, preset: 10 },
    { name: "inc_ms", label: t.increment, unit: 1_000, preset: 5 },
  ],
  per_move: [{ name: "move_ms", label: t.seconds, unit: 1_000, preset: 60 }],
  byoyomi: [
    { name: "base_ms", label: t.minutes, unit: 60_000, preset: 10 },
    { name: "periods", label: t.periods, unit: 1, preset: 3 },
    { name: "period_ms", label: t.period, unit: 1_000, preset: 30 },
  ],
  days: [{ name: "per_move_days", label: t.dayCount, unit: 1, preset: 3 }],
});

/** @typedef {keyof typeof CLOCKS} Mode */

export class NewGameForm {
  element = html("form", { class: "card new-game", onsubmit: (/** @type {Event} */ event) => this.#submit(event) });
  #app;
  #housePicker;
  #rules = html("select", { name: "rules", onchange: () => this.#onGameChosen() });
  #against = html("select", { name: "against", onchange: () => this.#showRows() });
  #level = html("select", { name: "level", onchange: () => (this.#level.dataset["chosen"] = "") });
  #mode = html("select", { name: "mode", onchange: () => this.#showRows() });
  #players = html("select", { name: "players", onchange: () => this.#showRows() });
  #seat = html("select", { name: "seat" });
  #names = html("input", { name: "names", autocomplete: "off" });
  #rated = html("input", { type: "checkbox", name: "rated" });
  #bots = html("input", { type: "checkbox", name: "bots", checked: true });
  #guests = html("input", { type: "checkbox", name: "guests", checked: true });
  /** Fields of clocks, by name. @type {Map<string, HTMLInputElement>} */
  #times = new Map();
  /** @type {Map<string, HTMLElement>} */
  #timeRows = new Map();
  /** Games of the catalogue. @type {PlayableGame[]} */
  #games = [];
  /** Fields of the chosen game's options. @type {Map<string, HTMLInputElement>} */
  #options = new Map();
  #optionsOf = "";
  #optionRows = html("div", { class: "options" });
  /** Rows that only some games need. @type {Record<string, HTMLElement>} */
  #rows;
  #nameLabel = html("span", {}, t.name);
  /** How long a game waits for an absent player. */
  #claimAfter = html("p", { class: "soft" });
  #waiting = html("p", { class: "soft", role: "status" });
  #error = html("p", { class: "error", role: "alert" });

  /**
   * @param {App} app
   * @param {HousePicker} housePicker
   */
  constructor(app, housePicker) {
    this.#app = app;
    this.#housePicker = housePicker;
    setOptions(this.#against, { house: t.house, anyone: t.anyone, friend: t.friend });
    setOptions(this.#mode, {
      none: t.noClock,
      fischer: t.perGame,
      per_move: t.perMove,
      byoyomi: t.byoyomi,
      days: t.days,
    });
    for (const { name, label, preset } of Object.values(CLOCKS).flat()) {
      if (this.#times.has(name)) continue;
      const input = html("input", { type: "number", name, min: 0, value: preset });
      this.#times.set(name, input);
      this.#timeRows.set(name, row(label, input));
    }
    this.#rows = {
      level: row(t.level, this.#level),
      names: html("label", { class: "field" }, this.#nameLabel, this.#names),
      players: row(t.players, this.#players),
      rated: tick(t.rated, this.#rated),
      bots: tick(t.bots, this.#bots),
      guests: tick(t.guests, this.#guests),
    };
    this.#layOut();
    this.#showRows();
  }

  /**
   * Lays all rows out once. Later they are only shown and hidden, so that they keep their input.
   */
  #layOut() {
    const { level = "", names = "", players = "", rated = "", bots = "", guests = "" } = this.#rows;
    fill(
      this.element,
      html("h2", {}, t.heading),
      row(t.game, this.#rules),
      this.#optionRows,
      row(t.against, this.#against),
      level,
      names,
      players,
      row(t.seat, this.#seat),
      row(t.clock, this.#mode),
      [...this.#timeRows.values()],
      this.#claimAfter,
      rated,
      bots,
      guests,
      this.#waiting,
      this.#error,
      html("button", { type: "submit" }, t.start),
    );
  }

  /**
   * Prepares a challenge to a user.
   * @param {string} name
   */
  challenge(name) {
    this.#against.value = "friend";
    this.#names.value = name;
    this.#showRows();
    // The form is far down the page: focus it once it is laid out.
    requestAnimationFrame(() => this.#names.focus());
  }

  /**
   * Lists the games of the catalogue.
   * @param {PlayableGame[]} games
   */
  setGames(games) {
    this.#games = games;
    const names = games.map(({ rules }) => [strings.kind(rules), strings.gameName(rules)]);
    setOptions(this.#rules, Object.fromEntries(names));
    setOptions(this.#level, this.#housePicker.levels);
    if (this.#level.dataset["chosen"] === undefined) this.#level.value = this.#housePicker.user;
    this.#onGameChosen();
  }

  /** Shows the options and the numbers of players of the chosen game. */
  #onGameChosen() {
    const game = this.#games.find(({ rules }) => strings.kind(rules) === this.#rules.value);
    if (game === undefined) return;
    setOptions(this.#players, Object.fromEntries(game.players.map((players) => [players, players])));
    const before = this.#optionsOf === this.#rules.value ? this.#options : new Map();
    this.#optionsOf = this.#rules.value;
    this.#options = new Map(game.options.map((option) => [option.name, keepInput(before.get(option.name), field(option))]));
    fill(this.#error);
    fill(
      this.#optionRows,
      [...this.#options].map(([name, input]) => (input.type === "checkbox" ? tick(name, input) : row(name, input))),
    );
    this.#showRows();
  }

  /** Shows the rows that the current choices need. */
  #showRows() {
    const against = this.#against.value;
    const players = against === "house" ? 2 : Number(this.#players.value) || 2;
    const seats = Array.from({ length: players }, (_, seat) => [seat, t.seatNumber(seat)]);
    setOptions(this.#seat, { random: t.anySeat, ...Object.fromEntries(seats) });
    fill(this.#nameLabel, players > 2 ? t.names : t.name);
    const shown = /** @type {Record<string, boolean>} */ ({
      level: against === "house" && this.#level.options.length > 1,
      names: against === "friend",
      players: against !== "house" && this.#players.options.length > 1,
      rated: against !== "house",
      bots: against === "anyone",
      guests: against === "anyone",
    });
    for (const [name, element] of Object.entries(this.#rows)) element.hidden = !shown[name];
    const asked = CLOCKS[/** @type {Mode} */ (this.#mode.value)].map(({ name }) => String(name));
    for (const [name, element] of this.#timeRows) element.hidden = !asked.includes(name);
    this.#optionRows.hidden = this.#options.size === 0;
    const after = this.#app.connection.welcome?.claim_after;
    fill(this.#claimAfter, against !== "house" && after != null && strings.claimAfter(this.#mode.value, after));
  }

  /** @returns {GameConfig} */
  #config() {
    const mode = /** @type {Mode} */ (this.#mode.value);
    const options = [...this.#options].flatMap(([name, input]) => value(name, input));
    const times = CLOCKS[mode].map(({ name, unit }) => [
      name,
      Math.round(Number(this.#times.get(name)?.value) * unit),
    ]);
    const clock = /** @type {Clock} */ ({ mode, ...Object.fromEntries(times) });
    return {
      rules: this.#rules.value,
      options: Object.fromEntries(options),
      clock,
      rated: this.#rated.checked && this.#against.value !== "house",
    };
  }

  /** @param {Event} event */
  async #submit(event) {
    event.preventDefault();
    fill(this.#error);
    fill(this.#waiting);
    try {
      await this.#start();
    } catch (error) {
      fill(this.#error, errorText(error));
    }
  }

  async #start() {
    const seat = this.#seat.value === "random" ? "random" : Number(this.#seat.value);
    const players = Number(this.#players.value);
    const config = this.#config();
    switch (this.#against.value) {
      case "house": {
        await challenge(this.#app, config, [this.#level.value || this.#housePicker.user], seat, { immediate: true });
        return;
      }
      case "friend": {
        const names = this.#names.value.split(/[\s,]+/).filter((name) => name !== "");
        const wrong = names.find((name) => !isUserName(name));
        if (wrong !== undefined) return void fill(this.#error, t.noName(wrong));
        if (names.length !== players - 1) return void fill(this.#error, t.namesMissing(players - 1));
        const waits = await challenge(this.#app, config, names, seat);
        if (waits !== undefined) fill(this.#waiting, strings.home.asked);
        return;
      }
      default: {
        const allow = { bots: this.#bots.checked, guests: this.#guests.checked };
        await seek(this.#app, config, { players, seat, allow });
      }
    }
  }
}

/**
 * The field of an option. An empty field means the game's default.
 * @param {GameOption} option
 */
function field({ name, kind, least, most, about }) {
  if (kind === "flag") return html("input", { type: "checkbox", name, title: about });
  const placeholder = t.byDefault;
  if (kind === "word") return html("input", { name, title: about, placeholder, autocomplete: "off" });
  return html("input", {
    type: "number",
    name,
    title: about,
    placeholder,
    min: least ?? undefined,
    max: most ?? undefined,
  });
}

/**
 * Returns the value of an option, if it was set.
 * @param {string} name
 * @param {HTMLInputElement} input
 * @returns {[string, boolean | number | string][]}
 */
function value(name, input) {
  if (input.type === "checkbox") return input.checked ? [[name, true]] : [];
  if (input.value === "") return [];
  return [[name, input.type === "number" ? Number(input.value) : input.value]];
}

/**
 * Sets the options of a select element. The choice stays if it is still possible.
 * @param {HTMLSelectElement} select
 * @param {Record<string, string | number>} entries
 */
function setOptions(select, entries) {
  const wanted = Object.entries(entries);
  // Objects list numeric keys first, but "random" is the first option.
  wanted.sort(([one], [other]) => Number(other === "random") - Number(one === "random"));
  const same = wanted.length === select.options.length && wanted.every(([value], at) => select.options[at]?.value === value);
  if (same) return;
  const { value } = select;
  fill(select, wanted.map(([value, text]) => html("option", { value }, text)));
  if (value in entries) select.value = value;
}

/**
 * Returns a new field with the input of the old one.
 * @param {HTMLInputElement | undefined} before
 * @param {HTMLInputElement} now
 */
function keepInput(before, now) {
  if (before?.type !== now.type) return now;
  now.value = before.value;
  now.checked = before.checked;
  return now;
}

/**
 * @param {string} label
 * @param {Node | string} field
 */
function row(label, field) {
  return html("label", { class: "field" }, html("span", {}, label), field);
}

/**
 * @param {string} label
 * @param {Node} field
 */
function tick(label, field) {
  return html("label", { class: "tick" }, field, " ", label);
}
