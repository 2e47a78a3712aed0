// What became different between two positions, as far as a picture shows it: which cells lost
// pieces, which gained some, and what to let fly from where to where. Knows no game's rules.

/** @typedef {Readonly<Record<string, string>>} Position cell names to pieces, the lowest first */

/**
 * @typedef {object} Changes
 * @property {string[]} lost cells that have fewer pieces
 * @property {string[]} gained cells that have more pieces, or other ones
 * @property {{ from: string, to: string }[]} flights pieces that can be seen to have moved
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
 * One place that lost and several that gained, or the other way round: then it is clear who went
 * where. Otherwise nothing is guessed.
 * @param {string[]} lost
 * @param {string[]} gained
 */
function flights(lost, gained) {
  if (lost.length === 1) return gained.map((to) => ({ from: String(lost[0]), to }));
  if (gained.length === 1) return lost.map((from) => ({ from, to: String(gained[0]) }));
  return [];
}
