// Starts the page: opens the connection, draws the header, and shows the view that belongs to the
// address.

import { browserConnection } from "./net/connection.js";
import { Identity, TOKEN_KEY } from "./net/identity.js";
import { registerServiceWorker } from "./net/service_worker.js";
import { isGameId, isInvite, isUserName } from "./net/validation.js";
import { ChallengeNotices } from "./notify/challenge_notices.js";
import { header } from "./notify/header.js";
import { Notifier } from "./notify/notifier.js";
import { storeOwnGameCount, UserGames } from "./net/user_games.js";
import { isNewFailure, subscribe } from "./notify/push.js";
import { banner } from "./ui/banner.js";
import { fill, html } from "./ui/element.js";
import { refusalText } from "./ui/house.js";
import { loadingLine } from "./ui/loading.js";
import { showNotice } from "./ui/operator_notice.js";
import { ScrollMemory } from "./ui/scroll_memory.js";
import { Toast } from "./ui/toast.js";
import { loadPart, Troubles } from "./ui/trouble.js";
import "./ui/view_settings.js";
import { storage } from "./strings/storage.js";
import { strings } from "./strings/strings.js";

/** @import {App, View} from "./app.js" */
/** @import {Notice} from "./wire.js" */

const troubles = new Troubles();
troubles.catchErrors();
storage.onRefused = () => troubles.show("storage", strings.trouble.notStored, strings.trouble.understood);

const identity = new Identity(storage, Math.random);
const connection = browserConnection({ auth: () => identity.auth(), onHelloError: (failed) => identity.onHelloError(failed) });
identity.attach(connection);

identity.onOtherUser = (/** @type {string | undefined} */ user) => {
  toast.show(strings.trouble.otherUser(user));
  show();
};
addEventListener("storage", ({ key }) => {
  if (key === TOKEN_KEY) identity.followStored();
});

/** @type {View | undefined} */
let view;
/** Number of views so far: one that comes late is not shown. */
let showing = 0;
/** Whether the title of the current view has been announced to screen readers. */
let announced = true;
const main = html("main", { id: "main", tabindex: -1 });
const toast = new Toast();
const scroll = new ScrollMemory(main);
const liveRegion = html("p", { class: "visually-hidden", role: "status" });

