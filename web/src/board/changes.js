// The visible difference between two positions: cells that lost or gained pieces, and the moves to
// animate. It knows no rules.

/** @typedef {Readonly<Record<string, string>>} Position cell names to pieces, the lowest first */

/** The way of pieces from one cell to another. @typedef {{ from: string, to: string }} Flight */

/**
 * @typedef {object} Changes
 * @property {string[]} lost cells with fewer pieces
 * @property {string[]} gained cells with more or other pieces
 * @property {Flight[]} flights visible moves of pieces
 */

/**
 * @param {Position} before
 * @param {Position} after
 * @returns {Changes}
 */
export function changes(before, after) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const lost = [];
  const gained = [];
  for (const name of names) {
    const [was, is] = [before[name] ?? "", after[name] ?? ""];
    if (was === is) continue;
    if (is.length < was.length && was.startsWith(is)) lost.push(name);
    else gained.push(name);
  }
  return { lost, gained, flights: flights(lost, gained) };
}

/**
 * Pairs cells if one lost pieces and several gained some, or the reverse. Other changes are
 * ambiguous.
 * @param {string[]} lost
 * @param {string[]} gained
 */
function flights(lost, gained) {
  if (lost.length === 1) return gained.map((to) => ({ from: String(lost[0]), to }));
  if (gained.length === 1) return lost.map((from) => ({ from, to: String(gained[0]) }));
  return [];
}
