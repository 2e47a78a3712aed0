// The talk of a game: players among themselves, spectators among themselves, everyone after the
// end. Lines are inserted as text only.

import { openReport } from "./report.js";
import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";

/** @import {Said, Snapshot, TalkLine, Unsaid} from "../wire.js" */
/** @import {App} from "../app.js" */

/** @typedef {Said["room"]} Room */

/** A line that was written for a room. @typedef {{ room: Room, text: string }} Unsent */

const t = strings.talk;

/** Characters of a line, as on the server. */
const LINE_MAX = 500;

/** Lines that are shown of one room: as many as the server keeps. */
const LINES_MAX = 1000;

/** How long users can delete their own lines, in milliseconds. */
const UNSAY_WITHIN_MS = 15 * 60_000;

export class Talk {
  element = html("section", { class: "talk panel" });
  #app;
  #game;
  /** @type {Room[]} */
  #rooms = [];
  /** @type {Room} */
  #room = "spectators";
  /**
   * Lines of the shown room, by number.
   * @type {Map<number, { by: string, element: HTMLElement }>}
   */
  #lines = new Map();
  #tabs = html("div", { class: "rooms" });
  #list = html("ol");
  /** Scrolls the list. */
  #log = html("div", { class: "lines", tabindex: 0, role: "log", "aria-label": t.heading }, this.#list);
  #earlier = html("button", { class: "quiet", hidden: true }, t.earlier);
  #input = html("input", { "aria-label": t.write, placeholder: t.write, maxlength: LINE_MAX, autocomplete: "off" });
  #form;
  /** Lines that the server has not taken yet, in the order in which they were written. @type {Unsent[]} */
  #unsent = [];
  /** Whether they are being sent. */
  #isSending = false;
  /** Whether the server has refused the first of them: the user decides. */
  #isRefused = false;
  #unsentAbout = html("p", { class: "soft", role: "status" });
  #unsentList = html("div", {});
  #muted = html("p", { class: "muted" });
  #error = html("p", { class: "error", role: "alert" });
  /** The users of the seats, without this one. @type {string[]} */
  #others = [];
  #report = html("button", { class: "quiet report-game", hidden: true }, strings.report.inGame);
  #unsubscribe;

  #logIn = html("p", { class: "soft log-in", hidden: true }, html("a", { href: "/account" }, t.logIn));
  #isShown;
  #onUnread;
  /** Lines that came while the chat was not shown. */
  #unread = 0;

