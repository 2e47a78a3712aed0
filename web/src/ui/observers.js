// What the browser tells of sizes and visibility. Where it does not, as in some that hide what they
// can, the page does without: sizes stay as they are, and everything counts as visible.

/**
 * @param {() => void} onResize
 * @returns {Pick<ResizeObserver, "observe" | "unobserve" | "disconnect">}
 */
export function resizeObserver(onResize) {
  return globalThis.ResizeObserver === undefined ? { observe: () => {}, unobserve: () => {}, disconnect: () => {} } : new ResizeObserver(onResize);
}

/**
 * @param {(entries: Pick<IntersectionObserverEntry, "target" | "isIntersecting">[]) => void} onChange
 * @param {string} rootMargin
 * @returns {Pick<IntersectionObserver, "observe" | "unobserve" | "disconnect">}
 */
export function visibilityObserver(onChange, rootMargin) {
  if (globalThis.IntersectionObserver !== undefined) return new IntersectionObserver(onChange, { rootMargin });
  return { observe: (target) => queueMicrotask(() => onChange([{ target, isIntersecting: true }])), unobserve: () => {}, disconnect: () => {} };
}

/**
 * Tells whether a media query holds now.
 * @param {string} query
 */
export function holds(query) {
  return globalThis.matchMedia?.(query).matches ?? false;
}
