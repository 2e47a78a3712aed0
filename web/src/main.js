// Starts the page: opens the connection, draws the header, and shows the view that belongs to the
// address.

import { Connection, SUBPROTOCOL } from "./net/connection.js";
import { Identity } from "./net/identity.js";
import { isGameId, isInvite, isUserName } from "./net/validation.js";
import { AccountPage } from "./home/account.js";
import { ChallengeNotices } from "./home/challenge_notices.js";
import { GamesPage } from "./home/games.js";
import { header } from "./home/header.js";
import { HomePage } from "./home/home.js";
import { Notifier } from "./home/notifier.js";
import { subscribe } from "./home/push.js";
import { StandingsPage } from "./home/standings.js";
import { TvPage } from "./home/tv.js";
import { UserPage } from "./home/users.js";
import { UserGames } from "./net/user_games.js";
import { JoinPage } from "./home/join.js";
import { LivePage } from "./home/live.js";
import { NotFoundPage } from "./home/not_found.js";
import { GamePage } from "./game/page.js";
import { RulesPage } from "./rules/page.js";
import { banner } from "./ui/banner.js";
import { fill, html } from "./ui/element.js";
import { ScrollMemory } from "./ui/scroll_memory.js";
import { Toast } from "./ui/toast.js";
import { strings } from "./strings/strings.js";

/** @import {App, View} from "./app.js" */

const socketUrl = () => {
  const url = new URL("/v1/ws", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url;
};

const identity = new Identity(localStorage, Math.random);
const connection = new Connection({
  dial: () => new WebSocket(socketUrl(), [SUBPROTOCOL]),
  auth: () => identity.auth(),
  onHelloError: (failed) => identity.onHelloError(failed),
  now: Date.now,
  random: Math.random,
  after: (work, ms) => setTimeout(work, ms),
  cancel: (timer) => clearTimeout(timer),
});
identity.attach(connection);

/** @type {View | undefined} */
let view;
/** Whether the title of the current view has been announced to screen readers. */
let announced = true;
const main = html("main", { tabindex: -1 });
const toast = new Toast();
const scroll = new ScrollMemory(main);
const liveRegion = html("p", { class: "visually-hidden", role: "status" });

/** @param {string} path */
function navigate(path) {
  if (path === location.pathname + location.hash) return;
  scroll.push(path);
  announced = false;
  show();
  focusView();
  scrollTo(0, 0);
}

/** Moves the keyboard's focus to a new view. */
function focusView() {
  main.focus({ preventScroll: true });
}

/** @param {string} text */
function setTitle(text) {
  notifier.setTitle(text);
  if (announced || text === "") return;
  announced = true;
  fill(liveRegion, text);
}

/** @param {string} text */
function showNotFound(text) {
  view?.close();
  view = new NotFoundPage(text);
  fill(main, view.element);
  setTitle(strings.notFound.title);
  if (document.activeElement === document.body) focusView();
}

/** @type {App} */
const app = { connection, identity, games: new UserGames(connection), navigate, showToast: (text) => toast.show(text), setTitle, showNotFound };

// A seek, challenge or rematch of this tab has become a game: show it.
app.games.onStart((game) => {
  if (app.games.awaitingStart) navigate(`/game/${game}`);
  app.games.awaitingStart = false;
});

app.games.onRefused(({ by, reason, message }) => {
  if (reason !== "cancelled") app.showToast(message ?? strings.home.refused(by ?? ""));
});

const notifier = new Notifier(app);
const notices = new ChallengeNotices(app);
const head = header(app);
connection.on("welcome", () => subscribe(connection));

/** Shows the view of the current address. */
function show() {
  view?.close();
  view = undefined;
  fill(liveRegion);
  notifier.setTitle("");
  const path = location.pathname.replace(/(.)\/+$/, "$1");
  if (path !== location.pathname) history.replaceState(history.state, "", path + location.search + location.hash);
  const parts = path.split("/").slice(1).map(decodePart);
  const shown = parts.includes(undefined) || parts.length > 2 ? undefined : viewOf(...parts);
  if (shown === undefined) {
    showNotFound(strings.notFound.page);
    return;
  }
  view = shown;
  fill(main, shown.element);
  head.show();
  notices.show();
}

/**
 * Decodes a part of the address; `undefined` if it is malformed.
 * @param {string} part
 */
function decodePart(part) {
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
      return new HomePage(app, location.hash.startsWith("#challenge=") ? location.hash.slice("#challenge=".length) : "");
    case "game":
      return isGameId(name) ? new GamePage(app, name, plyOf(location.hash)) : undefined;
    case "user":
      return isUserName(name) ? new UserPage(app, name) : undefined;
    case "live":
      return new LivePage(app, name);
    case "tv":
      return new TvPage(app, name);
    case "games":
      return name === "" ? new GamesPage(app, location.hash) : undefined;
    case "join":
      return isInvite(name) ? new JoinPage(app, name) : undefined;
    case "standings":
      return new StandingsPage(app, name, Number(location.hash.slice(1)) || undefined);
    case "rules":
      return new RulesPage(app, name);
    case "account":
      return name === "" ? new AccountPage(app) : undefined;
    default:
      return undefined;
  }
}

/** @param {string} hash */
function plyOf(hash) {
  return /^#\d+$/.test(hash) ? Number(hash.slice(1)) : undefined;
}

/** Follows links within the page without loading it again. The browser handles all others. */
function onClick(/** @type {MouseEvent} */ event) {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!(link instanceof HTMLAnchorElement) || link.origin !== location.origin) return;
  if (link.download !== "" || link.target !== "" || link.pathname.startsWith("/v1/")) return;
  event.preventDefault();
  navigate(link.pathname + link.hash);
}

/** Moves the focus past the header. @param {Event} event */
function skipToContent(event) {
  event.preventDefault();
  main.focus();
}

document.body.append(
  html("a", { href: "#", class: "skip", onclick: skipToContent }, strings.nav.skip),
  head.element,
  banner(connection),
  main,
  notices.element,
  toast.element,
  liveRegion,
);
document.addEventListener("click", onClick);
addEventListener("popstate", (event) => {
  announced = false;
  scroll.pop(event);
  show();
  focusView();
  scroll.restore();
});
addEventListener("online", () => connection.probe());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") connection.probe();
});
show();
scroll.restore();
connection.open();
