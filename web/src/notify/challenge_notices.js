// Challenges to the user, as notices over every view but the front page, which lists them itself.

import { html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { Notices } from "../ui/toast.js";
import { strings } from "../strings/strings.js";
import { accept, seatInWords, termsInWords } from "../set_up/challenges.js";

/** @import {Challenged} from "../wire.js" */
/** @import {App} from "../app.js" */

const t = strings.challenge;

export class ChallengeNotices {
  #app;
  #notices = new Notices(t.notices);
  /** Challenges that the user has put aside: the front page still lists them. @type {Set<string>} */
  #aside = new Set();

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.element = this.#notices.element;
    app.games.onChange(() => this.show());
  }

  /** Shows the challenges that wait for an answer. */
  show() {
    const { games, connection } = this.#app;
    const user = connection.welcome?.user?.name ?? "";
    const waiting = [...games.challenges.values()].filter(
      ({ challenge, accepted, rematch_of: of }) =>
        // The view of a finished game shows its rematch itself.
        !accepted.includes(user) && !this.#aside.has(challenge) && location.pathname !== `/game/${of}`,
    );
    this.#notices.show(location.pathname === "/" ? [] : waiting.map((each) => this.#notice(each, user)));
  }

  /**
   * @param {Challenged} challenged
   * @param {string} user
   */
  #notice(challenged, user) {
    const { challenge, by, rematch_of: of } = challenged;
    const putAside = () => {
      this.#aside.add(challenge);
      this.show();
    };
    const others = challenged.seats.filter((each) => each !== user && each !== by);
    return html(
      "div",
      { class: "notice", "data-key": challenge },
      html("p", { class: "who" }, of == null ? t.from(by) : t.again(by)),
      html("p", { class: "soft" }, [...termsInWords(challenged), seatInWords(challenged, user)].join(" · ")),
      others.length > 0 && html("p", { class: "soft" }, t.others(others)),
      html(
        "div",
        { class: "buttons" },
        html("button", { onclick: () => this.#run(() => accept(this.#app, { challenge })) }, strings.home.accept),
        html("button", { class: "quiet", onclick: () => this.#run(() => this.#app.connection.request({ type: "decline", challenge })) }, strings.home.decline),
        html("button", { class: "quiet later", onclick: putAside }, t.later),
      ),
    );
  }

  /** @param {() => Promise<unknown>} work */
  async #run(work) {
    try {
      await work();
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
  }
}
