// Ways to keep a game: a link, and its record in two formats.

import { fill, html } from "../ui/element.js";
import { strings } from "../strings/strings.js";

const t = strings.download;

/** How long the page says that the link was copied, in milliseconds. */
const COPIED_MS = 2_000;

export class DownloadBar {
  element;
  #game;
  #saving = false;
  #link = html("button", { class: "quiet" }, t.link);
  #journal = html("button", { class: "quiet" }, t.journal);

  /** @param {string} game */
  constructor(game) {
    this.#game = game;
    this.#link.addEventListener("click", () => this.#copy());
    this.#journal.addEventListener("click", () => this.#save());
    const record = { class: "button quiet", href: `/v1/games/${game}/record`, download: `${game}.txt` };
    const downloads = [this.#link, html("a", record, t.record), this.#journal];
    this.element = html("section", { class: "download-bar" }, ...downloads);
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      fill(this.#link, t.copied);
    } catch {
      // Browsers offer the clipboard only to secure origins. Show the address to copy by hand.
      fill(this.#link, location.href);
    }
    setTimeout(() => fill(this.#link, t.link), COPIED_MS);
  }

  /** Saves the events byte for byte, with the server's signature of the last one. */
  async #save() {
    if (this.#saving) return;
    this.#saving = true;
    try {
      const signature = await read(`/v1/games/${this.#game}/signature`);
      const log = await read(`/v1/games/${this.#game}/log`);
      // The game may have gone on since. Leave out what is not signed.
      const events = log.split("\n").slice(0, JSON.parse(signature).seq);
      const record = new Blob([events.join("\n"), "\n", signature], { type: "application/x-ndjson" });
      const url = URL.createObjectURL(record);
      html("a", { href: url, download: `${this.#game}.jsonl` }).click();
      URL.revokeObjectURL(url);
      fill(this.#journal, t.journal);
    } catch {
      fill(this.#journal, t.failed);
    }
    this.#saving = false;
  }
}

/** @param {string} path */
async function read(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(String(response.status));
  return response.text();
}