/** @param {string} path */
function navigate(path) {
  if (path === location.pathname + location.search + location.hash) return;
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

/** Shows that there is nothing at the address. @param {string} text */
function showNotFound(text) {
  showing += 1;
  view?.close();
  const element = html(
    "section",
    { class: "narrow not-found" },
    html("h1", {}, strings.notFound.title),
    html("p", {}, text),
    html("p", {}, html("a", { href: "/" }, strings.notFound.home)),
  );
  view = { element, close: () => {} };
  fill(main, view.element);
  setTitle(strings.notFound.title);
  if (document.activeElement === document.body) focusView();
}

/** @type {App} */
const app = { connection, identity, games: new UserGames(connection), navigate, showToast: (text) => toast.show(text), setTitle, showNotFound };

// A seek, challenge or rematch of this tab has become a game: show it.
app.games.onStart((game) => {
  if (app.games.awaited.size > 0) navigate(`/game/${game}`);
  app.games.awaited.clear();
});

app.games.onRefused((closed) => {
  if (closed.reason !== "cancelled" && !app.games.asksHouse) app.showToast(refusalText(closed));
});

const notifier = new Notifier(app);
const notices = new ChallengeNotices(app);
const head = header(app);
const subscribeAgain = async () => {
  if (!(await subscribe(connection)) && isNewFailure(connection)) troubles.show("push", strings.notify.failed, strings.trouble.understood);
};
connection.on("welcome", subscribeAgain);
connection.on("notice", (/** @type {Notice} */ notice) => showNotice(notice, troubles, connection));
navigator.serviceWorker?.addEventListener("message", ({ data }) => {
  if (data?.subscribe) subscribeAgain();
});
storeOwnGameCount(app.games);

/** Shows the view of the current address. */
async function show() {
  view?.close();
  view = undefined;
  fill(liveRegion);
  notifier.setTitle("");
  const path = location.pathname.replace(/(.)\/+$/, "$1");
  if (path !== location.pathname) history.replaceState(history.state, "", path + location.search + location.hash);
  head.show();
  notices.show();
  fill(main, loadingLine());
  const parts = path.split("/").slice(1).map(decodePart);
  const [first = "", ...rest] = parts;
  const name = rest.join("/");
  const isSomewhere = !parts.includes(undefined) && parts.length <= (DEEP.has(first) ? 3 : 2) && Object.hasOwn(PLACES, first);
  showing += 1;
  const number = showing;
  const place = isSomewhere ? PLACES[first] : undefined;
  const shown = (/** @type {HTMLElement} */ line) => {
    if (number === showing) fill(main, line);
    return number === showing;
  };
  const make = place && (await loadPart(() => place.prepare(name, location.hash, location.search), connection, shown));
  // The user may have gone on meanwhile.
  if (number !== showing) return undefined;
  const made = make?.();
  if (made === undefined) return showNotFound(strings.notFound.page);
  view = made;
  return fill(main, made.element);
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
 * How to show the views behind one first part of an address.
 * @typedef {object} Place
 * @property {() => Promise<unknown>} load loads its modules
 * @property {(name: string, hash: string, search: string) => Promise<() => View | undefined>} prepare
 */

/**
 * The browser loads the modules of a view when it is shown for the first time.
 * @template Module
 * @param {() => Promise<Module>} load
 * @param {(module: Module, name: string, hash: string, search: string) => View | undefined} make
 * @returns {Place}
 */
function place(load, make) {
  const prepare = async (/** @type {string} */ name, /** @type {string} */ hash, /** @type {string} */ search) => {
    const module = await load();
    return () => make(module, name, hash, search);
  };
  return { load, prepare };
}

/** Views whose addresses have three parts. */
const DEEP = new Set(["puzzles", "analysis"]);

/** The views by the first part of their addresses. @type {Record<string, Place>} */
const PLACES = {
  "": place(() => import("./home/home.js"), ({ HomePage }) => new HomePage(app)),
  game: place(() => import("./game/page.js"), ({ GamePage }, name, hash) => (isGameId(name) ? new GamePage(app, name, plyOf(hash)) : undefined)),
  user: place(() => import("./people/users.js"), ({ UserPage }, name, hash) => (isUserName(name) ? new UserPage(app, name, hash) : undefined)),
  live: place(() => import("./watch/pages.js"), ({ LivePage }, name) => new LivePage(app, name)),
  tv: place(() => import("./watch/pages.js"), ({ TvPage }, name) => new TvPage(app, name)),
  games: place(() => import("./people/finished_games.js"), ({ GamesPage }, name, hash) => (name === "" ? new GamesPage(app, hash) : undefined)),
  join: place(() => import("./set_up/join.js"), ({ JoinPage }, name) => (isInvite(name) ? new JoinPage(app, name) : undefined)),
  bots: place(() => import("./people/bots.js"), ({ BotsPage }, name) => new BotsPage(app, name)),
  standings: place(() => import("./people/standings.js"), ({ StandingsPage }, name, hash) => new StandingsPage(app, name, hash)),
  stats: place(() => import("./people/standings.js"), ({ StatsPage }, name, hash) => new StatsPage(app, name, hash)),
  rules: place(() => import("./learn/rules_page.js"), ({ RulesPage }, name) => new RulesPage(app, name)),
  learn: place(() => import("./learn/learn_page.js"), ({ LearnPage }, name) => new LearnPage(app, name)),
  puzzles: place(() => import("./learn/puzzle_page.js"), ({ PuzzlePage }, name) => {
    const [, kind = "", number = "0"] = /^(\w+)(?:\/(\d{1,4}))?$/.exec(name) ?? [];
    return kind === "" ? undefined : new PuzzlePage(app, kind, Number(number));
  }),
  analysis: place(() => import("./analysis/views.js"), ({ analysisView }, name, hash, search) => analysisView(app, name, search, hash)),
  account: place(
    () => Promise.all([import("./account/page.js"), import("./account/people_settings.js"), import("./notify/notify_settings.js")]),
    ([{ AccountPage }, { PeopleSettings }, { NotifySettings }], name) =>
      name === "" ? new AccountPage(app, [new NotifySettings(app), new PeopleSettings(app)]) : undefined,
  ),
};

/** @param {string} hash */
function plyOf(hash) {
  return /^#\d+$/.test(hash) ? Number(hash.slice(1)) : undefined;
}

/** Follows links within the page without loading it again. The browser handles all others. */
function onClick(/** @type {MouseEvent} */ event) {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!(link instanceof HTMLAnchorElement) || link.origin !== location.origin) return;
  if (link.download !== "" || link.target !== "" || link.type !== "" || link.pathname.startsWith("/v1/")) return;
  event.preventDefault();
  navigate(link.pathname + link.search + link.hash);
}

/**
 * Loads the modules of the view behind a link or a button for a game when the pointer or the focus
 * comes to it, so that the click need not wait for them.
 * @param {Event} event
 */
function preload({ target }) {
  const way = target instanceof Element ? target.closest("a[href], [data-rules]") : null;
  if (way === null) return;
  const first = way instanceof HTMLAnchorElement ? (way.origin === location.origin ? way.pathname.split("/")[1] : undefined) : "game";
  if (first !== undefined && Object.hasOwn(PLACES, first)) PLACES[first]?.load().catch(() => {});
}

/** Moves the focus past the header. @param {Event} event */
function skipToContent(event) {
  event.preventDefault();
  main.focus();
}

// The document shows the name while the script loads.
for (const each of document.querySelectorAll(".splash, .unstyled, .late")) each.remove();
document.body.append(
  html("a", { href: "#main", class: "skip", onclick: skipToContent }, strings.nav.skip),
  head.element,
  html("div", { class: "banners" }, banner(connection), troubles.element),
  main,
  notices.element,
  toast.element,
  liveRegion,
);
document.addEventListener("click", onClick);
for (const type of ["pointerover", "focusin"]) document.addEventListener(type, preload);
addEventListener("popstate", (event) => {
  announced = false;
  scroll.pop(event);
  show();
  focusView();
  scroll.restore();
});
addEventListener("online", () => connection.probe());
// Somebody who waits for the connection does not wait for its next attempt.
addEventListener("pointerdown", () => connection.hurry(), { capture: true, passive: true });
addEventListener("keydown", ({ key }) => key === "Enter" && connection.hurry(), { capture: true });
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") connection.probe();
});
show();
scroll.restore();
connection.open();
troubles.watchLoading(main, connection);
// The service worker loads nothing that the first view needs.
if (document.readyState === "complete") registerServiceWorker();
else addEventListener("load", registerServiceWorker);
