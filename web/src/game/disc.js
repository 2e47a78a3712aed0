// A piece outside of the board: beside a name, in a tray, in a stepper.

import { pieceIcon } from "../board/pieces.js";

/**
 * @param {string} letter
 * @param {string[]} letters of each seat, as in the layout
 */
export function disc(letter, letters) {
  return pieceIcon(letter, letters.findIndex((own) => own.includes(letter)), letters);
}
