// A server's address. People write `example.org`; a socket needs a scheme, a port and a path.
//
// An address without a scheme is encrypted, so that no password crosses a network in the clear, except to this machine.

const WEBSOCKET_PATH = "/v1/ws";

/** The port of a server on this machine. */
const LOCAL_PORT = 7777;

const SCHEMES: ReadonlyMap<string, string> = new Map([
  ["ws:", "ws:"],
  ["http:", "ws:"],
  ["wss:", "wss:"],
  ["https:", "wss:"],
]);

/** Returns the WebSocket's URL. */
export function webSocketUrl(address: string): string {
  const text = address.trim();
  // The part before an @ may be a password, and errors end up in logs.
  if (text.includes("@")) throw new TypeError("names and passwords do not belong in a server's address");
  const hasScheme = text.includes("://");
  const url = /\s/.test(text) ? undefined : parsed(hasScheme ? text : `wss://${text}`);
  const isLocal = !hasScheme && isLoopback(url?.hostname ?? "");
  const scheme = isLocal ? "ws:" : SCHEMES.get(url?.protocol ?? "");
  if (url === undefined || scheme === undefined || url.hostname === "") {
    throw new TypeError(`"${address}" is not a server's address: it looks like wss://host:port`);
  }
  const path = url.pathname === "/" ? WEBSOCKET_PATH : url.pathname;
  if (!isLocal) return `${scheme}//${url.host}${path}`;
  // The URL leaves a port out that is usual for its scheme.
  const typed = /:443(?:\/|$)/.test(text) ? 443 : LOCAL_PORT;
  return `${scheme}//${url.hostname}:${url.port === "" ? typed : url.port}${path}`;
}

/** Whether all that is sent crosses a network in the clear: without TLS, and not to this machine. */
export function isExposed(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "ws:" && !isLoopback(hostname);
}

/** Whether the host of a URL is this machine's own, whatever the network says. */
function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/.test(host);
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
