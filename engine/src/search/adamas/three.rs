//! Adamas for three: minimax against both others, as a tree that grows best first.
//!
//! The value wants an end: the last pieces of a seat are worth most, to keep and to take, and a draw
//! is worth little. Once a seat is out, the search of two goes on.

use std::num::NonZeroU32;

use rand::RngExt as _;

use super::{
    super::{Control, Line, SCORE_MAX, native::End},
    board::{Board, Move},
    moves::{Chance, Choice},
    value::{DECIDED, PIECE, WIN, a_move_later, look},
};

/// How far a line looks ahead at the most.
const PLIES_MAX: usize = 60;

/// Moves of a position that are looked at, and how many of them are kept to be looked at further, by
/// distance from the root.
const SAMPLED: [usize; 3] = [1_500, 250, 120];
const KEPT: [usize; 3] = [400, 48, 24];

/// Steps between two notes of the best moves so far.
const STEPS_PER_NOTE: usize = 32;

/// What an own piece is worth. Whoever trades one for another falls behind the third seat.
const OWN: i32 = PIECE * 3 / 2;

/// What all pieces of a seat are worth besides, the own ones and those of another, and with how many
/// pieces it has half of that.
const OWN_LAST: i32 = 600;
const OTHER_LAST: i32 = 300;
const FEW: i32 = 3;

/// What a piece is worth that can be captured where the seat that thinks is to move or is not: by
/// who moves, and by who waits.
const CAPTURE: i32 = 85;
const THREAT: i32 = 25;

/// What it is worth that another seat can capture all pieces of the one that thinks.
const RUIN: i32 = 300;

/// What a cell is worth that a stack can go to.
const ROOM: i32 = 3;

/// What a draw is worth where no contempt is set.
const DRAW: i32 = -2 * PIECE;

type Three<const W: usize> = Board<W, 3>;

fn at(counts: [usize; 3], ply: usize) -> usize {
    counts[ply.min(counts.len() - 1)]
}

/// A move in the tree.
#[derive(Clone, Copy, Debug)]
struct Branch {
    mv: Move,
    /// What it is worth to the seat that thinks.
    value: i32,
    /// The position after it, if it was looked at.
    node: Option<NonZeroU32>,
    /// Whether a look at the position after it can tell nothing new.
    is_closed: bool,
}

/// A position that was looked at.
#[derive(Debug)]
struct Node {
    /// At least one.
    branches: Vec<Branch>,
    /// Whether the seat that thinks is to move.
    is_mine: bool,
}

impl Node {
    /// The best move for who is to move, of those that are open or of all.
    fn best(&self, is_open: bool) -> Option<usize> {
        let sign = if self.is_mine { 1 } else { -1 };
        let wanted = |(_, branch): &(usize, &Branch)| !(is_open && branch.is_closed);
        let branches = self.branches.iter().enumerate().filter(wanted);
        branches.rev().max_by_key(|(_, branch)| sign * branch.value).map(|(index, _)| index)
    }
}

/// The place of a node.
const fn index(node: NonZeroU32) -> usize {
    node.get() as usize
}

/// The thought is over.
struct Over;

struct Tree<'t, 'c, const W: usize> {
    control: &'t mut Control<'c>,
    seen: &'t [u64],
    me: usize,
    root: Three<W>,
    nodes: Vec<Node>,
    /// Branches of all nodes, and how many there may be.
    size: usize,
    size_max: usize,
    chance: Chance,
    draw: i32,
    /// The lead that half decides the game.
    half: i32,
    deepest: u32,
}

/// Thinks about a position until the control ends it.
pub(super) fn think<const W: usize>(board: Three<W>, seen: &[u64], control: &mut Control<'_>) {
    let pieces: i32 = board.seats_left().map(|seat| i32::from(board.pieces(seat))).sum();
    let half = PIECE * pieces / 4;
    let contempt = control.settings().contempt.clamp(-900, 900);
    let mut tree = Tree {
        seen,
        me: board.seat(),
        root: board,
        nodes: Vec::new(),
        size: 0,
        size_max: (control.settings().hash_mb << 20) / size_of::<Branch>(),
        chance: Chance(control.rng().random()),
        draw: DRAW - half * contempt / (1000 - contempt.abs()),
        half,
        deepest: 1,
        control,
    };
    tree.grow();
}

impl<const W: usize> Tree<'_, '_, W> {
    fn grow(&mut self) {
        let root = self.root;
        let Ok(node) = self.look(&root, 0) else { return };
        self.add(node);
        self.report();
        for step in 0.. {
            if self.size >= self.size_max || !self.control.may_deepen(self.deepest) {
                break;
            }
            let deepest = self.deepest;
            if self.step().is_err() {
                break;
            }
            if self.deepest > deepest {
                self.report();
            } else if step % STEPS_PER_NOTE == 0 {
                self.note();
            }
        }
        self.note();
    }

    /// Adds a node. Returns its number if it is not the root.
    fn add(&mut self, node: Node) -> Option<NonZeroU32> {
        self.size += node.branches.len() + 1;
        self.nodes.push(node);
        u32::try_from(self.nodes.len() - 1).ok().and_then(NonZeroU32::new)
    }

