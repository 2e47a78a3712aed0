// The header of every view: where one can go, and the games that wait for the user's move.

import { fill, html } from "../ui/element.js";
import { strings } from "../strings/strings.js";

/** @import {App} from "../app.js" */

const t = strings.nav;

/** @param {App} app */
export function header(app) {
  const me = html("a", { href: "/account", class: "me" }, app.identity.auth() === undefined ? strings.account.logIn : strings.account.heading);
  const chip = html("a", { class: "turn-chip", href: "/", hidden: true });
  // Firefox before 125 has no popovers, and shows the menu always.
  const nav = html(
    "nav",
    { id: "menu", popover: "auto", "aria-label": t.label, onclick: () => nav.hidePopover?.() },
    html("a", { href: "/live" }, t.watch),
    html("a", { href: "/learn" }, t.learn),
    html("a", { href: "/analysis" }, t.analysis),
    html("a", { href: "/rules" }, t.rules),
    html("a", { href: "/standings" }, t.standings),
    me,
  );
  app.connection.on("welcome", () => {
    const user = app.connection.welcome?.user;
    fill(me, user?.name ?? strings.account.logIn);
  });
  const show = () => {
    const shown = gameOf(location.pathname);
    const { games } = app;
    const elsewhere = [...games.toMove].filter((game) => game !== shown).length;
    const next = games.nextToMove(shown);
    chip.hidden = elsewhere === 0 || next === undefined;
    if (chip.hidden) return;
    chip.setAttribute("href", `/game/${next}`);
    fill(chip, t.yourMove(elsewhere), html("span", { class: "visually-hidden" }, t.next));
  };
  app.games.onChange(show);
  const element = html(
    "header",
    { class: "top" },
    html("a", { href: "/", class: "brand" }, strings.title),
    chip,
    html("button", { class: "quiet menu", popovertarget: "menu", "aria-label": t.menu }, html("span", { "aria-hidden": "true" }, "☰")),
    nav,
  );
  return { element, show };
}

/**
 * Returns the game that an address shows.
 * @param {string} path
 */
export function gameOf(path) {
  return /^\/game\/([^/]+)/.exec(path)?.[1] ?? "";
}
