//! Who wins on a small board, by opening: alpha-beta over the moves to which no piece can be added,
//! with a table of the positions that are known.

use std::collections::HashMap;

use adamant_rules::{Kind, Options, Position};

use super::{
    super::{Limits, Oracle, SCORE_MAX, Search, Stop, Verdict},
    SMALL_LATTICES,
    board::{Board, LastMove},
    lattice::{Lattice, SMALL, Set},
    size_of_board,
};

/// The game whose boards are solved.
pub const GAME: Kind = Kind::Stymie;

/// The sizes of boards that are solved.
pub const SIZES: std::ops::RangeInclusive<u8> = 3..=5;

/// Positions that the table holds, eight bytes each.
const TABLE: usize = 1 << 24;

/// Nodes in which the other solver, the search, must find its proof of an opening.
const CHECK_NODES: u64 = 500_000_000;

/// An opening and who wins after it. Reflections of it are not listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// The opening in canonical notation.
    pub text: String,
    /// How many openings it stands for, itself included.
    pub alike: usize,
    /// Whether whoever made it wins.
    pub wins: bool,
    /// The positions that the proof has looked at.
    pub nodes: u64,
    /// Whether the search, which proves by another way, says the same; none if it was not asked or
    /// has not come to a proof.
    pub agrees: Option<bool>,
}

/// Solves the board of a size in [`SIZES`], opening by opening; each is told as soon as it is known,
/// with the number of those that follow. Returns `false` for another size.
pub fn solve(size: u8, check: bool, on_opening: &mut dyn FnMut(&Opening, usize)) -> bool {
    let Some(open) = position(size) else { return false };
    let lattice = SMALL_LATTICES[usize::from(size)].get_or_init(|| Lattice::new(size));
    let Some(board) = Board::from_rules(lattice, &open) else { return false };
    let mut solver = Solver { lattice, known: vec![0; TABLE], nodes: 0 };
    let openings = openings(lattice);
    for (left, (number, alike)) in (0..openings.len()).rev().zip(openings) {
        let placement = lattice.placement(&[number]);
        let mut after = board;
        after.play(lattice, placement);
        let nodes = solver.nodes;
        let wins = !solver.wins(&after);
        let text = lattice.text(placement);
        let agrees = check.then(|| proves(&open, &text)).flatten().map(|proven| proven == wins);
        on_opening(&Opening { text, alike, wins, nodes: solver.nodes - nodes, agrees }, left);
    }
    true
}

/// The empty board of a size.
fn position(size: u8) -> Option<Position> {
    let options = Options::parse(&format!("-size={size}"), Kind::Stymie.option_specs()).ok()?;
    SIZES.contains(&size).then(|| Kind::Stymie.open(&options, 2).ok()).flatten()
}

/// The openings without reflections of those before, each with how many it stands for.
fn openings<const W: usize>(lattice: &Lattice<W>) -> Vec<(u16, usize)> {
    let last = 2 * lattice.size - 2;
    let mut found: Vec<((u8, u8), u16, usize)> = Vec::new();
    for (cell, &(column, row)) in (0..).zip(&lattice.places) {
        let place = (column.min(last - column), row.min(last - row));
        match found.iter_mut().find(|(known, ..)| *known == place) {
            Some((.., alike)) => *alike += 1,
            None => found.push((place, cell, 1)),
        }
    }
    found.into_iter().map(|(_, cell, alike)| (cell, alike)).collect()
}

/// Whether the search proves that an opening wins; none without a proof.
fn proves(open: &Position, opening: &str) -> Option<bool> {
    let mut after = open.clone();
    after.apply(&open.parse_move(opening).ok()?);
    let limits = Limits { nodes: Some(CHECK_NODES), ..Limits::default() };
    let report = Search::new(&after, &[], limits).run(&Stop::default(), &mut |_| {});
    report.exact.then_some(report.value == -SCORE_MAX)
}

/// What perfect play comes to on a board of one of the [`SIZES`]; `None` on a larger board, where a
/// swap is allowed, or if a proof takes more than so many positions.
pub(in super::super) fn perfect(
    position: &Position,
    most: usize,
    positions: usize,
) -> Option<Oracle> {
    let size = size_of_board(position).filter(|size| SIZES.contains(size))?;
    let lattice = SMALL_LATTICES[usize::from(size)].get_or_init(|| Lattice::new(size));
    let board = Board::from_rules(lattice, position)?;
    if board.swap && matches!(board.last, LastMove::None | LastMove::Opening) {
        return None;
    }
    let mut race = Race { lattice, known: HashMap::new(), left: positions };
    let verdict = race.verdict(&board)?;
    race.left = positions;
    let mut reach = Vec::new();
    for number in board.maximal(lattice) {
        let mv = lattice.placements[usize::from(number)];
        let mut after = board;
        after.play(lattice, mv);
        let is_best = match verdict {
            Verdict::Win(1) => after.end().is_some(),
            Verdict::Win(plies) => race.loses(&after, plies - 1)?,
            // After a move that loses sooner there is a shorter win.
            Verdict::Loss(plies) => plies == 2 || !race.wins(&after, plies - 3)?,
            Verdict::Draw => return None,
        };
        if is_best {
            reach.push(mv);
        }
    }
    let best = reach.iter().take(most).map(|&mv| lattice.text(mv)).collect();
    Some(Oracle { verdict, best, moves: reach.len() })
}

