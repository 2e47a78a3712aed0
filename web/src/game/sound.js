// Sounds of moves. The page is silent until the user has touched it. The setting is stored.

const KEY = "adamant.quiet";

/** A note: start and length in seconds, pitch in hertz, volume. */
const SOUNDS = /** @type {const} */ ({
  move: [[0, 0.07, 520, 0.25]],
  capture: [[0, 0.07, 520, 0.25], [0.06, 0.14, 260, 0.3]],
  turn: [[0, 0.1, 660, 0.18], [0.1, 0.16, 880, 0.18]],
  end: [[0, 0.25, 523, 0.15], [0.12, 0.25, 659, 0.15], [0.24, 0.4, 784, 0.15]],
});

export class Sound {
  #storage;
  /** @type {AudioContext | undefined} */
  #context;

  /** @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} storage */
  constructor(storage) {
    this.#storage = storage;
    this.on = storage.getItem(KEY) === null;
  }

  /** @param {boolean} on */
  set(on) {
    this.on = on;
    if (on) this.#storage.removeItem(KEY);
    else this.#storage.setItem(KEY, "1");
  }

  /** @param {keyof typeof SOUNDS} what */
  play(what) {
    if (!this.on || !navigator.userActivation?.hasBeenActive) return;
    this.#context ??= new AudioContext();
    const { currentTime, destination } = this.#context;
    for (const [begins, rings, pitch, volume] of SOUNDS[what]) {
      const [tone, gain] = [this.#context.createOscillator(), this.#context.createGain()];
      const start = currentTime + begins;
      tone.type = "triangle";
      tone.frequency.setValueAtTime(pitch, start);
      gain.gain.setValueAtTime(volume, start);
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