    /// Looks at one more position. Fails if no line is open.
    fn step(&mut self) -> Result<(), Over> {
        let (mut board, mut node) = (self.root, 0);
        let mut trail = Vec::new();
        loop {
            let best = self.nodes[node].best(true).ok_or(Over)?;
            let branch = self.nodes[node].branches[best];
            trail.push((node, best));
            board.play(branch.mv);
            if let Some(next) = branch.node {
                node = index(next);
                continue;
            }
            let found = self.look(&board, trail.len())?;
            self.nodes[node].branches[best].node = self.add(found);
            let plies = u32::try_from(trail.len()).unwrap_or(0);
            self.deepest = self.deepest.max(plies + 1);
            break;
        }
        let is_deep = trail.len() >= PLIES_MAX;
        for (node, branch) in trail.into_iter().rev() {
            let Some(next) = self.nodes[node].branches[branch].node.map(index) else { continue };
            let next = &self.nodes[next];
            let Some(best) = next.best(false) else { continue };
            let value = next.branches[best].value;
            let is_closed = is_deep
                || value.abs() > DECIDED
                || next.branches.iter().all(|branch| branch.is_closed);
            let branch = &mut self.nodes[node].branches[branch];
            (branch.value, branch.is_closed) = (-a_move_later(value), is_closed);
        }
        Ok(())
    }

    /// Looks at the moves of a position.
    fn look(&mut self, board: &Three<W>, ply: usize) -> Result<Node, Over> {
        let (choice, most) = (Choice::new(board), at(SAMPLED, ply));
        let mut moves = Vec::with_capacity(most);
        if choice.count(most as u64).is_some() {
            choice.all(&mut moves);
        } else {
            choice.sample(most, &mut self.chance, &mut moves);
        }
        let mut branches = Vec::with_capacity(moves.len());
        for mv in moves {
            branches.push(self.branch(board, mv, ply));
            if self.control.node() {
                if ply > 0 {
                    return Err(Over);
                }
                break;
            }
        }
        let is_mine = board.seat() == self.me;
        branches.sort_by_key(|branch| if is_mine { -branch.value } else { branch.value });
        branches.truncate(at(KEPT, ply));
        branches.shrink_to_fit();
        Ok(Node { branches, is_mine })
    }

    /// A move with the value of the position after it.
    fn branch(&self, board: &Three<W>, mv: Move, ply: usize) -> Branch {
        let mut after = *board;
        after.play(mv);
        let value = match after.end() {
            Some(End::Won(winner)) if winner == self.me => WIN,
            Some(End::Drawn) if after.pieces(self.me) > 0 => self.draw,
            None if ply == 0 && self.seen.contains(&after.hash()) => self.draw,
            None if after.pieces(self.me) > 0 => value(&after, self.me),
            Some(_) | None => -WIN,
        };
        let is_closed = after.end().is_some() || value.abs() > DECIDED;
        Branch { mv, value, node: None, is_closed }
    }

    fn report(&mut self) {
        let lines = self.lines();
        self.control.set_fill((self.size, self.size_max));
        self.control.found(self.deepest, self.deepest, lines);
    }

    fn note(&mut self) {
        let lines = self.lines();
        self.control.note(self.deepest, self.deepest, lines);
    }

    fn lines(&self) -> Vec<Line> {
        let mut best: Vec<_> = self.nodes[0].branches.iter().collect();
        best.sort_by_key(|branch| -branch.value);
        best.truncate(self.control.settings().lines.max(1));
        best.into_iter().map(|branch| self.line(branch)).collect()
    }

    /// A move with the best answers that are known.
    fn line(&self, first: &Branch) -> Line {
        let mut board = self.root;
        let mut moves = Vec::new();
        let mut next = Some(first);
        while let Some(branch) = next {
            moves.push(board.text(branch.mv));
            board.play(branch.mv);
            next = branch.node.and_then(|node| {
                let node = &self.nodes[index(node)];
                node.branches.get(node.best(false)?)
            });
        }
        let value = first.value;
        if value == WIN {
            return Line { moves, value: SCORE_MAX, exact: true, distance: Some(1) };
        }
        let value = if value.abs() > DECIDED {
            // Moves were left out on the way: nothing is proven.
            (SCORE_MAX - 1) * value.signum()
        } else {
            (SCORE_MAX - 1) * value / (value.abs() + self.half)
        };
        Line { moves, value, ..Line::default() }
    }
}

/// The value of a position for a seat that is left.
fn value<const W: usize>(board: &Three<W>, me: usize) -> i32 {
    let seats = look(board, |captor, victim| captor == me || victim == me);
    let weight = |seat: usize| if seat == board.seat() { CAPTURE } else { THREAT };
    let last = |most: i32, pieces: i32| most * pieces / (pieces + FEW);
    let mine = i32::from(board.pieces(me));
    let mut value = OWN * mine + last(OWN_LAST, mine);
    value += weight(me) * i32::from(seats[me].capture) + ROOM * seats[me].room.cast_signed();
    let mut danger = 0;
    for other in board.seats_left().filter(|&seat| seat != me) {
        let pieces = i32::from(board.pieces(other));
        let captured = i32::from(seats[other].capture);
        value -= PIECE * pieces + last(OTHER_LAST, pieces);
        value -= ROOM * seats[other].room.cast_signed() / 2;
        danger = danger.max(weight(other) * captured * OWN / PIECE);
        if captured == mine {
            danger = danger.max(RUIN);
        }
    }
    value - danger
}
