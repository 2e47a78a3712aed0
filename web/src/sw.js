// The service worker: shows the page without a connection, and calls the player back. It decides
// nothing about games: without the server the page shows only itself.

/** @type {any} */
const worker = self;

/** The page's files. The server writes their version here, so that a new one is a new worker. */
const FILES = "/page/current/";

/** The name of the cache for this version. */
const CACHE = `page${FILES}`;

/** The document that is shown at every address without a connection. */
const SHELL = "/";

/** The picture of a notification. */
const ICON = `${FILES}icons/icon-192.png`;

/** @typedef {{ type: string, game?: string, title: string, body: string, url: string }} Push */

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(install());
});

async function install() {
  const cache = await caches.open(CACHE);
  await cache.add(SHELL);
  await worker.skipWaiting();
}

worker.addEventListener("activate", (/** @type {any} */ event) => {
  event.waitUntil(activate());
});

async function activate() {
  for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
  // The browser asks for a document while this worker starts.
  await worker.registration.navigationPreload?.enable();
  await worker.clients.claim();
}

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== worker.location.origin || request.method !== "GET") return;
  if (pathname.startsWith(FILES)) event.respondWith(fileOf(request));
  else if (request.mode === "navigate" && !pathname.startsWith("/embed/")) event.respondWith(documentOf(event));
});

/**
 * Returns a file of the page, from the cache if it is there. Files never change.
 * @param {Request} request
 */
async function fileOf(request) {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request);
  if (known !== undefined) return known;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/**
 * Returns the document from the server, or the known one if the server cannot be reached.
 * @param {any} event
 */
async function documentOf(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (error) {
    const shell = await caches.match(SHELL);
    if (shell === undefined) throw error;
    return shell;
  }
}

// A page names the files that it has loaded before this worker served it.
worker.addEventListener("message", (/** @type {any} */ event) => {
  event.waitUntil(keep(event.data?.keep ?? []));
});

/** @param {string[]} files */
async function keep(files) {
  const cache = await caches.open(CACHE);
  for (const file of files) {
    const { origin, pathname } = new URL(file);
    if (origin !== worker.location.origin || !pathname.startsWith(FILES)) continue;
    if ((await cache.match(file)) === undefined) await cache.add(file);
  }
}

worker.addEventListener("push", (/** @type {any} */ event) => {
  event.waitUntil(notify(event.data.json()));
});

/** @param {Push} push */
async function notify({ type, game, title, body, url }) {
  // A newer notification of a game takes the place of the older one, but chat not that of moves.
  const tag = type === "message" ? `${game}-message` : (game ?? type);
  await worker.registration.showNotification(title, { body, tag, renotify: true, icon: ICON, badge: ICON, data: { url } });
}

worker.addEventListener("pushsubscriptionchange", (/** @type {any} */ event) => {
  event.waitUntil(renew(event));
});

/**
 * Subscribes again after the browser has ended a subscription. A page tells the server: only a page
 * is logged in.
 * @param {any} event
 */
async function renew({ oldSubscription, newSubscription }) {
  if (newSubscription == null && oldSubscription != null) await worker.registration.pushManager.subscribe(oldSubscription.options).catch(() => {});
  const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  for (const each of windows) each.postMessage({ subscribe: true });
  if (windows.length > 0) return;
  const isGerman = navigator.language.startsWith("de");
  const body = isGerman ? "Öffne die Seite einmal, damit du weiter von deinen Zügen hörst." : "Open the page once to go on hearing of your moves.";
  await notify({ type: "subscription", title: "Adamant", body, url: "/" });
}

worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data.url));
});

/**
 * Shows an address of the page, in its own window if one shows it already.
 * @param {string} address
 */
async function openPage(address) {
  const wanted = new URL(address, worker.location.origin);
  const { href } = wanted.origin === worker.location.origin ? wanted : new URL("/", worker.location.origin);
  const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const shown = windows.find((/** @type {any} */ each) => each.url === href);
  await (shown === undefined ? worker.clients.openWindow(href) : shown.focus());
}
