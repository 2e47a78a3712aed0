// Creates elements. Text is always inserted as text: the page parses no markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Content of an element.
 * @typedef {Node | string | number | null | undefined | false} Content
 */

/**
 * Creates an HTML element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | boolean | undefined | ((event: any) => void)>} [attributes]
 *   `onclick` and the like are listeners; `true` is an attribute without a value
 * @param {...(Content | Content[])} content
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function html(tag, attributes = {}, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...nodes(content));
  return element;
}

/**
 * Creates an SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | undefined>} [attributes]
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, String(value));
  }
  return element;
}

/**
 * Replaces the content of an element.
 * @param {Element} element
 * @param {...(Content | Content[])} content
 */
export function fill(element, ...content) {
  element.replaceChildren(...nodes(content));
}

/** Elements that can hold the keyboard's focus. */
const FOCUSABLE = "button, a[href], input, [tabindex]";

/**
 * Replaces the content of an element and keeps the keyboard's focus: it goes to the same element,
 * to the one in its place, or to the view.
 * @param {Element} element
 * @param {...(Content | Content[])} content
 */
export function refill(element, ...content) {
  const focused = document.activeElement;
  const at = focused === null ? -1 : focusable(element).indexOf(/** @type {HTMLElement} */ (focused));
  const text = focused?.textContent;
  fill(element, ...content);
  if (at < 0) return;
  const now = focusable(element);
  const there = now[Math.min(at, now.length - 1)];
  const same = there?.textContent === text ? there : now.find((each) => each.textContent === text);
  const next = same ?? there;
  const beside = next?.matches(":disabled") ? now.find((each) => each.parentElement === next.parentElement && !each.matches(":disabled")) : next;
  (beside ?? now.find((each) => !each.matches(":disabled")) ?? viewOf(element))?.focus({ preventScroll: true });
}

/**
 * @param {Element} element
 * @returns {HTMLElement[]}
 */
function focusable(element) {
  return [...element.querySelectorAll(FOCUSABLE)].filter((each) => each instanceof HTMLElement);
}

/**
 * Returns the view that contains an element. It takes the focus when nothing else can.
 * @param {Element} element
 */
export function viewOf(element) {
  return element.closest("main") ?? undefined;
}

/** @param {(Content | Content[])[]} content */
function nodes(content) {
  return content
    .flat()
    .filter((item) => item !== null && item !== undefined && item !== false)
    .map((item) => (item instanceof Node ? item : String(item)));
}
