// Highlighted cells: the last move, the sketch and where it can go, and threats.

/** @import {Highlight} from "../board/markers.js" */
/** @import {SketchAnswer} from "../wire.js" */
/** @import {MoveInput} from "./move_input.js" */
/** @import {LastMove} from "./position_cache.js" */

/** Highlights by cell. */
export class Highlights {
  /** @type {Map<string, Set<Highlight>>} */
  cells = new Map();

  /**
   * @param {string} cell
   * @param {Highlight} what
   */
  add(cell, what) {
    this.cells.set(cell, (this.cells.get(cell) ?? new Set()).add(what));
  }

  /** @param {LastMove | undefined} move */
  lastMove(move) {
    for (const cell of move?.lost ?? []) this.add(cell, "last-from");
    for (const cell of move?.gained ?? []) this.add(cell, "last-to");
    for (const cell of move?.captured ?? []) this.add(cell, "last-captured");
  }

  /** @param {readonly string[] | null | undefined} cells */
  threatened(cells) {
    for (const cell of cells ?? []) this.add(cell, "threatened");
  }

  /**
   * Marks where a piece of the reserve can go.
   * @param {SketchAnswer | undefined} blank
   */
  places(blank) {
    for (const { cell, as } of blank?.next ?? []) if (as === "to") this.add(cell, "target");
  }

  /**
   * @param {SketchAnswer} answer
   * @param {number} cells of the board
   */
  sketch({ from, to, next }, cells) {
    const chosen = [...from, ...to];
    for (const { cell } of chosen) this.add(cell, "chosen");
    // If nearly every cell is possible, highlights say nothing.
    if (chosen.length === 0 && next.length > cells / 2) return;
    for (const { cell, as, capture } of next) {
      if (as === "from") this.add(cell, "source");
      else this.add(cell, capture ? "capture" : "target");
    }
  }
}

/**
 * Returns the cells that a finger can mean.
 * @param {MoveInput} input
 * @param {boolean} placing whether a piece of the reserve is chosen
 */
export function pickable({ active, draft }, placing) {
  const { answer, blank } = draft;
  if (!active || answer === undefined) return new Set();
  const cells = placing ? (blank?.next ?? []) : [...answer.from, ...answer.to, ...answer.next];
  return new Set(cells.map(({ cell }) => cell));
}
