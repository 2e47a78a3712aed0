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
    if (typeof value === "function") listen(element, name.slice(2), value);
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

/** @typedef {Map<string, (event: any) => void>} Listeners */

/** The listeners of elements by event: an update exchanges them. @type {WeakMap<Element, Listeners>} */
const listeners = new WeakMap();

/**
 * @param {Element} element
 * @param {string} type
 * @param {(event: any) => void} listener
 */
function listen(element, type, listener) {
  const own = listeners.get(element) ?? new Map();
  listeners.set(element, own);
  if (!own.has(type)) element.addEventListener(type, (event) => own.get(type)?.(event));
  own.set(type, listener);
}

/** Elements that can hold the keyboard's focus. */
const FOCUSABLE = "button, a[href], input, select, textarea, [tabindex]";

/**
 * Changes the content of an element to new content, and keeps all elements that stay: their focus,
 * their scroll position and what the user has typed. An element stays if the new content has it
 * itself, or one of the same tag with the same `data-key`, or without a key at its place. If the
 * focused element goes, the focus goes to the one in its place, or to the view.
 * @param {Element} element
 * @param {...(Content | Content[])} content
 */
export function update(element, ...content) {
  const focused = document.activeElement;
  const at = focused === null ? -1 : focusable(element).indexOf(/** @type {HTMLElement} */ (focused));
  const text = focused?.textContent;
  updateChildren(element, nodes(content).map((node) => (node instanceof Node ? node : new Text(node))));
  if (at < 0 || (document.activeElement === focused && !focused?.matches(":disabled"))) return;
  const now = focusable(element);
  const there = now[Math.min(at, now.length - 1)];
  const same = there?.textContent === text ? there : now.find((each) => each.textContent === text);
  const next = same ?? there;
  const beside = next?.matches(":disabled") ? now.find((each) => each.parentElement === next.parentElement && !each.matches(":disabled")) : next;
  (beside ?? now.find((each) => !each.matches(":disabled")) ?? viewOf(element))?.focus({ preventScroll: true });
}

/**
 * @param {Element} parent
 * @param {Node[]} wanted
 */
function updateChildren(parent, wanted) {
  const keyed = new Map([...parent.children].map((child) => [keyOf(child), child]));
  const staying = new Set(wanted);
  let next = parent.firstChild;
  for (const node of wanted) {
    // Nodes of the new content are not exchanged for others.
    while (next !== null && next !== node && staying.has(next)) next = next.nextSibling;
    const old = keyOf(node) === undefined ? next : keyed.get(keyOf(node));
    const kept = node.parentNode === parent ? node : old != null && !staying.has(old) && alike(old, node) ? old : node;
    staying.add(kept);
    if (kept !== node) exchange(kept, node);
    if (kept === next) next = next.nextSibling;
    else parent.insertBefore(kept, next);
  }
  for (const child of [...parent.childNodes]) if (!staying.has(child)) child.remove();
}

/** @param {Node} node */
function keyOf(node) {
  return node instanceof HTMLElement || node instanceof SVGElement ? node.dataset["key"] : undefined;
}

/**
 * Tells whether one node can become the other.
 * @param {Node} old
 * @param {Node} node
 */
function alike(old, node) {
  return old.nodeName === node.nodeName && keyOf(old) === keyOf(node);
}

/**
 * Gives a node the attributes, listeners and content of another.
 * @param {Node} old
 * @param {Node} node
 */
function exchange(old, node) {
  if (!(old instanceof Element && node instanceof Element)) {
    if (old.nodeValue !== node.nodeValue) old.nodeValue = node.nodeValue;
    return;
  }
  for (const { name } of [...old.attributes]) if (!node.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of node.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const given = listeners.get(node);
  for (const type of listeners.get(old)?.keys() ?? []) if (!given?.has(type)) listeners.get(old)?.delete(type);
  for (const [type, listener] of given ?? []) listen(old, type, listener);
  updateChildren(old, [...node.childNodes]);
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
function viewOf(element) {
  return element.closest("main") ?? undefined;
}

/** @param {(Content | Content[])[]} content */
function nodes(content) {
  return content
    .flat()
    .filter((item) => item !== null && item !== undefined && item !== false)
    .map((item) => (item instanceof Node ? item : String(item)));
}
