// Loading a game: from a file, by dropping it on the page, or from pasted text.

import { RequestError } from "../net/pending.js";
import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { MOVES_MAX, addressOf } from "../explore/address.js";
import { MoveTree } from "./move_tree.js";
import { RECORD_MAX, RecordError, readRecord } from "./record_text.js";
import { keepAnalysis } from "./stored.js";

/** @import {App} from "../app.js" */
/** @import {Options} from "../wire.js" */
/** @import {Base} from "../explore/exploration.js" */
/** @import {Connection} from "../net/connection.js" */

const t = strings.analysis.load;

/**
 * What a list of moves belongs to, if it does not say so itself.
 * @typedef {{ rules: string, options: Options, players: number, users: readonly string[] }} Kind
 */

/** Which move cannot be made, and why. @typedef {{ number: number, move: string, why: string }} Fault */

/**
 * Returns the moves in canonical form, up to the first one that cannot be made.
 * @param {Connection} connection
 * @param {Base} base
 * @param {readonly string[]} moves
 * @returns {Promise<{ moves: readonly string[], fault: Fault | undefined }>}
 */
export async function checkMoves(connection, base, moves) {
  if (moves.length === 0) return { moves, fault: undefined };
  try {
    const explored = await connection.request({ type: "explore", ...base, moves: [...moves] });
    return { moves: explored.moves, fault: undefined };
  } catch (error) {
    const index = error instanceof RequestError ? error.failed.index : undefined;
    if (index == null) throw error;
    const fault = { number: index + 1, move: moves[index] ?? "", why: errorText(error) };
    return { ...(await checkMoves(connection, base, moves.slice(0, index))), fault };
  }
}

/**
 * Shows the analysis of a game that is given as text.
 * @param {App} app
 * @param {string} text
 * @param {() => Kind | undefined} kind of a text that does not name it
 */
async function open(app, text, kind) {
  const record = readRecord(text);
  const known = record.rules === undefined ? kind() : { rules: record.rules, options: record.options, players: record.users.length, users: record.users };
  if (known === undefined) throw new RecordError(t.whichGame);
  const { rules, options, users } = known;
  const source = { rules, options, players: known.players || 2 };
  const given = record.moves.slice(0, MOVES_MAX);
  const { moves, fault } = await checkMoves(app.connection, source, given);
  if (fault !== undefined && moves.length === 0) throw new RecordError(t.fault(fault));
  // The options of a record without moves have not been looked at.
  if (moves.length === 0) await app.connection.request({ type: "explore", ...source });
  const tree = new MoveTree();
  tree.addLine(tree.root, moves);
  keepAnalysis(source, { tree, at: moves, users });
  app.navigate(addressOf({ source, from: 0, moves, ply: undefined }).path);
  if (fault !== undefined) app.showToast(t.partly(fault));
  else if (record.isCut) app.showToast(t.cut);
  else if (record.moves.length > given.length) app.showToast(t.long(MOVES_MAX));
}

export class Loader {
  #app;
  #kind;
  #text = html("textarea", { rows: 5, "aria-label": t.paste, placeholder: t.placeholder, spellcheck: "false", autocomplete: "off" });
  #file = html("input", { type: "file", accept: ".txt,.jsonl,.ndjson,.json,text/plain", "aria-label": t.file, onchange: () => void this.#readFile(this.#file.files?.[0]) });
  #error = html("p", { class: "error", role: "alert" });
  #onOpened;
  element;

  /**
   * @param {App} app
   * @param {() => Kind | undefined} kind the game that plain moves belong to, if one is chosen
   * @param {{ fields?: HTMLElement[], onOpened?: () => void }} [more]
   */
  constructor(app, kind, { fields = [], onOpened = () => {} } = {}) {
    this.#app = app;
    this.#kind = kind;
    this.#onOpened = onOpened;
    this.element = html(
      "form",
      { class: "loader", onsubmit: (/** @type {Event} */ event) => this.#onSubmit(event) },
      html("p", { class: "soft" }, t.about),
      this.#text,
      fields,
      this.#error,
      html("div", { class: "loader-buttons" }, html("button", {}, t.open), html("label", { class: "file" }, html("span", {}, t.orFile), this.#file)),
    );
  }

  /**
   * Lets files and text be dropped on an element.
   * @param {HTMLElement} target
   */
  listen(target) {
    const over = (/** @type {DragEvent} */ event) => {
      if (!event.dataTransfer?.types.some((type) => type === "Files" || type === "text/plain")) return;
      event.preventDefault();
      target.dataset["dropping"] = "";
    };
    const end = () => delete target.dataset["dropping"];
    target.addEventListener("dragover", over);
    target.addEventListener("dragleave", end);
    target.addEventListener("drop", (event) => {
      end();
      // A field for text takes it itself.
      if (event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      const { files } = event.dataTransfer ?? {};
      if (files?.[0] !== undefined) void this.#readFile(files[0]);
      else void this.#open(event.dataTransfer?.getData("text/plain") ?? "");
    });
  }

  /** @param {Event} event */
  #onSubmit(event) {
    event.preventDefault();
    void this.#open(this.#text.value);
  }

  /** @param {File | undefined} file */
  async #readFile(file) {
    if (file === undefined) return;
    if (file.size > RECORD_MAX) this.#refuse(strings.analysis.record.tooLong);
    else await this.#open(await file.text());
    this.#file.value = "";
  }

  /** @param {string} text */
  async #open(text) {
    fill(this.#error);
    try {
      await open(this.#app, text, this.#kind);
      this.#onOpened();
    } catch (error) {
      this.#refuse(error instanceof RecordError ? error.message : errorText(error));
    }
  }

  /** @param {string} why */
  #refuse(why) {
    fill(this.#error, why);
    // What was dropped on the page is refused where the reader looks.
    if (this.#error.getClientRects().length === 0) this.#app.showToast(why);
  }
}
