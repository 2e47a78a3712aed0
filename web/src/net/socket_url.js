// The address of the server's WebSocket, next to the page.

/** Returns the address. */
export function socketUrl() {
  const url = new URL("/v1/ws", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url;
}
