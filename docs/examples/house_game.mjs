// Plays a game of Adamas against a house bot. Survives lost connections and its own restarts.
// Needs Node 22, or Node 20 with `npm install ws`.
// Run: node house_game.mjs [ADDRESS [FILE]]; FILE stores the token and the last move sent.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

const Socket = globalThis.WebSocket ?? (await import("ws")).default;
const [address = "ws://127.0.0.1:7777/v1/ws", file = "house_game.json"] = process.argv.slice(2);
let kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
let cursor = { seq: 0 }, names = [], wait = 250, over = false; // The cursor is the last event received.
let socket, sent;

function keep(changes) { // Writes to disk before sending, so that a restart sends the same move again.
  kept = { ...kept, ...changes };
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, JSON.stringify(kept), { mode: 0o600, flag: "wx" });
  renameSync(`${file}.new`, file);
}

function send(frame) {
  sent = JSON.stringify(frame);
  socket.send(sent);
}

function finish(code, ...words) {
  over = true;
  (code === 0 ? console.log : console.error)(...words);
  process.exitCode = code;
  socket.close();
}

function choose({ legal, position, seat }) { // Prefers a capture. With `legal_cut`, ask `moves` for the rest.
  const isEnemy = (cell) => position[cell] !== undefined && position[cell][0] !== "OXY"[seat];
  const goals = (move) => move.split("-")[1].split(",").map((part) => part.split("x").at(-1));
  const captures = legal.filter((move) => goals(move).some(isEnemy));
  const from = captures.length > 0 ? captures : legal;
  return from[Math.floor(Math.random() * from.length)];
}

const on = {
  welcome: ({ user, token, games, challenges }) => {
    wait = 250;
    if (token !== undefined) keep({ token });
    const live = games.filter(({ resume }) => resume !== "gone").map(({ game }) => game);
    if (!live.includes(kept.game)) keep({ game: live[0] });
    if (live.length > 0 || challenges.length > 0) return;
    send({ type: "challenge", id: "challenge", rules: "adamas", seats: [user.name, "house"] });
  },
  your_turn: (frame) => {
    const { game, turn } = frame, id = `${game}:${turn}`;
    // If this move was sent already, its answer was lost: send it again.
    if (kept.move?.id !== id) keep({ move: { type: "move", id, game, turn, move: choose(frame) } });
    send(kept.move);
  },
  created: ({ game }) => keep({ game }),
  moved: ({ ply, seat, move }) => console.log(ply, names[seat], move),
  ended: ({ reason, winners }) => {
    keep({ game: undefined, move: undefined });
    finish(0, reason, "- winners:", ...winners.map((seat) => names[seat]));
  },
  aborted: (frame) => finish(1, JSON.stringify(frame)),
  challenge_closed: (frame) => frame.game ?? finish(1, JSON.stringify(frame)), // The house bot declined.
  error: (frame) => {
    if (frame.retry === "after") setTimeout(() => socket.send(sent), frame.retry_after_ms ?? 1000); // Too fast: wait.
    else if (frame.code === "unauthorized" && kept.token) keep({ token: undefined, game: undefined });
    else if (frame.retry !== "resync") finish(1, JSON.stringify(frame));
  },
};

function connect() {
  socket = new Socket(address, "adamant.v1.json");
  socket.onopen = () => send({
    type: "hello", id: "hello", proto: [1], caps: ["legal", "position"],
    client: { name: "house_game.mjs", version: "2" },
    auth: kept.token ? { token: kept.token } : { guest: `guest-${Math.floor(Math.random() * 1e6)}`, bot: true },
    resume: kept.game ? { [kept.game]: cursor } : {},
  });
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(data);
    if (frame.chain !== undefined && frame.seq !== undefined) {
      cursor = { seq: frame.seq, chain: frame.chain };
      names = frame.seats?.map(({ user }) => user) ?? names;
    }
    on[frame.type === "event" ? frame.kind : frame.type]?.(frame);
  };
  socket.onerror = () => {};
  socket.onclose = ({ code, reason }) => {
    if (over) return;
    if (code === 4002 || code === 4003) return finish(1, reason); // No common version, or replaced.
    setTimeout(connect, Math.random() * wait); // A random time up to a limit that doubles from 250 ms to 3 s.
    wait = Math.min(2 * wait, 3_000);
  };
}

connect();
