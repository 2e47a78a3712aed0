// The options of a game that few people change: players, seats, ratings, who may join and watch,
// and the options of the rules.

import { fill, html } from "../ui/element.js";
import { OptionFields } from "../ui/option_fields.js";
import { strings } from "../strings/strings.js";

/** @import {PlayableGame} from "../wire.js" */

const t = strings.newGame;

/** Ratings that can be asked for. */
const RATING = { least: 100, most: 4_000 };

/** The largest delay for spectators, in moves. */
const DELAY_MAX = 10;

export class MoreOptions {
  element;
  #players = html("select", { name: "players", onchange: () => this.#onChange() });
  #seat = html("select", { name: "seat" });
  #options = new OptionFields();
  #rated = html("input", { type: "checkbox", name: "rated", onchange: () => this.#onChange() });
  #needsAccount = html("small", { class: "soft", id: "needs-account" }, t.needsAccount);
  #bots = html("input", { type: "checkbox", name: "bots", checked: true });
  #guests = html("input", { type: "checkbox", name: "guests", checked: true });
  #lasting = html("input", { type: "checkbox", name: "lasting" });
  #unlisted = html("input", { type: "checkbox", name: "unlisted" });
  #ratingFrom = ratingInput("rating-from");
  #ratingTo = ratingInput("rating-to");
  #ratingError = html("small", { class: "error", role: "alert", id: "rating-error" });
  #delay = html("select", { name: "delay" });
  #rows;
  #onChange;

  /** @param {() => void} onChange called when other fields depend on what was chosen */
  constructor(onChange) {
    this.#onChange = onChange;
    setOptions(this.#delay, Array.from({ length: DELAY_MAX + 1 }, (_, moves) => [String(moves), moves === 0 ? t.noDelay : t.delayMoves(moves)]));
    this.#rows = {
      players: row(t.players, this.#players),
      seat: row(t.seat, this.#seat),
      rated: html("div", { class: "tick" }, html("label", {}, this.#rated, " ", t.rated), this.#needsAccount),
      rating: html(
        "div",
        { class: "option" },
        html(
          "div",
          { class: "field", role: "group", "aria-label": t.ratingFrom },
          html("span", {}, t.ratingFrom),
          html("span", { class: "pair" }, this.#ratingFrom, html("label", { for: "rating-to" }, t.ratingTo), this.#ratingTo),
        ),
        this.#ratingError,
      ),
      lasting: tick(t.lasting, this.#lasting),
      bots: tick(t.bots, this.#bots),
      guests: tick(t.guests, this.#guests),
      unlisted: tick(t.unlisted, this.#unlisted),
      delay: row(t.delay, this.#delay),
    };
    const { players, seat, ...others } = this.#rows;
    this.element = html(
      "details",
      { class: "more" },
      html("summary", {}, t.more),
      players,
      seat,
      this.#options.element,
      Object.values(others),
    );
  }

  /** The chosen number of players. */
  get players() {
    return Number(this.#players.value) || 2;
  }

  /**
   * Shows the rows that a set-up needs.
   * @param {{ rules: string, game: PlayableGame | undefined, against: string, watches: boolean, hasAccount: boolean, lasts: boolean }} setUp
   */
  show({ rules, game, against, watches, hasAccount, lasts }) {
    const alone = against === "computer";
    setOptions(this.#players, (game?.players ?? [2]).map((players) => [String(players), String(players)]));
    const seats = Array.from({ length: this.players }, (_, seat) => /** @type {[string, string]} */ ([String(seat), t.seatNumber(seat)]));
    setOptions(this.#seat, [["random", t.anySeat], ...seats]);
    this.#options.show(rules, game?.options ?? []);
    this.#rated.disabled = !hasAccount;
    this.#needsAccount.hidden = hasAccount;
    const shown = {
      players: this.#players.options.length > 1,
      seat: !watches,
      rated: !alone,
      rating: against === "person" && hasAccount,
      lasting: against === "person" && lasts,
      bots: against === "person",
      guests: against === "person",
      unlisted: !alone,
      delay: !alone,
    };
    for (const [name, element] of Object.entries(this.#rows)) element.hidden = !shown[/** @type {keyof typeof shown} */ (name)];
    this.#options.setRated(isOn(this.#rated, this.#rows.rated));
  }

  /** Checks what was entered. Returns it, or the first field that is wrong. */
  read() {
    const options = this.#options.read();
    if (options instanceof HTMLElement) return this.#open(options);
    const range = this.#readRating();
    if (range instanceof HTMLElement) return this.#open(range);
    const { rated, unlisted, lasting, delay: delayRow } = this.#rows;
    const delay = delayRow.hidden ? 0 : Number(this.#delay.value);
    return {
      config: {
        options,
        rated: isOn(this.#rated, rated),
        ...(isOn(this.#unlisted, unlisted) ? { unlisted: true } : {}),
        ...(delay > 0 ? { delay } : {}),
      },
      players: this.players,
      seat: this.#seat.value === "random" ? /** @type {const} */ ("random") : Number(this.#seat.value),
      allow: { bots: this.#bots.checked, guests: this.#guests.checked },
      stay: { ...(range === undefined ? {} : { rating: range }), ...(isOn(this.#lasting, lasting) ? { lasting: true } : {}) },
    };
  }

  #readRating() {
    fill(this.#ratingError);
    if (this.#rows.rating.hidden) return undefined;
    const [from, to] = [this.#ratingFrom, this.#ratingTo];
    const wrong = [from, to].find(({ value }) => value !== "" && !(Number(value) >= RATING.least && Number(value) <= RATING.most));
    const [min, max] = [Number(from.value) || RATING.least, Number(to.value) || RATING.most];
    const fault = wrong !== undefined ? t.range(RATING.least, RATING.most) : min > max ? t.ratingOrder : "";
    fill(this.#ratingError, fault);
    for (const input of [from, to]) input.setAttribute("aria-invalid", String(fault !== ""));
    if (fault !== "") return wrong ?? from;
    return from.value === "" && to.value === "" ? undefined : { min, max };
  }

  /**
   * Opens the section of a field that is wrong.
   * @param {HTMLElement} field
   */
  #open(field) {
    this.element.open = true;
    return field;
  }
}

/**
 * @param {HTMLInputElement} field
 * @param {HTMLElement} shownIn
 */
export function isOn(field, shownIn) {
  return !shownIn.hidden && field.checked && !field.disabled;
}

/** @param {string} name */
function ratingInput(name) {
  return html("input", { type: "number", name, id: name, min: RATING.least, max: RATING.most, inputmode: "numeric", "aria-describedby": "rating-error" });
}

/**
 * Sets the options of a select element. The choice stays if it is still possible.
 * @param {HTMLSelectElement} select
 * @param {readonly (readonly [string, string])[]} entries
 */
function setOptions(select, entries) {
  const same = entries.length === select.options.length && entries.every(([value], at) => select.options[at]?.value === value);
  if (same) return;
  const { value } = select;
  fill(select, entries.map(([each, text]) => html("option", { value: each }, text)));
  if (entries.some(([each]) => each === value)) select.value = value;
}

/**
 * @param {string} label
 * @param {Node} field
 */
function row(label, field) {
  return html("label", { class: "field" }, html("span", {}, label), field);
}

/**
 * @param {string} label
 * @param {Node} field
 */
export function tick(label, field) {
  return html("div", { class: "tick" }, html("label", {}, field, " ", label));
}
