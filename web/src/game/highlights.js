// Highlighted cells: the last move, the sketch and where it can go, and threats.

/** @import {Highlight} from "../board/markers.js" */
/** @import {SketchAnswer} from "../wire.js" */
/** @import {LastMove} from "./game_sync.js" */

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
