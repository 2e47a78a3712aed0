// Leaves room for content that comes late: as much as it took when the page showed it last.

import { storage } from "../strings/storage.js";
import { resizeObserver } from "./observers.js";

/**
 * Gives an element the height that it had last, in a window of this width, until its content is
 * complete.
 * @param {HTMLElement} element
 * @param {string} key under which the browser stores the height
 * @returns {{ complete: () => void, close: () => void }}
 */
export function reserveHeight(element, key) {
  const [width, height] = (storage.getItem(key) ?? "").split(" ").map(Number);
  if (width === innerWidth && height !== undefined) {
    element.classList.add("reserved");
    element.style.minHeight = `${height}px`;
  }
  let isComplete = false;
  const observer = resizeObserver(() => {
    if (!isComplete) return;
    if (element.offsetHeight === 0) storage.removeItem(key);
    else storage.setItem(key, `${innerWidth} ${element.offsetHeight}`);
  });
  observer.observe(element);
  const complete = () => {
    if (isComplete) return;
    isComplete = true;
    element.classList.remove("reserved");
    element.style.minHeight = "";
    // Observing again reports the height also if it is the same.
    observer.unobserve(element);
    observer.observe(element);
  };
  return { complete, close: () => observer.disconnect() };
}
