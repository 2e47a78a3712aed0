// The page's start: opens the connection, shows the frame round every view, and picks the view that
// belongs to the address.

import { Connection, SUBPROTOCOL } from "./net/connection.js";
import { Identity } from "./net/identity.js";
import { isGame, isName } from "./net/validation.js";
import { Account } from "./home/account.js";
import { Home } from "./home/home.js";
import { StandingsPage, UserPage } from "./home/users.js";
import { Games } from "./net/user_games.js";
import { LivePage } from "./home/live.js";
import { Lost } from "./home/not_found.js";
import { GamePage } from "./game/page.js";
import { RulesPage } from "./rules/page.js";
import { banner } from "./ui/banner.js";
import { fill, html } from "./ui/element.js";
import { Toast } from "./ui/toast.js";
import { words } from "./strings.js";

/**
 * What every view may use.
 * @typedef {object} App
 * @property {Connection} connection
 * @property {Identity} identity
 * @property {Games} games the games that concern who is here
 * @property {(path: string) => void} go shows another address
 * @property {(text: string) => void} say shows a sentence for a moment
 * @property {(text: string) => void} entitle names what the view shows, in the window's title and for those who hear it
 * @property {(text: string) => void} lose says that there is nothing at this address
 */

/**
 * Something that fills the page while its address is shown.
 * @typedef {object} View
 * @property {HTMLElement} element
 * @property {() => void} close
 */

const socketUrl = () => {
  const url = new URL("/v1/ws", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url;
};

const identity = new Identity(localStorage, Math.random);
const connection = new Connection({
  dial: () => new WebSocket(socketUrl(), [SUBPROTOCOL]),
  auth: () => identity.auth(),
  refused: (failed) => identity.refused(failed),
  now: Date.now,
  random: Math.random,
  after: (work, ms) => setTimeout(work, ms),
  cancel: (timer) => clearTimeout(timer),
});
identity.attach(connection);

/** @type {View | undefined} */
let view;
/** Whether the view that is shown has been announced. */
let announced = true;
const main = html("main", { tabindex: -1 });
const toast = new Toast();
const spoken = html("p", { class: "spoken", role: "status" });

/** @param {string} path */
function go(path) {
  if (path === location.pathname + location.hash) return;
  history.pushState(null, "", path);
  announced = false;
  show();
  arrive();
}

/** Another view is shown: the keyboard begins there. */
function arrive() {
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** @param {string} text */
function entitle(text) {
  document.title = text === "" ? words.title : `${text} · ${words.title}`;
  if (announced || text === "") return;
  announced = true;
  fill(spoken, text);
}

/** @param {string} text */
function lose(text) {
  view?.close();
  view = new Lost(text);
  fill(main, view.element);
  entitle(words.lost.title);
  if (document.activeElement === document.body) arrive();
}

/** @type {App} */
const app = { connection, identity, games: new Games(connection), go, say: (text) => toast.say(text), entitle, lose };

// What was asked for in this tab may become a game at any time; then that is what one wants to see.
app.games.started((game) => {
  if (app.games.expected) go(`/game/${game}`);
  app.games.expected = false;
});

app.games.refused(({ by, reason, message }) => {
  if (reason !== "cancelled") app.say(message ?? words.home.refused(by ?? ""));
});

/** Shows what belongs to the address. */
function show() {
  view?.close();
  view = undefined;
  fill(spoken);
  document.title = words.title;
  const path = location.pathname.replace(/(.)\/+$/, "$1");
  if (path !== location.pathname) history.replaceState(history.state, "", path + location.search + location.hash);
  const parts = path.split("/").slice(1).map(decoded);
  const shown = parts.includes(undefined) || parts.length > 2 ? undefined : viewOf(...parts);
  if (shown === undefined) {
    lose(words.lost.page);
    return;
  }
  view = shown;
  fill(main, shown.element);
}

/**
 * A part of the address as it is meant; `undefined` if it cannot be meant.
 * @param {string} part
 */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} [place]
 * @param {string} [name]
 * @returns {View | undefined}
 */
function viewOf(place, name = "") {
  switch (place) {
    case "":
      return new Home(app, location.hash.startsWith("#challenge=") ? location.hash.slice("#challenge=".length) : "");
    case "game":
      return isGame(name) ? new GamePage(app, name, plyOf(location.hash)) : undefined;
    case "user":
      return isName(name) ? new UserPage(app, name) : undefined;
    case "live":
      return new LivePage(app, name);
    case "standings":
      return new StandingsPage(app, name, Number(location.hash.slice(1)) || undefined);
    case "rules":
      return new RulesPage(app, name);
    case "account":
      return name === "" ? new Account(app) : undefined;
    default:
      return undefined;
  }
}

/** @param {string} hash */
function plyOf(hash) {
  return /^#\d+$/.test(hash) ? Number(hash.slice(1)) : undefined;
}

/** Links within the page change what is shown; all others are the browser's. */
function clicked(/** @type {MouseEvent} */ event) {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!(link instanceof HTMLAnchorElement) || link.origin !== location.origin) return;
  if (link.download !== "" || link.target !== "" || link.pathname.startsWith("/v1/")) return;
  event.preventDefault();
  go(link.pathname + link.hash);
}

const me = html("a", { href: "/account", class: "me" });
connection.on("welcome", () => {
  const user = connection.welcome?.user;
  fill(me, user?.name ?? words.account.logIn);
});

/** Passes over what every view begins with. @param {Event} event */
function skip(event) {
  event.preventDefault();
  main.focus();
}

document.body.append(
  html("a", { href: "#", class: "skip", onclick: skip }, words.nav.skip),
  html(
    "header",
    { class: "top" },
    html("a", { href: "/", class: "brand" }, words.title),
    html("nav", { "aria-label": words.nav.label }, html("a", { href: "/rules" }, words.nav.rules), html("a", { href: "/standings" }, words.nav.standings), me),
  ),
  banner(connection),
  main,
  toast.element,
  spoken,
);
document.addEventListener("click", clicked);
addEventListener("popstate", () => {
  announced = false;
  show();
  arrive();
});
addEventListener("online", () => connection.probe());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") connection.probe();
});
show();
connection.open();
