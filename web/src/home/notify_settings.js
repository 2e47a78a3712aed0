// Whether the browser tells the user about moves and challenges. A part of the account view.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { canNotify, notificationsOn, turnOff, turnOn } from "./push.js";

/** @import {App} from "../app.js" */

const t = strings.notify;

export class NotifySettings {
  element = html("section", { class: "people card" });
  #app;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#draw();
  }

  close() {}

  #draw() {
    const { connection } = this.#app;
    const turn = (/** @type {() => Promise<unknown>} */ work) => async () => {
      await work();
      this.#draw();
    };
    update(
      this.element,
      html("h2", {}, t.heading),
      html("p", { class: "soft" }, canNotify() ? t.about : t.refused),
      notificationsOn() && html("p", {}, t.on),
      notificationsOn()
        ? html("button", { class: "quiet", onclick: turn(() => turnOff(connection)) }, t.off)
        : canNotify() && html("button", { onclick: turn(() => turnOn(connection)) }, t.ask),
    );
  }
}
