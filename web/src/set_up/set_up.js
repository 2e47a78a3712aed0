// The dialog that sets up a game: the game, the opponent and the time first, everything else under
// "More options". What was chosen stays while the view is shown, and the browser remembers it.

import { isUserName } from "../net/validation.js";
import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { nearest, playComputer, watchComputers } from "../ui/house.js";
import { storage } from "../strings/storage.js";
import { strings } from "../strings/strings.js";
import { ClockChoice } from "./clock_choice.js";
import { emblem } from "../ui/emblems.js";
import { InviteLink } from "./invite_link.js";
import { Choice, LevelPicker } from "./choices.js";
import { challenge, invite, seek } from "./challenges.js";
import { isOn, MoreOptions, tick } from "./more_options.js";

/** @import {HousePlayer, PlayableGame} from "../wire.js" */
/** @import {App} from "../app.js" */

/** The opponents that one can choose. @typedef {"computer" | "person" | "friend"} Opponent */

const t = strings.newGame;

/** @satisfies {import("./challenges.js").GameConfig["clock"]} */
const NO_CLOCK = { mode: "none" };

/** The storage key of the time that was chosen last. */
const TIME_KEY = "adamant.time";

export class SetUp {
  element = html("dialog", { class: "set-up", "aria-labelledby": "set-up-title", onclose: () => this.#onClose() });
  #app;
  #onWaiting;
  /** @type {PlayableGame[]} */
  #games = [];
  /** @type {HousePlayer[]} */
  #bots = [];
  #rules = new Choice("rules", t.game, () => this.#show());
  #against = new Choice("against", t.against, () => this.#show());
  #how = new Choice("how", t.how, () => this.#show());
  #level = new LevelPicker(storage, "level", t.level);
  #clock = new ClockChoice(() => this.#show());
  #more = new MoreOptions(() => this.#show());
  #names = html("input", { name: "names", autocomplete: "off", spellcheck: "false" });
  #nameLabel = html("span", {}, t.name);
  #nameRow = html("label", { class: "field" }, this.#nameLabel, this.#names);
  #besideLink = html("a", {}, strings.analysis.hotSeat);
  #third = html("input", { type: "checkbox", name: "third", onchange: () => this.#show() });
  #thirdRow = tick(t.third, this.#third);
  #watching = html("input", { type: "checkbox", name: "watching", onchange: () => this.#show() });
  #watchRow = tick(t.watchComputers, this.#watching);
  #both = html("p", { class: "soft" }, t.bothComputers);
  #beside = html("p", { class: "soft beside" }, t.beside, " ", this.#besideLink);
  #allBots = html("p", { class: "soft all-bots" }, html("a", { href: "/bots" }, strings.bots.link));
  #claimAfter = html("p", { class: "soft" });
  #error = html("p", { class: "error", role: "alert" });
  #submit = html("button", { type: "submit" });
  #form;
  #link = new InviteLink();

  /**
   * @param {App} app
   * @param {() => void} onWaiting called when a game waits for an opponent
   */
  constructor(app, onWaiting) {
    this.#app = app;
    this.#onWaiting = onWaiting;
    this.#against.offer([["computer", t.computer], ["person", t.person], ["friend", t.friend]]);
    this.#how.offer([["link", t.byLink], ["name", t.byName]]);
    this.#offerGames(strings.kinds);
    this.#clock.choose(storage.getItem(TIME_KEY) ?? "slow");
    this.#form = html(
      "form",
      { novalidate: true, onsubmit: (/** @type {Event} */ event) => this.#onSubmit(event) },
      this.#rules.element,
      this.#against.element,
      this.#how.element,
      this.#nameRow,
      this.#thirdRow,
      this.#level.element,
      this.#watchRow,
      this.#both,
      this.#allBots,
      this.#beside,
      this.#clock.element,
      this.#more.element,
      this.#claimAfter,
      this.#error,
      html("div", { class: "submit" }, this.#submit),
    );
    const close = html("button", { class: "quiet close", type: "button", "aria-label": t.close, onclick: () => this.element.close() }, "✕");
    this.element.append(html("header", {}, html("h2", { id: "set-up-title" }, t.heading), close), this.#form, this.#link.element);
    // A click beside the dialog closes it.
    this.element.addEventListener("click", (event) => {
      if (event.target === this.element) this.element.close();
    });
    this.#show();
  }

  /**
   * Opens the dialog.
   * @param {{ rules?: string, against?: Opponent, name?: string }} [preset]
   */
  open({ rules, against, name } = {}) {
    fill(this.#error);
    this.#link.hide();
    this.#form.hidden = false;
    if (rules !== undefined) this.#rules.value = rules;
    if (against !== undefined) this.#against.value = against;
    if (name !== undefined) {
      this.#how.value = "name";
      this.#names.value = name;
    }
    this.#level.refresh();
    this.#show();
    if (!this.element.open) this.element.showModal();
    this.#rules.element.querySelector("input:checked")?.scrollIntoView({ block: "nearest" });
    if (name !== undefined) this.#submit.focus();
    else /** @type {HTMLElement | null} */ (this.#rules.element.querySelector("input:checked"))?.focus();
  }

  /**
   * Lists the games and bots of the server.
   * @param {PlayableGame[]} games
   * @param {HousePlayer[]} bots
   */
  setCatalogue(games, bots) {
    this.#games = games;
    this.#bots = bots;
    this.#offerGames(games.map(({ rules }) => strings.kind(rules)));
    this.#show();
  }

  /** @param {readonly string[]} kinds of games */
  #offerGames(kinds) {
    this.#rules.offer(kinds.map((rules) => [rules, strings.gameName(rules), emblem(rules)]));
  }

  /** Shows the rows that the current choices need. */
  #show() {
    const [against, rules] = [this.#against.value, this.#rules.value];
    const user = this.#app.connection.welcome?.user;
    const game = this.#games.find((each) => strings.kind(each.rules) === rules);
    const byName = against === "friend" && this.#how.value === "name";
    this.#watchRow.hidden = against !== "computer" || this.#bots.length === 0;
    this.#more.show({
      rules,
      game,
      against,
      watches: this.#onlyWatches,
      hasAccount: user != null && !user.guest && !user.bot,
      lasts: ["days", "none"].includes(this.#clock.mode),
    });
    const three = this.#more.players > 2;
    this.#thirdRow.hidden = !byName || !three || this.#bots.length === 0;
    this.#level.element.hidden = against !== "computer" && !this.#hasThird;
    this.#clock.element.hidden = this.#onlyWatches;
    this.#both.hidden = against !== "computer" || !three || this.#onlyWatches;
    const rating = this.#app.connection.welcome?.user?.ratings?.[`${rules}/2`];
    this.#level.show({ house: this.#bots, kind: rules, ...(rating != null && { rating }) });
    this.#allBots.hidden = against !== "computer";
    this.#how.element.hidden = against !== "friend";
    this.#nameRow.hidden = !byName;
    this.#beside.hidden = against !== "friend";
    this.#besideLink.setAttribute("href", `/analysis/${rules}?hotseat`);
    fill(this.#nameLabel, three && !this.#hasThird ? t.names : t.name);
    const after = this.#app.connection.welcome?.claim_after;
    fill(this.#claimAfter, against !== "computer" && after != null && strings.claimAfter(this.#clock.mode, after));
    const texts = { computer: this.#onlyWatches ? t.watch : t.play, person: t.findOpponent, friend: byName ? t.challenge : t.invite };
    fill(this.#submit, texts[/** @type {Opponent} */ (against)]);
  }

  /** @param {Event} event */
  async #onSubmit(event) {
    event.preventDefault();
    fill(this.#error);
    const clock = this.#onlyWatches ? NO_CLOCK : this.#clock.read();
    if (clock instanceof HTMLInputElement) return clock.focus();
    const more = this.#more.read();
    if (more instanceof HTMLElement) return more.focus();
    storage.setItem(TIME_KEY, this.#clock.preset);
    this.#submit.disabled = true;
    try {
      await this.#start({ rules: this.#rules.value, clock, ...more.config }, more);
    } catch (error) {
      fill(this.#error, errorText(error));
    }
    this.#submit.disabled = false;
    return undefined;
  }

  /**
   * @param {import("./challenges.js").GameConfig} config
   * @param {Exclude<ReturnType<MoreOptions["read"]>, HTMLElement>} more
   */
  async #start(config, { players, seat, allow, stay }) {
    const against = this.#against.value;
    if (this.#onlyWatches) return watchComputers(this.#app, config, this.#bots, this.#level.level, players);
    if (against === "computer") {
      await playComputer(this.#app, config, this.#bots, this.#level.level, { players, seat });
      return;
    }
    if (against === "person") {
      const waits = await seek(this.#app, config, { players, seat, allow, ...stay });
      if (waits !== undefined) this.#leave();
      return;
    }
    if (this.#how.value === "link") {
      const made = await invite(this.#app, config, { players, seat });
      this.#form.hidden = true;
      this.#link.show(made, config.rules);
      this.#onWaiting();
      return;
    }
    const names = this.#names.value.split(/[\s,]+/).filter((name) => name !== "");
    const wrong = names.find((name) => !isUserName(name));
    const computers = this.#hasThird ? nearest(this.#bots, this.#level.level).slice(0, 1) : [];
    const people = players - 1 - computers.length;
    const fault = wrong !== undefined ? t.noName(wrong) : names.length !== people ? t.namesMissing(people) : "";
    this.#names.setAttribute("aria-invalid", String(fault !== ""));
    if (fault !== "") {
      fill(this.#error, fault);
      this.#names.focus();
      return;
    }
    const others = [...names, ...computers.map(({ user }) => user)];
    const waits = await challenge(this.#app, config, others, seat);
    if (waits !== undefined) this.#leave();
  }

  /** Whether the computer takes the third seat beside a friend. */
  get #hasThird() {
    return isOn(this.#third, this.#thirdRow);
  }

  /** Whether the computer plays itself. */
  get #onlyWatches() {
    return isOn(this.#watching, this.#watchRow);
  }

  #leave() {
    this.element.close();
    this.#onWaiting();
  }

  #onClose() {
    fill(this.#error);
  }
}
