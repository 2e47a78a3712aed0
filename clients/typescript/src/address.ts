// A server's address. People write `example.org:7777`; a socket needs a scheme and a path.

const WEBSOCKET_PATH = "/v1/ws";

const SCHEMES: ReadonlyMap<string, string> = new Map([
  ["ws:", "ws:"],
  ["http:", "ws:"],
  ["wss:", "wss:"],
  ["https:", "wss:"],
]);

/** Returns the WebSocket's URL. An address without a scheme is taken as `ws://`. */
export function webSocketUrl(address: string): string {
  const text = address.trim();
  // The part before an @ may be a password, and errors end up in logs.
  if (text.includes("@")) throw new TypeError("names and passwords do not belong in a server's address");
  const url = parsed(text.includes("://") ? text : `ws://${text}`);
  const scheme = SCHEMES.get(url?.protocol ?? "");
  if (url === undefined || scheme === undefined || url.hostname === "") {
    throw new TypeError(`"${address}" is not a server's address: it looks like ws://host:port`);
  }
  return `${scheme}//${url.host}${url.pathname === "/" ? WEBSOCKET_PATH : url.pathname}`;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
