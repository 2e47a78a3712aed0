// Makes elements. Text is always text: nothing here, or anywhere on the page, reads markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * What an element may contain.
 * @typedef {Node | string | number | null | undefined | false} Content
 */

/**
 * An HTML element.
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
 * An SVG element.
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
 * Puts other content into an element.
 * @param {Element} element
 * @param {...(Content | Content[])} content
 */
export function fill(element, ...content) {
  element.replaceChildren(...nodes(content));
}

/** @param {(Content | Content[])[]} content */
function nodes(content) {
  return content
    .flat()
    .filter((item) => item !== null && item !== undefined && item !== false)
    .map((item) => (item instanceof Node ? item : String(item)));
}
