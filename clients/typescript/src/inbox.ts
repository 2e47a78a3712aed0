// The frames that wait for the program.

import { type AdamantError, InboxOverflow } from "./errors.js";
import type { ToClient } from "./protocol.js";
import { Changes } from "./waiting.js";

/** A bounded queue with one reader. A program that never reads loses nothing but the frames. */
export class Inbox {
  readonly #max: number;
  readonly #changed = new Changes();
  #frames: ToClient[] = [];
  #isRead = false;
  #isLost = false;
  #isClosed = false;
  #end: AdamantError | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether a program that reads has fallen too far behind. */
  get isFull(): boolean {
    return this.#isRead && this.#frames.length >= this.#max;
  }

  put(frame: ToClient): void {
    if (!this.#isRead && this.#frames.length >= this.#max) {
      this.#isLost = true;
      this.#frames = [];
    }
    if (this.#isLost) return;
    this.#frames.push(frame);
    this.#changed.wake();
  }

  /** Ends the queue after the frames that wait, with an error if there is one. */
  close(end: AdamantError | undefined): void {
    this.#isClosed = true;
    this.#end = end;
    this.#changed.wake();
  }

  /** The next frame; `undefined` at the end. */
  async get(): Promise<ToClient | undefined> {
    this.#isRead = true;
    if (this.#isLost) throw new InboxOverflow();
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined) {
        this.#changed.wake();
        return frame;
      }
      if (this.#isClosed) {
        if (this.#end !== undefined) throw this.#end;
        return undefined;
      }
      await this.#changed.wait();
    }
  }

  /** Waits until half of the queue is free. */
  async waitForRoom(): Promise<void> {
    while (this.#isRead && this.#frames.length > this.#max / 2 && !this.#isClosed) await this.#changed.wait();
  }
}
