// The browser's notifications: whether the user has asked for them, and the subscription through
// which the server reaches a browser that has no view of the page open.

import { ConnectionLost } from "../net/pending.js";
import { storage } from "../strings/storage.js";

/** @import {Connection} from "../net/connection.js" */

/** The key under which the browser stores that the user has asked for notifications. */
const KEY = "adamant.notify";

/** The key under which the browser stores the server's key under which it could not subscribe. */
const FAILED_KEY = "adamant.push-failed";

/** The browsers behind push services, by the ends of their hosts. */
const BROWSERS = /** @type {[string, string][]} */ ([
  [".googleapis.com", "Chrome"],
  [".mozilla.com", "Firefox"],
  [".apple.com", "Safari"],
  [".windows.com", "Edge"],
]);

/** Whether this browser can show notifications, and the user has not forbidden it. */
export function canNotify() {
  return "Notification" in window && Notification.permission !== "denied";
}

/** Whether the user has asked for notifications and the browser allows them. */
export function notificationsOn() {
  return canNotify() && Notification.permission === "granted" && storage.getItem(KEY) !== null;
}

/**
 * Asks the browser for permission, and the server to call back.
 * @param {Connection} connection
 * @returns {Promise<"on" | "failed" | "refused">} what came of it; `failed` if they are on only while the page is open
 */
export async function turnOn(connection) {
  if ((await Notification.requestPermission()) !== "granted") return "refused";
  storage.setItem(KEY, "1");
  return (await subscribe(connection)) ? "on" : "failed";
}

/** @param {Connection} connection */
export async function turnOff(connection) {
  storage.removeItem(KEY);
  const subscription = await ownSubscription();
  if (subscription == null) return;
  await connection.request({ type: "push_unsubscribe", endpoint: subscription.endpoint }).catch(() => {});
  await subscription.unsubscribe();
}

/**
 * Returns the name of the browser that is called at an address, or the host if it is unknown.
 * @param {string} endpoint
 */
export function browserAt(endpoint) {
  const { hostname } = new URL(endpoint);
  return BROWSERS.find(([end]) => hostname.endsWith(end))?.[1] ?? hostname;
}

async function ownSubscription() {
  const worker = await navigator.serviceWorker?.getRegistration();
  return worker?.pushManager?.getSubscription();
}

/** Returns the address at which the server calls this browser; `undefined` if it does not. */
export async function ownEndpoint() {
  return (await ownSubscription())?.endpoint;
}

/**
 * Subscribes this browser to the server's calls, if both can. The server forgets nothing by a
 * repetition.
 * @param {Connection} connection
 * @returns {Promise<boolean>} whether nothing has failed
 */
export async function subscribe(connection) {
  const key = connection.welcome?.push?.key;
  if (key === undefined || connection.welcome?.user == null || !notificationsOn() || !("PushManager" in window)) return true;
  try {
    const { pushManager } = await navigator.serviceWorker.ready;
    const { endpoint, keys } = (await subscribeWith(pushManager, key)).toJSON();
    if (endpoint === undefined || keys === undefined) return false;
    await connection.request({ type: "push_subscribe", endpoint, p256dh: keys["p256dh"] ?? "", auth: keys["auth"] ?? "" });
    return true;
  } catch (error) {
    // The next welcome subscribes again.
    return error instanceof ConnectionLost;
  }
}

/**
 * @param {PushManager} pushManager
 * @param {string} key the server's
 */
async function subscribeWith(pushManager, key) {
  const wanted = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await pushManager.subscribe(wanted);
  } catch (error) {
    // A subscription under another key of the server stands in the way.
    const old = await pushManager.getSubscription();
    if (old === null || !(error instanceof DOMException) || error.name !== "InvalidStateError") throw error;
    await old.unsubscribe();
    return pushManager.subscribe(wanted);
  }
}

/** Returns whether this failure has not been said yet: it is the browser's, and lasts. @param {Connection} connection */
export function isNewFailure(connection) {
  const key = connection.welcome?.push?.key ?? "";
  if (storage.getItem(FAILED_KEY) === key) return false;
  storage.setItem(FAILED_KEY, key);
  return true;
}
