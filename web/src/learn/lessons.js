// The lessons of each game: guided first moves, and steps in which the reader makes a move on a
// small board. The texts are in the strings, under the same keys. The server judges the moves.

/** @import {BoardLayout, Explored, Options} from "../wire.js" */
/** @import {Changes} from "../board/changes.js" */

/**
 * A guided move: what to click, and the reply.
 * @typedef {object} GuidedMove
 * @property {string} key of its text
 * @property {string[]} clicks cells in order; `+B` is a piece B of the reserve
 * @property {string} move what the clicks come to
 * @property {string} [reply] the move of the other side
 */

/**
 * What a reader's move has to be like.
 * @typedef {"any" | "spread" | "gather" | "capture" | "hop" | "hops" | "two" | "three" | "stack" | "shift" | "part" | "win"} Task
 */

/** @typedef {{ key: string, options: Options, moves: string[], task: Task }} Step */

/** @typedef {{ options: Options, guided: GuidedMove[], steps: Step[] }} Lesson */

/** The goal of the game is the last step. @type {Record<string, Lesson>} */
export const LESSONS = {
  adamas: {
    options: {},
    guided: [
      { key: "first", clicks: ["c1", "c3"], move: "c1-c3", reply: "c5-d4" },
      { key: "second", clicks: ["c1", "a1", "e1"], move: "c1-a1,e1", reply: "c5-c4" },
      { key: "third", clicks: ["c3", "c4"], move: "c3-c4" },
    ],
    steps: [
      { key: "move", options: {}, moves: [], task: "any" },
      { key: "split", options: {}, moves: ["c1-c3", "c5-d4"], task: "spread" },
      { key: "merge", options: {}, moves: ["c1-c3", "c5-d4", "c1-a1,e1", "c5-c4"], task: "gather" },
      { key: "capture", options: {}, moves: ["c1-c3", "c5-d4", "c1-a1,e1", "c5-c4"], task: "capture" },
      { key: "win", options: { size: 2, pieces: 2 }, moves: ["b1-a1,c1", "b3-2xc2"], task: "win" },
    ],
  },
  hexma: {
    options: {},
    guided: [
      { key: "first", clicks: ["m13", "n12"], move: "m13-n12", reply: "m5-l6" },
      { key: "second", clicks: ["o13", "m11"], move: "o13-m11", reply: "k5-j6" },
      { key: "third", clicks: ["o15", "k11"], move: "o15-k11" },
    ],
    steps: [
      { key: "step", options: {}, moves: [], task: "any" },
      { key: "hop", options: {}, moves: ["m13-n12", "m5-l6"], task: "hop" },
      { key: "chain", options: {}, moves: ["m13-n12", "m5-l6", "o13-m11", "k5-j6"], task: "hops" },
      {
        key: "win",
        options: {},
        moves: [
          "p14-n12", "l4-j6", "m13-o11", "k3-k7", "j14-n10", "j4-j8", "n10-o9", "k5-k9", "l16-p8", "j6-l6",
          "l14-j12", "n2-j10", "o15-o7", "j10-i11", "n12-p6", "p4-h12", "n16-p10", "m1-n2", "o7-q5", "n2-j10",
          "j12-k11", "m5-n6", "m17-n16", "o3-i9", "n16-n12", "i11-g13", "o13-i11", "h12-g11", "k13-m13",
          "j10-h10", "o9-q7", "i9-j10",
        ],
        task: "win",
      },
    ],
  },
  stymie: {
    options: { size: 3 },
    guided: [
      { key: "first", clicks: ["c3"], move: "c3", reply: "e1" },
      { key: "second", clicks: ["e5", "d4"], move: "d4,e5", reply: "a1" },
      { key: "third", clicks: ["c1", "b2", "d2"], move: "b2,c1,d2" },
    ],
    steps: [
      { key: "one", options: { size: 3 }, moves: [], task: "any" },
      { key: "two", options: { size: 3 }, moves: ["c3"], task: "two" },
      { key: "three", options: { size: 3 }, moves: ["c3", "e1"], task: "three" },
      { key: "win", options: { size: 3 }, moves: ["c3", "e1", "d4,e5", "a1"], task: "win" },
    ],
  },
  diam: {
    options: {},
    guided: [
      { key: "first", clicks: ["+A", "1"], move: "A1", reply: "X2" },
      { key: "second", clicks: ["+B", "1"], move: "B1", reply: "X5" },
      { key: "third", clicks: ["+B", "5"], move: "B5" },
    ],
    steps: [
      { key: "place", options: {}, moves: [], task: "any" },
      { key: "stack", options: {}, moves: ["A1", "X2"], task: "stack" },
      { key: "shift", options: {}, moves: ["A1", "X2"], task: "shift" },
      { key: "part", options: {}, moves: ["A1", "X1", "B1", "X5"], task: "part" },
      { key: "win", options: {}, moves: ["A1", "X2", "B1", "X5"], task: "win" },
    ],
  },
};

/**
 * A move that the reader has made.
 * @typedef {object} Made
 * @property {Explored} before
 * @property {Explored} after
 * @property {Pick<Changes, "lost" | "gained">} changes
 * @property {BoardLayout} layout
 */

/** Distances of a hop, and of two hops in a line, are greater than these. */
const [STEP_LENGTH, HOP_LENGTH] = [1.5, 2.1];

/**
 * Tells whether a move does what a step asks for.
 * @type {Record<Task, (made: Made) => boolean>}
 */
export const DONE = {
  any: () => true,
  spread: ({ changes }) => changes.gained.length > 1,
  gather: ({ changes }) => changes.lost.length > 1 && changes.gained.length === 1,
  capture: ({ after }) => (after.captures ?? []).length > 0,
  hop: (made) => distance(made) > STEP_LENGTH,
  hops: (made) => distance(made) > HOP_LENGTH,
  two: ({ changes }) => changes.gained.length === 2,
  three: ({ changes }) => changes.gained.length === 3,
  stack: ({ after, changes }) => changes.lost.length === 0 && changes.gained.some((cell) => (after.position[cell] ?? "").length > 1),
  shift: ({ changes }) => changes.lost.length === 1,
  part: ({ after, changes }) => changes.lost.some((cell) => (after.position[cell] ?? "") !== ""),
  win: ({ before, after }) => after.result?.winners.length === 1 && after.result.winners[0] === before.to_move,
};

/**
 * The distance between the cell that a piece left and the one that it came to.
 * @param {Made} made
 */
function distance({ changes, layout }) {
  const [from, to] = [changes.lost[0], changes.gained[0]].map((name) => layout.cells.find((cell) => cell.name === name));
  return from && to ? Math.hypot(from.x - to.x, from.y - to.y) : 0;
}
