// The view of an address where there is nothing.

import { html } from "../ui/element.js";
import { strings } from "../strings/strings.js";

/** @import {View} from "../app.js" */

/** @implements {View} */
export class NotFoundPage {
  element;

  /** @param {string} text */
  constructor(text) {
    this.element = html(
      "section",
      { class: "narrow not-found" },
      html("h1", {}, strings.notFound.title),
      html("p", {}, text),
      html("p", {}, html("a", { href: "/" }, strings.notFound.home)),
    );
  }

  close() {}
}
