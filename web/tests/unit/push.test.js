// Calls of a browser whose page is closed: the subscription is made under the server's key.

import assert from "node:assert/strict";
import { test } from "node:test";
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
