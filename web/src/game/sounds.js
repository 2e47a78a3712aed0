// Short sounds, and those of one game: moves, captures, and its end. The page is silent until the user
// has touched it.

import { viewSettings } from "../ui/view_settings.js";

/** @import {EventFrame} from "../wire.js" */
/** @import {Preview} from "./draft.js" */
/** @import {GameSync} from "./game_sync.js" */

/** Notes: start and length in seconds, pitch in hertz, volume. */
const SOUNDS = /** @type {const} */ ({
  move: [[0, 0.07, 520, 0.25]],
  turn: [[0, 0.1, 660, 0.18], [0.1, 0.16, 880, 0.18]],
  capture: [[0, 0.07, 520, 0.25], [0.06, 0.14, 260, 0.3]],
  won: [[0, 0.25, 523, 0.15], [0.12, 0.25, 659, 0.15], [0.24, 0.4, 784, 0.15]],
  lost: [[0, 0.3, 392, 0.15], [0.16, 0.3, 330, 0.15], [0.32, 0.5, 262, 0.15]],
  drawn: [[0, 0.25, 440, 0.13], [0.16, 0.4, 440, 0.13]],
});

export class Sound {
  /** @type {AudioContext | undefined} */
  #context;

  /** @param {keyof typeof SOUNDS} what */
  play(what) {
    const loudness = viewSettings.volume;
    if (loudness === 0 || !navigator.userActivation?.hasBeenActive) return;
    // Without a device, or with too many contexts, there is no sound: a move goes on.
    try {
      this.#context ??= new AudioContext();
    } catch {
      return;
    }
    const { currentTime, destination } = this.#context;
    for (const [begins, rings, pitch, volume] of SOUNDS[what]) {
      const [tone, gain] = [this.#context.createOscillator(), this.#context.createGain()];
      const start = currentTime + begins;
      tone.type = "triangle";
      tone.frequency.setValueAtTime(pitch, start);
      gain.gain.setValueAtTime(volume * loudness, start);
      gain.gain.exponentialRampToValueAtTime(0.001, start + rings);
      tone.connect(gain).connect(destination);
      tone.start(start);
      tone.stop(start + rings);
    }
  }

  close() {
    this.#context?.close();
    this.#context = undefined;
  }
}

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
