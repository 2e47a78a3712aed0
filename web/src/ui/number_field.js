// Checks fields for numbers.

import { strings } from "../strings/strings.js";

const t = strings.newGame;

/**
 * Says what is wrong with a number; nothing if it is right.
 * @param {HTMLInputElement} input
 * @param {{ least: number, most: number, step: number }} field
 */
export function faultOf(input, { least, most, step }) {
  const value = Number(input.value);
  if (input.value === "" || Number.isNaN(value) || value < least || value > most) return t.range(least, most);
  return value % step === 0 ? "" : step === 1 ? t.whole : t.halves;
}
