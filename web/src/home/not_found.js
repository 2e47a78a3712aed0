// What is shown where there is nothing: why, and the way home.

import { html } from "../ui/element.js";
import { words } from "../strings.js";

/** @import {View} from "../main.js" */

/** @implements {View} */
export class Lost {
  element;

  /** @param {string} text */
  constructor(text) {
    this.element = html(
      "section",
      { class: "narrow lost" },
      html("h1", {}, words.lost.title),
      html("p", {}, text),
      html("p", {}, html("a", { href: "/" }, words.lost.home)),
    );
  }

  close() {}
}
