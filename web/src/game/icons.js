// Icons of buttons, as outlines on a grid of 24 by 24, and bars of such buttons.

import { html, svg } from "../ui/element.js";
import { strings } from "../strings/strings.js";

const KEYBOARD = "M3 6.5h18v11H3zM7 10h.01M11 10h.01M15 10h.01M17.5 10h.01M7 14h10";

const PATHS = {
  analyse: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 20.5 20.5",
  flip: "M7 4v15M3.5 15.5 7 19l3.5-3.5M17 20V5M13.5 8.5 17 5l3.5 3.5",
  keys: KEYBOARD,
  type: KEYBOARD,
  settings: "M4 7h9M18 7h2M4 17h2M11 17h9M15.5 4.8v4.4M8.5 14.8v4.4",
  undo: "M9 6 4.5 10.5 9 15M5 10.5h9a5 5 0 0 1 0 10h-3",
  resign: "M6 21V4M6 4.5c5-2 7 2 12 0v9c-5 2-7-2-12 0",
  draw: "M5 9h14M5 15h14",
  back: "M12 5a8 8 0 1 1-7.6 5.5M4 4.5V10h5.5",
  abort: "M6 6l12 12M18 6 6 18",
  first: "M18 6l-7 6 7 6M11 6l-7 6 7 6",
  previous: "M15 6l-7 6 7 6",
  next: "M9 6l7 6-7 6",
  last: "M6 6l7 6-7 6M13 6l7 6-7 6",
  menu: "M5 12h.01M12 12h.01M19 12h.01",
  help: "M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .5-1.5 1.2-1.5 2.3M12 18h.01",
};

/** @typedef {keyof typeof PATHS} IconName */

/** @param {IconName} name */
export function icon(name) {
  const picture = svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" });
  picture.append(svg("path", { d: PATHS[name] }));
  return picture;
}

/**
 * Returns a bar of buttons that have only an icon.
 * @param {HTMLElement} text what stands beside them
 * @param {[IconName, string, () => void][]} tools
 */
export function toolBar(text, tools) {
  const buttons = tools.map(([name, title, onclick]) =>
    html("button", { class: `quiet icon-button ${name}`, title, "aria-label": title, onclick }, icon(name)),
  );
  return html("section", { class: "tools", "aria-label": strings.game.tools }, text, buttons);
}
