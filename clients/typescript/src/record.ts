// The events of a game that the client has, and what to do with each one that arrives.

import type { Cursor, Event } from "./protocol.js";

/** What an event that arrives means: the next one; known, or sent again later; or events before it are missing. */
export type Arrival = "next" | "known" | "gap";

/** The events before those that are here, while they are loaded. */
interface Beginning {
  readonly events: Event[];
  readonly lines: string[];
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/** A run of events without a gap. It may begin in the middle of the game, behind a snapshot. */
export class GameRecord {
  seq = 0;
  #chain: string | undefined;
  /** The seq of the first event that is here, or of the next one if none is. */
  first = 1;
  readonly events: Event[] = [];
  readonly lines: string[] = [];
  #isFilling = false;
  #fillUntil: number | undefined;
  #beginning: Beginning | undefined;

  /** Begins with the state after an event. */
  static behind(seq: number, chain: string): GameRecord {
    const record = new GameRecord();
    record.seq = seq;
    record.#chain = chain;
    record.first = seq + 1;
    return record;
  }

  get cursor(): Cursor {
    return this.#chain === undefined ? { seq: this.seq } : { seq: this.seq, chain: this.#chain };
  }

  /** Whether the events that close a gap are on their way. */
  get isFilling(): boolean {
    return this.#isFilling;
  }

  /** Adds an event if it is the next one. */
  arrived(event: Event, line: string): Arrival {
    const beginning = this.#beginning;
    if (beginning !== undefined && event.seq === beginning.events.length + 1 && event.seq < this.first) {
      beginning.events.push(event);
      beginning.lines.push(line);
      if (event.seq + 1 === this.first) this.#join(beginning);
      return "known";
    }
    if (event.seq <= this.seq) return "known";
    if (event.seq > this.seq + 1) return this.#isFilling ? "known" : "gap";
    this.events.push(event);
    this.lines.push(line);
    this.seq = event.seq;
    this.#chain = event.chain;
    this.#endFill();
    return "next";
  }

  /** Waits for the events before `first`. The first caller of several has to ask the server for them. */
  load(): { ended: Promise<void>; isFirst: boolean } {
    const isFirst = this.#beginning === undefined;
    if (this.#beginning === undefined) {
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      this.#beginning = { events: [], lines: [], ended, end };
    }
    return { ended: this.#beginning.ended, isFirst };
  }

  /** Ends the loading: the beginning is complete, or has to be asked for again. */
  endLoad(): void {
    this.#beginning?.end();
    this.#beginning = undefined;
  }

  /** Puts the loaded beginning before the events. */
  #join(beginning: Beginning): void {
    this.events.unshift(...beginning.events);
    this.lines.unshift(...beginning.lines);
    this.first = 1;
    this.endLoad();
  }

  /** A `watch` whose events close a gap was sent. */
  beginFill(): void {
    this.#isFilling = true;
  }

  /** Takes the reply to it: the last event that it brings. */
  fillAnswered(until: number | undefined): void {
    this.#fillUntil = until;
    if (until === undefined) this.#isFilling = false;
    this.#endFill();
  }

  #endFill(): void {
    if (this.#fillUntil === undefined || this.seq < this.#fillUntil) return;
    this.#isFilling = false;
    this.#fillUntil = undefined;
  }

  /** Ends what the lost connection would have sent. The next `hello` resumes. */
  connectionLost(): void {
    this.#isFilling = false;
    this.#fillUntil = undefined;
    this.endLoad();
  }
}
