// A game within another page. It watches as nobody, whoever is logged in, and only links to the
// page itself.
//
// `?transparent` leaves the background to the other page, and `?theme=light` or `?theme=dark`
// overrules the browser.

import { browserConnection } from "./net/connection.js";
import { isGameId } from "./net/validation.js";
import { SpectatorBoard } from "./game/spectator_board.js";
import { fill, html } from "./ui/element.js";
import { strings } from "./strings/strings.js";

const query = new URLSearchParams(location.search);
document.body.classList.toggle("transparent", query.has("transparent"));
const theme = query.get("theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;

const connection = browserConnection({ auth: () => undefined, onHelloError: () => false });

const game = location.pathname.split("/")[3] ?? "";
const title = html("h1", { class: "visually-hidden" });
const main = html("main", {}, title);
document.body.append(main);
const missing = () => main.replaceChildren(html("p", { class: "empty" }, strings.notFound.game));
if (isGameId(game)) {
  const board = new SpectatorBoard(connection, game, {
    target: "_blank",
    onChange: ({ seats, rules }) => {
      document.title = `${strings.gameName(rules)}: ${strings.home.versus(seats.map(({ user }) => strings.player(user)))}`;
      if (title.textContent !== document.title) fill(title, document.title);
    },
    onNotFound: missing,
  });
  main.append(board.element);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") connection.probe();
  });
  connection.open();
} else missing();
