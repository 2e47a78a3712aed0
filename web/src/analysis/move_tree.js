// The moves of an analysis: a tree whose paths from the root are lines. The moves of a game that is
// analysed are among them.

/** A move and what follows it. The root has no move. */
export class MoveNode {
  move;
  /** @type {MoveNode | undefined} */
  parent;
  /** What follows; the first one is the main continuation. @type {MoveNode[]} */
  children = [];
  /** Moves and skips up to here. @type {number} */
  ply;
  /** Whether the move was made in the analysed game. */
  isGame = false;

  /**
   * @param {string} move
   * @param {MoveNode | undefined} parent
   */
  constructor(move, parent) {
    this.move = move;
    this.parent = parent;
    this.ply = parent === undefined ? 0 : parent.ply + 1;
  }

  /** The nodes from the first move to this one. @returns {MoveNode[]} */
  get path() {
    /** @type {MoveNode[]} */
    const nodes = [];
    for (let node = /** @type {MoveNode} */ (this); node.parent !== undefined; node = node.parent) nodes.push(node);
    return nodes.reverse();
  }

  /** The moves up to this one. */
  get moves() {
    return this.path.map(({ move }) => move);
  }

  /** The end of the main continuation. @returns {MoveNode} */
  get end() {
    let node = /** @type {MoveNode} */ (this);
    for (let [next] = node.children; next !== undefined; [next] = node.children) node = next;
    return node;
  }

  /** The last move of the game on the way here, or the root. @returns {MoveNode} */
  get branchedFrom() {
    let node = /** @type {MoveNode} */ (this);
    while (!node.isGame && node.parent !== undefined) node = node.parent;
    return node;
  }

  /**
   * Sets the number of moves and skips up to here, once it is known.
   * @param {number} ply
   */
  setPly(ply) {
    const by = ply - this.ply;
    if (by === 0 || this.isGame) return;
    /** @type {MoveNode[]} */
    const waiting = [this];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      node.ply += by;
      waiting.push(...node.children);
    }
  }
}

/** A node as it is stored: its move, then what follows. @typedef {[string, ...StoredNode[]]} StoredNode */

export class MoveTree {
  root = new MoveNode("", undefined);

  /** Number of moves that are not the game's. */
  get tried() {
    let number = 0;
    const waiting = [this.root];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      number += node.isGame || node === this.root ? 0 : 1;
      waiting.push(...node.children);
    }
    return number;
  }

  /** The last move of the game, or the root. */
  get gameEnd() {
    return this.gameNode(Number.POSITIVE_INFINITY);
  }

  /**
   * Adds a move, unless it is there.
   * @param {MoveNode} parent
   * @param {string} move
   */
  add(parent, move) {
    const known = parent.children.find((each) => each.move === move);
    if (known !== undefined) return known;
    const node = new MoveNode(move, parent);
    parent.children.push(node);
    return node;
  }

  /**
   * Adds a line.
   * @param {MoveNode} parent
   * @param {readonly string[]} moves
   */
  addLine(parent, moves) {
    return moves.reduce((node, move) => this.add(node, move), parent);
  }

  /**
   * Removes a move and what follows it.
   * @param {MoveNode} node
   */
  remove(node) {
    const { parent } = node;
    if (parent === undefined) return;
    parent.children = parent.children.filter((each) => each !== node);
  }

  /**
   * Sets the moves of the game, skips included. Those that are no longer made stay as variations.
   * @param {readonly string[]} moves
   */
  setGame(moves) {
    for (let [node] = this.root.children; node?.isGame; [node] = node.children) node.isGame = false;
    let node = this.root;
    moves.forEach((move, index) => {
      if (move !== SKIP) {
        const next = this.add(node, move);
        node.children = [next, ...node.children.filter((each) => each !== next)];
        node = next;
        node.isGame = true;
      }
      if (node.isGame) node.ply = index + 1;
    });
  }

  /**
   * Returns the move of the game at a ply, or the last one before it.
   * @param {number} ply
   */
  gameNode(ply) {
    let node = this.root;
    for (let [next] = node.children; next?.isGame && next.ply <= ply; [next] = node.children) node = next;
    return node;
  }

  /**
   * Returns the node after some moves, if it is in the tree.
   * @param {readonly string[]} moves
   * @returns {MoveNode | undefined}
   */
  nodeAt(moves) {
    return moves.reduce((/** @type {MoveNode | undefined} */ node, move) => node?.children.find((each) => each.move === move), this.root);
  }

  /** @returns {StoredNode} */
  toJSON() {
    return stored(this.root);
  }

  /** @param {StoredNode} given */
  static from(given) {
    const tree = new MoveTree();
    /** @type {[MoveNode, StoredNode][]} */
    const waiting = [[tree.root, given]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [node, [, ...children]] = next;
      for (const child of children) waiting.push([tree.add(node, child[0]), child]);
    }
    return tree;
  }
}

/** A skip among the moves of a game. It follows by the rules. */
const SKIP = "pass";

/**
 * @param {MoveNode} node
 * @returns {StoredNode}
 */
function stored(node) {
  return [node.move, ...node.children.map(stored)];
}

/**
 * Returns all nodes of the line through a node: the way to it, and its main continuation.
 * @param {MoveNode} node
 */
export function lineThrough(node) {
  return node.end.path;
}

/** The move by which two players change seats. */
const SWAP = "swap";

/**
 * Returns the players by seat after some moves. Twice the same change leads back.
 * @param {readonly string[]} users by seat before them
 * @param {readonly string[]} moves
 */
export function usersAfter(users, moves) {
  const [one, other, ...rest] = users;
  return one !== undefined && other !== undefined && moves.includes(SWAP) ? [other, one, ...rest] : users;
}
