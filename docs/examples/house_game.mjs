// Plays a game of Adamas against the house by random moves. Needs: npm install ws
import WebSocket from "ws";

const socket = new WebSocket(process.argv[2] ?? "ws://127.0.0.1:7777/v1/ws", "adamant.v1.json");
let names = [];
let sent;

function send(frame) {
  sent = frame;
  socket.send(JSON.stringify(frame));
}

function finish(code, ...words) {
  (code === 0 ? console.log : console.error)(...words);
  process.exitCode = code;
  socket.removeAllListeners("close");
  socket.close();
}

const on = {
  welcome: ({ user }) =>
    send({ type: "challenge", id: "challenge", rules: "adamas", seats: [user.name, "house"] }),
  created: ({ seats }) => { names = seats.map((seat) => seat.user); },
  your_turn: ({ game, turn, legal }) => {
    const move = legal[Math.floor(Math.random() * legal.length)];
    send({ type: "move", id: `${game}:${turn}`, game, turn, move });
  },
  moved: ({ ply, seat, move }) => console.log(ply, names[seat], move),
  ended: ({ reason, winners }) =>
    finish(0, reason, "- winners:", ...winners.map((seat) => names[seat])),
  aborted: (frame) => finish(1, JSON.stringify(frame)),
  error: (frame) => {
    if (frame.retry !== "after") return finish(1, JSON.stringify(frame));
    // Too fast: the same again, later.
    const again = sent;
    setTimeout(() => send(again), frame.retry_after_ms ?? 1000);
  },
};

socket.on("open", () => send({
  type: "hello", id: "hello", proto: [1], caps: ["legal"],
  client: { name: "house_game.mjs", version: "1" },
  auth: { guest: `guest-${Math.floor(Math.random() * 1e6)}`, bot: true },
}));
socket.on("message", (text) => {
  const frame = JSON.parse(text);
  on[frame.type === "event" ? frame.kind : frame.type]?.(frame);
});
socket.on("error", (error) => finish(1, error.message));
socket.on("close", () => finish(1, "the server closed the connection before the game was over"));
