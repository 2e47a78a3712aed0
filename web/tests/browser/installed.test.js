// The page as an installed program: its manifest, the shell without a connection, and pushes that
// arrive while no page is open.

import assert from "node:assert/strict";
import { TIMEOUT_MS, browser, long, server, setUp, startServer, visit } from "./harness.js";

/** @import {BrowserContext, Worker} from "playwright-core" */

// The headless shell has no pushes.
setUp({ wholeBrowser: true });

/** A push as the server sends it, but for the game. */
const PUSH = { type: "your_turn", title: "Your move", body: "ann moved in Hexma." };

/**
 * Opens the page and waits until its service worker has everything that it needs.
 * @param {string} url
 */
async function install(url) {
  const { context, page, pageErrors } = await visit(browser, url);
  await page.locator("[data-rules]").first().waitFor();
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    for (;;) {
      const known = await caches.match("/");
      const script = document.querySelector("script[src]")?.getAttribute("src") ?? "";
      if (known !== undefined && (await caches.match(script)) !== undefined) return;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
  return { context, page, pageErrors };
}

/**
 * Returns the running service worker.
 * @param {BrowserContext} context
 * @returns {Promise<Worker>}
 */
async function workerOf(context) {
  return context.serviceWorkers()[0] ?? context.waitForEvent("serviceworker");
}

long("a browser can install the page", async () => {
  const { context, page, pageErrors } = await install(server.url);
  const manifest = await page.evaluate(async () => {
    const link = document.querySelector("link[rel=manifest]");
    const response = await fetch(link?.getAttribute("href") ?? "");
    return { kind: response.headers.get("content-type"), body: await response.json() };
  });
  assert.equal(manifest.kind, "application/manifest+json");
  for (const { src, type, sizes } of manifest.body.icons) {
    const icon = await context.request.get(`${server.url}${src}`);
    assert.equal(icon.headers()["content-type"], type, src);
    const width = type === "image/png" ? (await icon.body()).readUInt32BE(16) : 0;
    assert.ok(sizes === "any" || sizes === `${width}x${width}`, src);
  }
  const session = await context.newCDPSession(page);
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  const reasons = installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito");
  assert.deepEqual(reasons, []);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("without a connection the page still opens, and says so", async () => {
  const away = await startServer();
  const { context, page } = await install(away.url);
  await away.stop();
  await context.setOffline(true);
  await page.reload();
  // The browser under test does not say to pages that it is offline.
  await page.locator(".banner", { hasText: /^(You are offline|No connection)\./ }).waitFor();
  await page.locator("[data-rules]").first().waitFor();
  await page.getByText("This appears as soon as the server can be reached.").first().waitFor();
  await context.close();
});

long("a push that arrives with every page closed shows a notification, which opens the game", async () => {
  const { context, page } = await install(server.url);
  await page.locator("[data-rules=hexma]").click();
  await page.waitForURL(/\/game\//);
  const { pathname } = new URL(page.url());
  const game = pathname.split("/")[2] ?? "";
  await context.grantPermissions(["notifications"], { origin: server.url });
  const elsewhere = await context.newPage();
  await elsewhere.goto("about:blank");
  const session = await context.newCDPSession(elsewhere);
  /** @type {Promise<string>} */
  const registered = new Promise((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${server.url}/`);
      if (own !== undefined) resolve(own.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await registered;
  const worker = await workerOf(context);
  await page.close();
  await session.send("ServiceWorker.deliverPushMessage", {
    origin: server.url,
    registrationId,
    data: JSON.stringify({ ...PUSH, game, url: pathname }),
  });
  const shown = await worker.evaluate(async (timeout) => {
    /** @type {any} */
    const scope = self;
    const begun = performance.now();
    while (performance.now() - begun < timeout) {
      const [notification] = await scope.registration.getNotifications();
      if (notification !== undefined) return { title: notification.title, body: notification.body, tag: notification.tag };
    }
    return undefined;
  }, TIMEOUT_MS);
  assert.deepEqual(shown, { title: PUSH.title, body: PUSH.body, tag: game });
  // The protocol has no click on a notification, and a made one may not open windows.
  const opened = await worker.evaluate(async () => {
    /** @type {any} */
    const scope = self;
    const [notification] = await scope.registration.getNotifications();
    const opens = new Promise((resolve) => {
      scope.clients.openWindow = async (/** @type {string} */ url) => resolve(url);
    });
    scope.dispatchEvent(new scope.NotificationEvent("notificationclick", { notification }));
    return { url: await opens, left: (await scope.registration.getNotifications()).length };
  });
  assert.deepEqual(opened, { url: `${server.url}${pathname}`, left: 0 });
  const again = await context.newPage();
  await again.goto(opened.url);
  await again.locator("adamant-board").waitFor();
  await context.close();
});
