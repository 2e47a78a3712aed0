// Which tests run. The short form is for every change; what takes long is for nights, or is shared
// out over several changes.
//
// `ADAMANT_LONG` says it: unset or empty is the short form, `all` is everything in full, and `K/N`
// is share K of N of the long tests and nothing else. All shares together are all long tests.

const WANTED = process.env["ADAMANT_LONG"] ?? "";

const SHARE = /^(\d+)\/([1-9]\d*)$/.exec(WANTED);

if (WANTED !== "" && WANTED !== "all" && SHARE === null) {
  throw new Error(`ADAMANT_LONG is ${WANTED}; it can be empty, all, or a share such as 3/7`);
}

/** Whether short tests run. */
export const RUNS_SHORT = SHARE === null;

/** Whether anything is in full, and not only the short form. */
export const RUNS_LONG = WANTED !== "";

/** Why a long test is skipped. */
export const SKIPPED = "cargo xtask test --all";

/**
 * Returns whether a long test runs.
 * @param {string} name
 */
export function isChosen(name) {
  if (SHARE === null) return WANTED === "all";
  const [, share, shares] = SHARE;
  return (fnv1a32(name) + Number(share)) % Number(shares) === 0;
}

/**
 * The hash by which tests are shared out. It is the one of xtask.
 * @param {string} text
 */
function fnv1a32(text) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
