// Calls the user back, whatever view is shown: the title and the icon of the tab, a sound, and the
// browser's notifications if the user has asked for them.

import { Sound } from "../game/sounds.js";
import { strings } from "../strings/strings.js";
import { gameOf } from "./header.js";
import { notificationsOn } from "./push.js";

/** @import {App} from "../app.js" */
/** @import {News, OwnGame} from "../net/user_games.js" */

const t = strings.notify;

export class Notifier {
  #app;
  #sound = new Sound();
  #title = "";

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    app.games.onChange(() => this.#draw());
    app.games.onNews((news) => this.#onNews(news));
  }

  /**
   * Sets the title of the view. The number of games and challenges that wait comes before it.
   * @param {string} text
   */
  setTitle(text) {
    this.#title = text;
    this.#draw();
  }

  #draw() {
    const { toMove, challenges } = this.#app.games;
    const title = this.#title === "" ? strings.title : `${this.#title} · ${strings.title}`;
    const isOwnTurn = toMove.has(gameOf(location.pathname));
    const waiting = toMove.size + challenges.size;
    const text = isOwnTurn ? `● ${title}` : waiting > 0 ? `(${waiting}) ${title}` : title;
    if (document.title !== text) document.title = text;
    setIcon(waiting > 0);
  }

  /** @param {News} news */
  #onNews(news) {
    const path = news.is === "challenged" ? "/" : `/game/${news.own.game}`;
    if (document.visibilityState === "visible" && location.pathname === path) return;
    if (news.is !== "over") this.#sound.play("turn");
    const [title, body] = textOf(news);
    if (document.visibilityState === "hidden") this.#notify(title, body, path);
    else if (news.is === "over") this.#app.showToast(body);
  }

  /**
   * @param {string} title
   * @param {string} body
   * @param {string} path the view to show after a click
   */
  async #notify(title, body, path) {
    if (!notificationsOn()) return;
    const options = { body, tag: path, icon: iconPath(false) ?? undefined, data: { url: path } };
    // A browser on a phone shows notifications only for a service worker.
    const worker = await navigator.serviceWorker?.getRegistration();
    if (worker !== undefined) return void worker.showNotification(title, options);
    const notification = new Notification(title, options);
    notification.onclick = () => {
      focus();
      this.#app.navigate(path);
      notification.close();
    };
  }
}

/**
 * Title and text of a notification.
 * @param {News} news
 * @returns {[string, string]}
 */
function textOf(news) {
  if (news.is === "challenged") {
    const { by, rules } = news.challenged;
    return [strings.challenge.from(by), strings.gameName(rules)];
  }
  const { own } = news;
  const game = strings.gameName(own.rules);
  const opponents = opponentsOf(own);
  if (news.is === "turn") return [t.yourMove, t.gameWith(game, opponents)];
  return [t.over, news.result === undefined ? t.aborted(game, opponents) : t.result(outcome(own, news.result.winners), game, opponents)];
}

/** @param {OwnGame} own */
function opponentsOf({ users, seat }) {
  return users.filter((_, index) => index !== seat).map((user) => strings.player(user));
}

/**
 * @param {OwnGame} own
 * @param {number[]} winners
 */
function outcome({ seat }, winners) {
  if (!winners.includes(seat)) return "lost";
  return winners.length === 1 ? "won" : "drawn";
}

/** @param {boolean} isWaiting whether a game or a challenge waits for the user */
function iconPath(isWaiting) {
  const href = document.querySelector("link[rel=icon]")?.getAttribute("href");
  return href?.replace(/icon(-your-turn)?\.svg$/, isWaiting ? "icon-your-turn.svg" : "icon.svg");
}

/** @param {boolean} isWaiting */
function setIcon(isWaiting) {
  const link = document.querySelector("link[rel=icon]");
  const wanted = iconPath(isWaiting);
  if (wanted !== undefined && link?.getAttribute("href") !== wanted) link?.setAttribute("href", wanted);
}
