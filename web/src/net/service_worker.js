// Registers the service worker, which shows the page without a connection and receives pushes.

/** The address of the service worker. */
const ADDRESS = "/sw.js";

/** The name of the policy by which the browser knows that the address is meant. */
const POLICY = "service-worker";

/** The start of the addresses of the page's files. */
const FILES = "/page/";

/** The address as the browser wants it: only this one may become a script. */
function scriptAddress() {
  /** @type {any} */
  const { trustedTypes } = globalThis;
  if (trustedTypes === undefined) return ADDRESS;
  return trustedTypes.createPolicy(POLICY, { createScriptURL: () => ADDRESS }).createScriptURL(ADDRESS);
}

/** Registers the service worker where the browser allows it, and tells it what to keep. */
export async function registerServiceWorker() {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register(scriptAddress());
    const { active } = await navigator.serviceWorker.ready;
    const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
    active?.postMessage({ keep: loaded.filter((name) => new URL(name).pathname.startsWith(FILES)) });
  } catch {
    // Private windows and some settings forbid service workers. The page works without.
  }
}