/// A search for how soon a position is decided.
struct Race<'a> {
    lattice: &'a Lattice<SMALL>,
    /// By a hash: plies in which the seat to move is known to win, and in which it is known not to.
    known: HashMap<u64, (u8, u8)>,
    /// Positions that may still be looked at.
    left: usize,
}

impl Race<'_> {
    /// Who wins, and when. No game is drawn.
    fn verdict(&mut self, board: &Board<SMALL>) -> Option<Verdict> {
        for plies in (1..u8::MAX - 1).step_by(2) {
            if self.wins(board, plies)? {
                return Some(Verdict::Win(plies));
            }
            if self.loses(board, plies + 1)? {
                return Some(Verdict::Loss(plies + 1));
            }
        }
        None
    }

    /// Whether the seat to move wins within so many plies, an odd number; `None` if it takes long.
    fn wins(&mut self, board: &Board<SMALL>, plies: u8) -> Option<bool> {
        if board.winning_move(self.lattice).is_some() {
            return Some(true);
        }
        if plies < 3 {
            return Some(false);
        }
        let hash = board.hash(self.lattice);
        let (won, open) = *self.known.get(&hash).unwrap_or(&(u8::MAX, 1));
        if won <= plies || open >= plies {
            return Some(won <= plies);
        }
        let moves = board.maximal(self.lattice);
        self.left = self.left.checked_sub(moves.len())?;
        let mut wins = false;
        for after in answers(self.lattice, board, moves) {
            if self.loses(&after, plies - 1)? {
                wins = true;
                break;
            }
        }
        self.known.insert(hash, if wins { (plies, open) } else { (won, plies) });
        Some(wins)
    }

    /// Whether the seat to move loses within so many plies, an even number; `None` if it takes long.
    fn loses(&mut self, board: &Board<SMALL>, plies: u8) -> Option<bool> {
        if board.winning_move(self.lattice).is_some() {
            return Some(false);
        }
        let moves = board.maximal(self.lattice);
        self.left = self.left.checked_sub(moves.len())?;
        for number in moves {
            let mut after = *board;
            after.play(self.lattice, self.lattice.placements[usize::from(number)]);
            if !self.wins(&after, plies - 1)? {
                return Some(false);
            }
        }
        Some(true)
    }
}

/// A proof in progress.
struct Solver<'a> {
    lattice: &'a Lattice<SMALL>,
    /// By the upper bits of a hash: the hash of a position, its lowest bit set if who moves wins.
    known: Vec<u64>,
    nodes: u64,
}

impl Solver<'_> {
    /// Whether the seat to move wins. A full board connects the edges of exactly one seat, so that
    /// no game is drawn.
    fn wins(&mut self, board: &Board<SMALL>) -> bool {
        if board.winning_move(self.lattice).is_some() {
            return true;
        }
        let hash = board.hash(self.lattice);
        let slot = usize::try_from(hash >> 32).unwrap_or(0) % TABLE;
        if self.known[slot] | 1 == hash | 1 {
            return self.known[slot] & 1 != 0;
        }
        self.nodes += 1;
        let moves = board.maximal(self.lattice);
        let wins = answers(self.lattice, board, moves).into_iter().any(|after| !self.wins(&after));
        self.known[slot] = hash & !1 | u64::from(wins);
        wins
    }
}

/// The positions after the moves that do not let the other seat win at once, the most promising
/// first.
fn answers(lattice: &Lattice<SMALL>, board: &Board<SMALL>, moves: Vec<u16>) -> Vec<Board<SMALL>> {
    let after = |number: u16| {
        let mut after = *board;
        after.play(lattice, lattice.placements[usize::from(number)]);
        after.winning_move(lattice).is_none().then(|| {
            let steps = |seat| steps(lattice, &after, seat);
            (steps(board.to_move) - steps(1 - board.to_move), after)
        })
    };
    let mut answers: Vec<_> = moves.into_iter().filter_map(after).collect();
    answers.sort_by_key(|&(lead, _)| lead);
    answers.into_iter().map(|(_, after)| after).collect()
}

/// How many pieces a seat needs at the least to connect its edges; more than there are cells
/// where it cannot.
fn steps(lattice: &Lattice<SMALL>, board: &Board<SMALL>, seat: u8) -> i32 {
    let [mut near, upper] = lattice.edges[usize::from(seat)];
    let mut reached = Set::EMPTY;
    for steps in 0.. {
        // Pieces on the way cost nothing.
        while reach(lattice, &near.and(board.pieces(seat)), &mut reached, &mut near) {}
        if reached.meets(&upper) {
            return steps;
        }
        if !reach(lattice, &near.and(&board.free), &mut reached, &mut near) {
            break;
        }
    }
    i32::MAX / 2
}

/// Reaches cells, and finds what is near them. Returns whether any was new.
fn reach(
    lattice: &Lattice<SMALL>,
    cells: &Set<SMALL>,
    reached: &mut Set<SMALL>,
    near: &mut Set<SMALL>,
) -> bool {
    let mut is_new = false;
    for cell in cells.iter() {
        if reached.has(cell) {
            continue;
        }
        reached.add(cell);
        near.join(&lattice.near[usize::from(cell)]);
        is_new = true;
    }
    is_new
}
