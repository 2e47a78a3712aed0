// The page's start: opens the connection, shows the frame round every view, and picks the view that
// belongs to the address.

import { Connection, SUBPROTOCOL } from "./net/connection.js";
import { Identity } from "./net/identity.js";
import { Account } from "./home/account.js";
import { Home } from "./home/home.js";
import { StandingsPage, UserPage } from "./home/people.js";
import { Games } from "./home/games.js";
import { LivePage } from "./home/live.js";
import { GamePage } from "./game/page.js";
import { RulesPage } from "./rules/page.js";
import { banner } from "./ui/banner.js";
import { fill, html } from "./ui/element.js";
import { Toast } from "./ui/toast.js";
import { words } from "./words.js";

/**
 * What every view may use.
 * @typedef {object} App
 * @property {Connection} connection
 * @property {Identity} identity
 * @property {Games} games the games that concern who is here
 * @property {(path: string) => void} go shows another address
 * @property {(text: string) => void} say shows a sentence for a moment
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
const main = html("main");
const toast = new Toast();

/** @param {string} path */
function go(path) {
  if (path === location.pathname + location.hash) return;
  history.pushState(null, "", path);
  show();
}

/** @type {App} */
const app = { connection, identity, games: new Games(connection), go, say: (text) => toast.say(text) };

// What was asked for in this tab may become a game at any time; then that is what one wants to see.
app.games.started((game) => {
  if (app.games.expected) go(`/game/${game}`);
  app.games.expected = false;
});

/** Shows what belongs to the address. */
function show() {
  view?.close();
  document.title = words.title;
  const [place, name] = location.pathname.split("/").slice(1);
  view = viewOf(place ?? "", decodeURIComponent(name ?? ""));
  fill(main, view.element);
  scrollTo(0, 0);
}

/**
 * @param {string} place
 * @param {string} name
 * @returns {View}
 */
function viewOf(place, name) {
  switch (place) {
    case "game":
      return new GamePage(app, name, /^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : undefined);
    case "user":
      return new UserPage(app, name);
    case "live":
      return new LivePage(app, name);
    case "standings":
      return new StandingsPage(app, name, Number(location.hash.slice(1)) || undefined);
    case "rules":
      return new RulesPage(app, name);
    case "account":
      return new Account(app);
    default:
      return new Home(app);
  }
}

/** Links within the page change what is shown; all others are the browser's. */
function clicked(/** @type {MouseEvent} */ event) {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
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

document.body.append(
  html(
    "header",
    { class: "top" },
    html("a", { href: "/", class: "brand" }, words.title),
    html("nav", {}, html("a", { href: "/rules" }, words.nav.rules), html("a", { href: "/standings" }, words.nav.standings), me),
  ),
  banner(connection),
  main,
  toast.element,
);
document.addEventListener("click", clicked);
addEventListener("popstate", show);
addEventListener("online", () => connection.probe());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") connection.probe();
});
show();
connection.open();
