// The graph of a player's chances after each move of a game. It is a slider along the moves, whose
// value screen readers say.

import { html, svg } from "../ui/element.js";

/**
 * A place of the graph.
 * @typedef {object} GraphPoint
 * @property {number} ply
 * @property {number} chance in per cent
 * @property {string} said what the place shows, in words
 * @property {boolean} turns whether it is a turning point
 */

/** The keys that go along the moves. @type {Record<string, "first" | "back" | "forward" | "last">} */
const KEYS = { Home: "first", ArrowLeft: "back", ArrowDown: "back", ArrowRight: "forward", ArrowUp: "forward", End: "last" };

export class ChanceGraph {
  #points;
  #goTo;
  #at = 0;
  #cursor = svg("path", { class: "cursor" });
  element;

  /**
   * @param {string} label
   * @param {readonly [GraphPoint, ...GraphPoint[]]} points by ply, the position before the first move first
   * @param {(ply: number) => void} goTo
   */
  constructor(label, points, goTo) {
    this.#points = points;
    this.#goTo = goTo;
    const width = this.#width;
    const line = points.map(({ ply, chance }) => `${ply} ${100 - chance}`).join("L");
    const picture = svg("svg", { viewBox: `0 0 ${width} 100`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" });
    const turning = points.filter(({ turns }) => turns).map(({ ply, chance }) => `M${ply} ${100 - chance}h0`);
    picture.append(
      svg("path", { class: "area", d: `M0 100L${line}L${width} 100Z` }),
      svg("path", { class: "even", d: `M0 50H${width}` }),
      svg("path", { class: "chances", d: `M${line}` }),
      this.#cursor,
      svg("path", { class: "turning", d: turning.join("") }),
    );
    this.element = html(
      "div",
      {
        class: "chance-graph",
        role: "slider",
        tabindex: 0,
        "aria-label": label,
        "aria-valuemin": 0,
        "aria-valuemax": width,
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.#onKeyDown(event),
        onpointerdown: (/** @type {PointerEvent} */ event) => this.#onPointer(event),
        onpointermove: (/** @type {PointerEvent} */ event) => event.buttons === 1 && this.#onPointer(event),
      },
      picture,
    );
    this.show(0);
  }

  /** @returns {number} */
  get #width() {
    return this.#points.at(-1)?.ply ?? 0;
  }

  /**
   * Marks a ply.
   * @param {number} ply
   */
  show(ply) {
    const { said = "" } = this.#points.findLast((point) => point.ply <= ply) ?? {};
    this.#at = ply;
    this.#cursor.setAttribute("d", `M${ply} 0V100`);
    this.element.setAttribute("aria-valuenow", String(ply));
    this.element.setAttribute("aria-valuetext", said);
  }

  /** @param {KeyboardEvent} event */
  #onKeyDown(event) {
    const step = KEYS[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    // The page has keys of its own, which go along the shown line.
    event.stopPropagation();
    this.#go({ first: 0, back: this.#at - 1, forward: this.#at + 1, last: this.#width }[step]);
  }

  /** @param {PointerEvent} event */
  #onPointer(event) {
    const { left, width } = this.element.getBoundingClientRect();
    this.#go(Math.round(((event.clientX - left) / width) * this.#width));
  }

  /** @param {number} ply */
  #go(ply) {
    const wanted = Math.min(Math.max(ply, 0), this.#width);
    if (wanted === this.#at) return;
    // Steps may come faster than positions.
    this.show(wanted);
    this.#goTo(wanted);
  }
}
