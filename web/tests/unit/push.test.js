// Calls of a browser whose page is closed: the subscription is made under the server's key.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { subscribe } from "../../src/notify/push.js";
import { storage } from "../../src/strings/storage.js";

/** @type {any} */
const connection = { welcome: { push: { key: "NEW" }, user: { name: "ann" } } };

/**
 * A browser with a subscription under a key, by the rules of the Push API.
 * @param {string | undefined} key
 * @param {Error} [fault] why it cannot subscribe
 */
function browserWith(key, fault) {
  /** @type {string[]} */
  const did = [];
  const subscription = () => ({
    toJSON: () => ({ endpoint: `https://push.example/${key}`, keys: { p256dh: "p", auth: "a" } }),
    unsubscribe: async () => {
      did.push(`gave up ${key}`);
      key = undefined;
    },
  });
  const pushManager = {
    getSubscription: async () => (key === undefined ? null : subscription()),
    subscribe: async (/** @type {any} */ { applicationServerKey }) => {
      if (fault !== undefined) throw fault;
      if (key !== undefined && key !== applicationServerKey) throw new DOMException("another key", "InvalidStateError");
      key = applicationServerKey;
      return subscription();
    },
  };
  const navigator = { serviceWorker: { ready: Promise.resolve({ pushManager }) } };
  for (const [name, value] of Object.entries({ navigator, Notification: { permission: "granted" }, window: { PushManager: 1, Notification: 1 } })) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }
  storage.setItem("adamant.notify", "1");
  connection.request = async (/** @type {any} */ { type, endpoint }) => void did.push(`${type} ${endpoint}`);
  return did;
}

test("a subscription under another key of the server is given up and made anew", async () => {
  const did = browserWith("OLD");
  assert.equal(await subscribe(connection), true);
  assert.deepEqual(did, ["gave up OLD", "push_subscribe https://push.example/NEW"]);
});

test("a browser that cannot subscribe is a failure", async () => {
  const did = browserWith("OLD", new DOMException("no service", "AbortError"));
  assert.equal(await subscribe(connection), false);
  assert.deepEqual(did, []);
});

/**
 * Tells the service worker that the browser has ended or renewed the subscription. Returns what it does.
 * @param {{ oldSubscription: unknown, newSubscription: unknown }} event
 * @param {{ pages: number, language?: string, fault?: Error }} browser
 */
async function changeSubscription(event, { pages, language = "en-GB", fault }) {
  /** @type {string[]} */
  const did = [];
  /** @type {Map<string, (event: any) => void>} */
  const listeners = new Map();
  const subscribe = async (/** @type {unknown} */ options) => {
    did.push(`subscribe ${JSON.stringify(options)}`);
    if (fault !== undefined) throw fault;
  };
  const page = { postMessage: (/** @type {unknown} */ message) => void did.push(`page: ${JSON.stringify(message)}`) };
  const self = {
    addEventListener: (/** @type {string} */ type, /** @type {(event: any) => void} */ listener) => void listeners.set(type, listener),
    registration: {
      pushManager: { subscribe },
      showNotification: async (/** @type {string} */ _, /** @type {any} */ { body, data }) => void did.push(`${data.url}: ${body}`),
    },
    clients: { matchAll: async () => Array(pages).fill(page) },
  };
  runInNewContext(await readFile(new URL("../../src/sw.js", import.meta.url), "utf8"), { self, navigator: { language } });
  /** @type {Promise<unknown>[]} */
  const work = [];
  listeners.get("pushsubscriptionchange")?.({ ...event, waitUntil: (/** @type {Promise<unknown>} */ each) => void work.push(each) });
  assert.equal(work.length, 1);
  await Promise.all(work);
  return did;
}

const ended = { oldSubscription: { options: { applicationServerKey: "KEY" } }, newSubscription: null };
const AGAIN = 'subscribe {"applicationServerKey":"KEY"}';
const TELL = 'page: {"subscribe":true}';

test("a subscription that the browser has ended is made anew, and every open page tells the server", async () => {
  assert.deepEqual(await changeSubscription(ended, { pages: 2 }), [AGAIN, TELL, TELL]);
});

test("a subscription that the browser has renewed itself is only told of", async () => {
  assert.deepEqual(await changeSubscription({ ...ended, newSubscription: {} }, { pages: 1 }), [TELL]);
  assert.deepEqual(await changeSubscription({ oldSubscription: null, newSubscription: null }, { pages: 1 }), [TELL]);
});

test("without an open page the user is asked to open it, also if the browser cannot subscribe", async () => {
  const english = "/: Open the page once to go on hearing of your moves.";
  assert.deepEqual(await changeSubscription(ended, { pages: 0 }), [AGAIN, english]);
  const german = "/: Öffne die Seite einmal, damit du weiter von deinen Zügen hörst.";
  const fault = new DOMException("no service", "AbortError");
  assert.deepEqual(await changeSubscription(ended, { pages: 0, language: "de-CH", fault }), [AGAIN, german]);
});
