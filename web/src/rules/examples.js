// Example moves for the pages of rules, with the board before and after each. The layouts are the
// server's, in short form.

/** @import {Position} from "../board/changes.js" */

/**
 * @typedef {object} Example
 * @property {string} move
 * @property {string} text
 * @property {Position} before
 * @property {Position} after
 */

/**
 * @typedef {object} Lesson
 * @property {[name: string, x: number, y: number, shape: "hex" | "point" | "octagon" | "square" | "sector"][]} cells
 * @property {{ seat: number, name: string, cells: string[] }[]} edges
 * @property {string[]} letters
 * @property {number} [levels]
 * @property {Example[]} examples
 */

export const LESSONS = /** @type {Record<string, Lesson>} */ ({
  adamas: {
    cells: [
      ["a1", -1, 1.732, "hex"], ["a2", 0, 1.732, "hex"], ["a3", 1, 1.732, "hex"], ["b1", -1.5, 0.866, "hex"],
      ["b2", -0.5, 0.866, "hex"], ["b3", 0.5, 0.866, "hex"], ["b4", 1.5, 0.866, "hex"], ["c1", -2, 0, "hex"],
      ["c2", -1, 0, "hex"], ["c3", 0, 0, "hex"], ["c4", 1, 0, "hex"], ["c5", 2, 0, "hex"],
      ["d1", -1.5, -0.866, "hex"], ["d2", -0.5, -0.866, "hex"], ["d3", 0.5, -0.866, "hex"],
      ["d4", 1.5, -0.866, "hex"], ["e1", -1, -1.732, "hex"], ["e2", 0, -1.732, "hex"], ["e3", 1, -1.732, "hex"],
    ],
    edges: [
    ],
    letters: ["O", "X"],
    examples: [
      {
        move: "c1-e1,c2,4xc3,a1",
        text: "A split: one stack sends pieces to several cells that it sees. What lies behind is judged before the move.",
        before: { c1: "OOOOOOOO", c5: "XXXXXXXX" },
        after: { a1: "O", c1: "O", c2: "O", c3: "OOOO", c5: "XXXXXXXX", e1: "O" },
      },
      {
        move: "c4,3xa3-c3",
        text: "A merge that captures: two stacks together see the four on c3, and take them.",
        before: { c1: "O", c2: "O", c3: "OOOO", e1: "O", a1: "O", c5: "XXXX", c4: "X", a3: "XXX" },
        after: { a1: "O", c1: "O", c2: "O", c3: "XXXX", c5: "XXXX", e1: "O" },
      },
      {
        move: "3xc3,c2,e1-d2",
        text: "A merge onto a free cell gathers pieces from as many stacks as see it.",
        before: { c1: "O", c2: "O", c3: "OOOO", e1: "O", a1: "O", c5: "XXXX", c4: "X", a3: "XXX" },
        after: { a1: "O", a3: "XXX", c1: "O", c3: "O", c4: "X", c5: "XXXX", d2: "OOOOO" },
      },
    ],
  },
  hexma: {
    cells: [
      ["m1", 0, -6.928, "point"], ["l2", -0.5, -6.062, "point"], ["n2", 0.5, -6.062, "point"],
      ["k3", -1, -5.196, "point"], ["m3", 0, -5.196, "point"], ["o3", 1, -5.196, "point"],
      ["j4", -1.5, -4.33, "point"], ["l4", -0.5, -4.33, "point"], ["n4", 0.5, -4.33, "point"],
      ["p4", 1.5, -4.33, "point"], ["a5", -6, -3.464, "point"], ["c5", -5, -3.464, "point"],
      ["e5", -4, -3.464, "point"], ["g5", -3, -3.464, "point"], ["i5", -2, -3.464, "point"],
      ["k5", -1, -3.464, "point"], ["m5", 0, -3.464, "point"], ["o5", 1, -3.464, "point"], ["q5", 2, -3.464, "point"],
      ["s5", 3, -3.464, "point"], ["u5", 4, -3.464, "point"], ["w5", 5, -3.464, "point"], ["y5", 6, -3.464, "point"],
      ["b6", -5.5, -2.598, "point"], ["d6", -4.5, -2.598, "point"], ["f6", -3.5, -2.598, "point"],
      ["h6", -2.5, -2.598, "point"], ["j6", -1.5, -2.598, "point"], ["l6", -0.5, -2.598, "point"],
      ["n6", 0.5, -2.598, "point"], ["p6", 1.5, -2.598, "point"], ["r6", 2.5, -2.598, "point"],
      ["t6", 3.5, -2.598, "point"], ["v6", 4.5, -2.598, "point"], ["x6", 5.5, -2.598, "point"],
      ["c7", -5, -1.732, "point"], ["e7", -4, -1.732, "point"], ["g7", -3, -1.732, "point"],
      ["i7", -2, -1.732, "point"], ["k7", -1, -1.732, "point"], ["m7", 0, -1.732, "point"],
      ["o7", 1, -1.732, "point"], ["q7", 2, -1.732, "point"], ["s7", 3, -1.732, "point"], ["u7", 4, -1.732, "point"],
      ["w7", 5, -1.732, "point"], ["d8", -4.5, -0.866, "point"], ["f8", -3.5, -0.866, "point"],
      ["h8", -2.5, -0.866, "point"], ["j8", -1.5, -0.866, "point"], ["l8", -0.5, -0.866, "point"],
      ["n8", 0.5, -0.866, "point"], ["p8", 1.5, -0.866, "point"], ["r8", 2.5, -0.866, "point"],
      ["t8", 3.5, -0.866, "point"], ["v8", 4.5, -0.866, "point"], ["e9", -4, 0, "point"], ["g9", -3, 0, "point"],
      ["i9", -2, 0, "point"], ["k9", -1, 0, "point"], ["m9", 0, 0, "point"], ["o9", 1, 0, "point"],
      ["q9", 2, 0, "point"], ["s9", 3, 0, "point"], ["u9", 4, 0, "point"], ["d10", -4.5, 0.866, "point"],
      ["f10", -3.5, 0.866, "point"], ["h10", -2.5, 0.866, "point"], ["j10", -1.5, 0.866, "point"],
      ["l10", -0.5, 0.866, "point"], ["n10", 0.5, 0.866, "point"], ["p10", 1.5, 0.866, "point"],
      ["r10", 2.5, 0.866, "point"], ["t10", 3.5, 0.866, "point"], ["v10", 4.5, 0.866, "point"],
      ["c11", -5, 1.732, "point"], ["e11", -4, 1.732, "point"], ["g11", -3, 1.732, "point"],
      ["i11", -2, 1.732, "point"], ["k11", -1, 1.732, "point"], ["m11", 0, 1.732, "point"],
      ["o11", 1, 1.732, "point"], ["q11", 2, 1.732, "point"], ["s11", 3, 1.732, "point"], ["u11", 4, 1.732, "point"],
      ["w11", 5, 1.732, "point"], ["b12", -5.5, 2.598, "point"], ["d12", -4.5, 2.598, "point"],
      ["f12", -3.5, 2.598, "point"], ["h12", -2.5, 2.598, "point"], ["j12", -1.5, 2.598, "point"],
      ["l12", -0.5, 2.598, "point"], ["n12", 0.5, 2.598, "point"], ["p12", 1.5, 2.598, "point"],
      ["r12", 2.5, 2.598, "point"], ["t12", 3.5, 2.598, "point"], ["v12", 4.5, 2.598, "point"],
      ["x12", 5.5, 2.598, "point"], ["a13", -6, 3.464, "point"], ["c13", -5, 3.464, "point"],
      ["e13", -4, 3.464, "point"], ["g13", -3, 3.464, "point"], ["i13", -2, 3.464, "point"],
      ["k13", -1, 3.464, "point"], ["m13", 0, 3.464, "point"], ["o13", 1, 3.464, "point"], ["q13", 2, 3.464, "point"],
      ["s13", 3, 3.464, "point"], ["u13", 4, 3.464, "point"], ["w13", 5, 3.464, "point"], ["y13", 6, 3.464, "point"],
      ["j14", -1.5, 4.33, "point"], ["l14", -0.5, 4.33, "point"], ["n14", 0.5, 4.33, "point"],
      ["p14", 1.5, 4.33, "point"], ["k15", -1, 5.196, "point"], ["m15", 0, 5.196, "point"],
      ["o15", 1, 5.196, "point"], ["l16", -0.5, 6.062, "point"], ["n16", 0.5, 6.062, "point"],
      ["m17", 0, 6.928, "point"],
    ],
    edges: [
      { seat: 0, name: "home", cells: ["a13", "c13", "e13", "g13", "i13", "q13", "s13", "u13", "w13", "y13", "j14", "p14", "k15", "o15", "l16", "n16", "m17"] },
      { seat: 0, name: "away", cells: ["m1", "l2", "n2", "k3", "o3", "j4", "p4", "a5", "c5", "e5", "g5", "i5", "q5", "s5", "u5", "w5", "y5"] },
      { seat: 1, name: "home", cells: ["m1", "l2", "n2", "k3", "o3", "j4", "p4", "a5", "c5", "e5", "g5", "i5", "q5", "s5", "u5", "w5", "y5"] },
      { seat: 1, name: "away", cells: ["a13", "c13", "e13", "g13", "i13", "q13", "s13", "u13", "w13", "y13", "j14", "p14", "k15", "o15", "l16", "n16", "m17"] },
    ],
    letters: ["O", "X"],
    examples: [
      {
        move: "j14-k15",
        text: "A step: to a free point next to it.",
        before: { k9: "O", k11: "O", k13: "O", o13: "O", q13: "O", j14: "O", n14: "O", p14: "O", m15: "O", o15: "O", l16: "O", n16: "O", m17: "O", m1: "X", l2: "X", n2: "X", k3: "X", m3: "X", o3: "X", l4: "X", n4: "X", p4: "X", k7: "X", q7: "X", n8: "X", q9: "X" },
        after: { k9: "O", k11: "O", k13: "O", o13: "O", q13: "O", n14: "O", p14: "O", m15: "O", o15: "O", l16: "O", n16: "O", m17: "O", m1: "X", l2: "X", n2: "X", k3: "X", m3: "X", o3: "X", l4: "X", n4: "X", p4: "X", k7: "X", q7: "X", n8: "X", q9: "X", k15: "O" },
      },
      {
        move: "j14-r6",
        text: "Hops: over one piece at a time, of either player, as often as you like in one move.",
        before: { k9: "O", k11: "O", k13: "O", o13: "O", q13: "O", j14: "O", n14: "O", p14: "O", m15: "O", o15: "O", l16: "O", n16: "O", m17: "O", m1: "X", l2: "X", n2: "X", k3: "X", m3: "X", o3: "X", l4: "X", n4: "X", p4: "X", k7: "X", q7: "X", n8: "X", q9: "X" },
        after: { k9: "O", k11: "O", k13: "O", o13: "O", q13: "O", n14: "O", p14: "O", m15: "O", o15: "O", l16: "O", n16: "O", m17: "O", m1: "X", l2: "X", n2: "X", k3: "X", m3: "X", o3: "X", l4: "X", n4: "X", p4: "X", k7: "X", q7: "X", n8: "X", q9: "X", r6: "O" },
      },
    ],
  },
  stymie: {
    cells: [
      ["a1", -1, 1, "octagon"], ["a3", -1, 0, "octagon"], ["a5", -1, -1, "octagon"], ["b2", -0.5, 0.5, "square"],
      ["b4", -0.5, -0.5, "square"], ["c1", 0, 1, "octagon"], ["c3", 0, 0, "octagon"], ["c5", 0, -1, "octagon"],
      ["d2", 0.5, 0.5, "square"], ["d4", 0.5, -0.5, "square"], ["e1", 1, 1, "octagon"], ["e3", 1, 0, "octagon"],
      ["e5", 1, -1, "octagon"],
    ],
    edges: [
      { seat: 0, name: "bottom", cells: ["a1", "c1", "e1"] },
      { seat: 0, name: "top", cells: ["a5", "c5", "e5"] },
      { seat: 1, name: "left", cells: ["a1", "a3", "a5"] },
      { seat: 1, name: "right", cells: ["e1", "e3", "e5"] },
    ],
    letters: ["V", "H"],
    examples: [
      {
        move: "e1,d2",
        text: "Two at once: an octagon and a square that touches it.",
        before: { c3: "V" },
        after: { c3: "V", d2: "H", e1: "H" },
      },
      {
        move: "a1,b2,a3",
        text: "H has put down a single piece, so V may answer with three: here two octagons and the square that touches both.",
        before: { c3: "V", e1: "H" },
        after: { c3: "V", e1: "H", a1: "V", a3: "V", b2: "V" },
      },
    ],
  },
  diam: {
    cells: [
      ["1", -1.207, -0.5, "sector"], ["2", -0.5, -1.207, "sector"], ["3", 0.5, -1.207, "sector"],
      ["4", 1.207, -0.5, "sector"], ["5", 1.207, 0.5, "sector"], ["6", 0.5, 1.207, "sector"],
      ["7", -0.5, 1.207, "sector"], ["8", -1.207, 0.5, "sector"],
    ],
    edges: [
    ],
    letters: ["AB", "XY"],
    levels: 4,
    examples: [
      {
        move: "A1",
        text: "A piece from the reserve goes on top of any stack, or begins one.",
        before: {},
        after: { "1": "A" },
      },
      {
        move: "6,3-",
        text: "From stack 6 the third piece from below goes one sector back, with all that lies on it.",
        before: { "6": "XYAX", "5": "B" },
        after: { "5": "BAX", "6": "XY" },
      },
      {
        move: "A5",
        text: "Two pieces A face each other above the ground: the game is won.",
        before: { "1": "XA", "5": "Y" },
        after: { "1": "XA", "5": "YA" },
      },
    ],
  },
});
