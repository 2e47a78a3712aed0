// A proxy that makes a server seem far away: everything takes a given time to it and back.

import net from "node:net";

/**
 * Starts a proxy before a server.
 * @param {string} url of the server
 * @param {number} roundTripMs the time to the server and back, which opening a connection takes too
 * @returns {Promise<{ url: string, stop: () => void }>}
 */
export async function startDistantProxy(url, roundTripMs) {
  const { hostname, port } = new URL(url);
  /** @type {Set<net.Socket>} */
  const sockets = new Set();
  /** @type {(from: net.Socket, to: net.Socket, openAt: number) => void} */
  const forward = (from, to, openAt) => {
    sockets.add(from);
    /** @param {() => void} work */
    const later = (work) => setTimeout(work, roundTripMs / 2 + Math.max(0, openAt - performance.now()));
    from.on("data", (data) => later(() => to.write(data)));
    from.on("end", () => later(() => to.end()));
    from.on("error", () => to.destroy());
    from.on("close", () => sockets.delete(from));
  };
  const proxy = net.createServer((near) => {
    const far = net.connect({ host: hostname, port: Number(port) });
    forward(near, far, performance.now() + roundTripMs);
    forward(far, near, 0);
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = /** @type {net.AddressInfo} */ (proxy.address());
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
