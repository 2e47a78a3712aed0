// An invitation: who invites to what, and one button to play. No account is needed.

import { goalOf } from "../net/catalogue.js";
import { RequestError } from "../net/pending.js";
import { html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { accept, termsInWords } from "./challenges.js";
import { emblem } from "../ui/emblems.js";
import { loadingLine } from "../ui/loading.js";
import { linkField } from "./invite_link.js";

/** @import {InviteState} from "../wire.js" */
/** @import {App, View} from "../app.js" */

const t = strings.join;

/** @implements {View} */
export class JoinPage {
  element = html("section", { class: "narrow join" }, loadingLine());
  #app;
  #invite;
  #hasJoined = false;
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} invite
   */
  constructor(app, invite) {
    this.#app = app;
    this.#invite = invite;
    app.setTitle(t.title);
    this.#unsubscribe = [
      app.connection.onSession(() => this.#load()),
      app.connection.on("invite", (/** @type {InviteState} */ changed) => {
        if (changed.invite === invite) this.#draw(changed);
      }),
    ];
  }

  close() {
    for (const stop of this.#unsubscribe) stop();
  }

  async #load() {
    try {
      this.#draw(await this.#app.connection.request({ type: "invite_info", invite: this.#invite }));
    } catch (error) {
      if (error instanceof RequestError && error.failed.code === "not_found") this.#app.showNotFound(t.gone);
      else this.#app.showToast(errorText(error));
    }
  }

  /** @param {InviteState} invite */
  #draw(invite) {
    // The link of a game that has begun leads to the game.
    if (invite.game != null) return this.#app.navigate(`/game/${invite.game}`);
    if (invite.reason != null) return this.#app.showNotFound(t.gone);
    const user = this.#app.connection.welcome?.user?.name;
    const { by, rules, seat, joined, players } = invite;
    const terms = termsInWords({ ...invite, delay: invite.delay ?? undefined }, this.#app.connection.welcome?.claim_after ?? undefined);
    const isOwn = by === user;
    const hasJoined = this.#hasJoined || (user !== undefined && joined.includes(user));
    return update(
      this.element,
      html("h1", {}, isOwn ? t.title : t.heading(by)),
      html(
        "div",
        { class: "card terms" },
        emblem(rules),
        html("h2", {}, strings.gameName(rules)),
        html("p", { class: "soft" }, goalOf(rules)),
        html("ul", {}, terms.slice(1).map((each) => html("li", {}, each)), html("li", {}, seat === "random" ? t.randomSeat : players === 2 ? t.seat(seat) : t.randomSeat)),
        players > 2 && html("p", {}, t.joined(joined.length, players)),
      ),
      isOwn && html("p", {}, t.yours),
      isOwn && linkField(this.#invite, rules),
      !isOwn && hasJoined && html("p", { role: "status" }, t.waiting),
      !isOwn && !hasJoined && html("button", { class: "primary", onclick: () => this.#play() }, t.play),
      !isOwn && !hasJoined && user === undefined && html("p", { class: "soft" }, t.guest),
      html("a", { href: `/learn/${strings.kind(rules)}` }, strings.home.learn),
    );
  }

  async #play() {
    try {
      await accept(this.#app, { invite: this.#invite });
      this.#hasJoined = true;
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
    if (location.pathname === `/join/${this.#invite}`) await this.#load();
  }
}
