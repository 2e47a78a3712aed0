// The games that wait for an opponent: anybody may join.

import { html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { emblem } from "../ui/emblems.js";
import { accept } from "../set_up/matchmaking.js";

/** @import {SeekEntry} from "../wire.js" */
/** @import {App} from "../app.js" */
/** @import {Lobby} from "./lobby.js" */

const t = strings.home;

export class OpenGames {
  element = html("section", { class: "open-games" });
  #app;
  #lobby;
  #open;

  /**
   * @param {App} app
   * @param {Lobby} lobby
   * @param {() => void} open opens the dialog for a new game
   */
  constructor(app, lobby, open) {
    this.#app = app;
    this.#lobby = lobby;
    this.#open = open;
    lobby.onChange(() => this.#draw());
    this.#draw();
  }

  #draw() {
    const seeks = this.#lobby.others;
    update(
      this.element,
      html("div", { class: "heading" }, html("h2", {}, t.seeks), html("button", { class: "quiet open-game", onclick: () => this.#open() }, t.open)),
      seeks.length > 0
        ? html("ul", { class: "rows" }, seeks.map((seek) => this.#row(seek)))
        : html("p", { class: "empty" }, this.#lobby.loaded ? t.noSeeks : strings.loading),
    );
  }

  /** @param {SeekEntry} seek */
  #row(seek) {
    const join = async () => {
      try {
        await accept(this.#app, { seek: seek.seek });
      } catch (error) {
        this.#app.showToast(errorText(error));
      }
    };
    return html(
      "li",
      { "data-seek": seek.seek, "data-key": seek.seek },
      emblem(seek.rules),
      html("span", { class: "who" }, seek.joined.join(", ")),
      html("span", { class: "about", id: `about-${seek.seek}` }, seekInWords(seek)),
      html("button", { "aria-describedby": `about-${seek.seek}`, onclick: join }, t.join),
    );
  }
}

/**
 * The terms of a seek.
 * @param {SeekEntry} seek
 */
export function seekInWords(seek) {
  return [
    strings.gameName(seek.rules),
    strings.clock(seek.clock),
    strings.options(seek.options, seek.rules),
    seek.players > 2 && t.seated(seek.joined.length, seek.players),
    seek.rated && t.rated,
    seek.rating != null && t.ratedFrom(seek.rating.min, seek.rating.max),
    seek.bot && strings.game.bot,
  ]
    .filter(Boolean)
    .join(" · ");
}