  /**
   * @param {App} app
   * @param {string} game
   * @param {() => boolean} isShown whether the chat is shown
   * @param {(unread: number) => void} onUnread
   */
  constructor(app, game, isShown, onUnread) {
    this.#app = app;
    this.#game = game;
    this.#isShown = isShown;
    this.#onUnread = onUnread;
    this.#form = html("form", { onsubmit: this.#onSubmit }, this.#input, html("button", { class: "quiet" }, t.send));
    this.#report.addEventListener("click", () => openReport(app, this.#others, game));
    this.#earlier.addEventListener("click", () => this.#load(this.#first()));
    const unsent = html("div", { class: "unsent" }, this.#unsentAbout, this.#unsentList);
    fill(this.element, this.#tabs, this.#earlier, this.#log, unsent, this.#error, this.#form, this.#logIn, this.#muted, this.#report);
    const { connection } = app;
    this.#unsubscribe = [
      connection.on("state", () => this.#drawUnsent()),
      connection.on("said", (/** @type {Said} */ said) => {
        if (this.#isHere(said)) this.#onSaid(said);
      }),
      connection.on("unsaid", (/** @type {Unsaid} */ unsaid) => {
        if (this.#isHere(unsaid)) this.#remove(unsaid.n);
      }),
      connection.on("snapshot", (/** @type {Snapshot} */ snapshot) => {
        // Lines may have been missed together with the events.
        if (snapshot.game === game && snapshot.reason != null && this.#rooms.length > 0) this.#load();
      }),
    ];
  }

  /** The chat is shown now. */
  onShown() {
    if (!this.#isShown()) return;
    this.#unread = 0;
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  /** @param {Said} said */
  #onSaid(said) {
    // After a failure a line may arrive that was listed before.
    if (this.#lines.has(said.n)) return;
    this.#add(said);
    if (this.#isShown()) return;
    this.#unread += 1;
    this.#onUnread(this.#unread);
  }

  close() {
    for (const stop of this.#unsubscribe) stop();
  }

  /**
   * @param {Snapshot} snapshot
   * @param {number | undefined} seat
   */
  show(snapshot, seat) {
    /** @type {Room[]} */
    const rooms = seat === undefined ? ["spectators"] : snapshot.result ? ["players", "spectators"] : ["players"];
    this.#form.hidden = this.#app.connection.welcome?.user == null;
    this.#logIn.hidden = !this.#form.hidden;
    const me = this.#app.connection.welcome?.user?.name;
    this.#others = snapshot.seats.map(({ user }) => user).filter((user) => user !== me && !strings.game.isComputer(user));
    this.#report.hidden = me === undefined || this.#others.length === 0;
    if (rooms.join() === this.#rooms.join()) return;
    const room = rooms.includes(this.#room) && this.#rooms.length > 0 ? this.#room : (rooms[0] ?? "spectators");
    this.#rooms = rooms;
    this.#showRoom(room);
    this.#showMuted();
  }

  /** @param {Room} room */
  #showRoom(room) {
    this.#room = room;
    update(
      this.#tabs,
      this.#rooms.length === 1
        ? html("span", { class: "soft" }, t.rooms[room])
        : this.#rooms.map((each) =>
            html("button", { class: "choice", "aria-pressed": String(each === room), onclick: () => this.#showRoom(each) }, t.rooms[each]),
          ),
    );
    this.#clear();
    this.#load();
  }

  #clear() {
    this.#lines.clear();
    if (this.#list.contains(document.activeElement)) this.#log.focus();
    fill(this.#list);
    this.#hideEarlier(true);
  }

  /** @param {boolean} hidden */
  #hideEarlier(hidden) {
    if (hidden && document.activeElement === this.#earlier) this.#log.focus();
    this.#earlier.hidden = hidden;
  }

  /** @param {Said | Unsaid} message */
  #isHere(message) {
    return message.game === this.#game && message.room === this.#room;
  }

  /** Returns the number of the first shown line. */
  #first() {
    return this.#lines.size === 0 ? undefined : Math.min(...this.#lines.keys());
  }

  /** @param {number} [before] */
  async #load(before) {
    const room = this.#room;
    try {
      const { lines, more } = await this.#app.connection.request({ type: "talk", game: this.#game, room, before });
      if (room !== this.#room) return;
      // Deleted lines disappear with the rest.
      if (before === undefined) this.#clear();
      for (const line of lines) this.#add(line);
      this.#hideEarlier(!more || this.#lines.size >= LINES_MAX);
    } catch {
      // Talk may be disabled. The server's error appears when the user writes.
    }
  }

  /** @param {TalkLine} line */
  #add(line) {
    if (this.#lines.has(line.n)) return;
    const element = this.#line(line);
    const later = [...this.#lines.keys()].filter((n) => n > line.n);
    const next = later.length > 0 ? this.#lines.get(Math.min(...later))?.element : undefined;
    const log = this.#log;
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 30;
    this.#list.insertBefore(element, next ?? null);
    this.#lines.set(line.n, { by: line.by, element });
    if (this.#lines.size > LINES_MAX) this.#remove(this.#first() ?? 0);
    if (atEnd) log.scrollTop = log.scrollHeight;
  }

  /** @param {number} n */
  #remove(n) {
    const element = this.#lines.get(n)?.element;
    if (element?.contains(document.activeElement)) this.#log.focus();
    element?.remove();
    this.#lines.delete(n);
  }

  /** @param {TalkLine} line */
  #line({ n, at, by, text }) {
    const { connection } = this.#app;
    const me = connection.welcome?.user?.name;
    const canUnsay = connection.time.now() - at < UNSAY_WITHIN_MS;
    const action =
      by !== me
        ? [
            html("button", { class: "line-action", onclick: () => this.#mute(by), "aria-label": t.muteWhom(by) }, t.mute),
            html("button", { class: "line-action", onclick: () => openReport(this.#app, [by], this.#game), "aria-label": strings.report.titleOf(by) }, strings.report.line),
          ]
        : canUnsay && html("button", { class: "line-action", onclick: () => this.#unsay(n), "aria-label": t.unsay }, "×");
    return html(
      "li",
      { title: new Date(at).toLocaleString() },
      html("a", { class: "by", href: `/user/${encodeURIComponent(by)}` }, strings.player(by)),
      " ",
      html("span", { class: "text", dir: "auto" }, text),
      me !== undefined && action,
    );
  }

  #onSubmit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = this.#input.value.trim();
    if (text === "") return;
    this.#input.value = "";
    this.#unsent.push({ room: this.#room, text });
    if (this.#isRefused) this.#drawUnsent();
    else await this.#sendUnsent();
  };

  /** Sends the lines one after the other, in the order in which they were written, until one is refused. */
  async #sendUnsent() {
    this.#isRefused = false;
    fill(this.#error);
    this.#drawUnsent();
    if (this.#isSending) return;
    this.#isSending = true;
    for (let [line] = this.#unsent; line !== undefined && !this.#isRefused; [line] = this.#unsent) {
      try {
        await this.#app.connection.request({ type: "say", game: this.#game, ...line });
        this.#unsent = this.#unsent.filter((each) => each !== line);
      } catch (error) {
        fill(this.#error, errorText(error));
        this.#isRefused = true;
      }
      this.#drawUnsent();
    }
    this.#isSending = false;
  }

  /** Shows the lines that wait for the user or for the connection. */
  #drawUnsent() {
    const lines = this.#unsent;
    const waits = lines.length > 0 && (this.#isRefused || this.#app.connection.state.is !== "open");
    const about = !waits ? "" : this.#isRefused ? t.unsent : t.sentLater;
    if (this.#unsentAbout.textContent !== about) fill(this.#unsentAbout, about);
    const again = () => {
      this.#input.focus();
      void this.#sendUnsent();
    };
    const discard = () => {
      fill(this.#error);
      this.#isRefused = false;
      this.#unsent = [];
      this.#drawUnsent();
      this.#input.focus();
    };
    update(
      this.#unsentList,
      waits && html("ol", {}, lines.map(({ text }) => html("li", { dir: "auto" }, text))),
      waits && this.#isRefused && [
        html("button", { class: "quiet", onclick: again }, t.sendAgain),
        html("button", { class: "quiet", onclick: discard }, t.discard),
      ],
    );
  }

  /** @param {number} n */
  #unsay(n) {
    this.#request({ type: "unsay", game: this.#game, room: this.#room, n });
  }

  /** @param {string} user */
  async #mute(user) {
    await this.#request({ type: "mute", user });
    this.#load();
    this.#showMuted();
  }

  /** @param {string} user */
  async #unmute(user) {
    await this.#request({ type: "unmute", user });
    this.#load();
    this.#showMuted();
  }

  async #showMuted() {
    const { connection } = this.#app;
    if (connection.welcome?.user == null) return;
    try {
      const { users } = await connection.request({ type: "mutes" });
      const each = users.map((user) =>
        html("button", { class: "quiet", onclick: () => this.#unmute(user), "aria-label": t.unmuteWhom(user) }, `${user} ×`),
      );
      update(this.#muted, users.length > 0 && t.muted, each);
    } catch {
      // The next change requests it again.
    }
  }

  /** @param {import("../wire.js").NewRequest} question */
  async #request(question) {
    fill(this.#error);
    try {
      await this.#app.connection.request(question);
    } catch (error) {
      fill(this.#error, errorText(error));
    }
  }
}
