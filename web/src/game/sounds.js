// The sounds of one game: moves, captures, and its end.

import { Sound } from "./sound.js";

/** @import {EventFrame} from "../wire.js" */
/** @import {GameSync} from "./game_sync.js" */
/** @import {Preview} from "./draft.js" */

export class GameSounds {
  #sound = new Sound();
  #sync;
  /** Whether the move that is under way has had its sound. */
  #sounded = false;

  /** @param {GameSync} sync */
  constructor(sync) {
    this.#sync = sync;
  }

  /**
   * The user has played a move.
   * @param {Preview | undefined} preview
   */
  onSent(preview) {
    this.#sounded = preview !== undefined;
    if (preview !== undefined) this.#sound.play(preview.captures.length > 0 ? "capture" : "move");
  }

  /** @param {EventFrame} event */
  onEvent(event) {
    const seat = this.#sync.seat();
    if (event.kind === "moved") {
      if (event.seat !== seat || !this.#sounded) this.#sound.play(event.captures.length > 0 ? "capture" : "move");
      this.#sounded = false;
    } else if (event.kind === "aborted") this.#sound.play("drawn");
    else if (event.kind === "ended") {
      const { winners } = event;
      const won = seat !== undefined && winners.length === 1 && winners.includes(seat);
      this.#sound.play(winners.length > 1 || seat === undefined ? "drawn" : won ? "won" : "lost");
    }
  }

  close() {
    this.#sound.close();
  }
}
