//! Who wins on a small board, by opening: alpha-beta over the moves to which no piece can be added,
//! with a table of the positions that are known.

use adamant_rules::{Kind, Options, Position};

use super::{
    super::{
        Limits, Opening, Oracle, SCORE_MAX, Search, Stop, Verdict,
        native::End,
        race::{Race, Racer},
    },
    Playing, SMALL_LATTICES,
    board::{Board, LastMove},
    lattice::{Lattice, SMALL, Set},
    size_of_board,
};

/// The sizes of boards that are solved.
pub(in super::super) const SIZES: std::ops::RangeInclusive<u8> = 3..=5;

/// Positions that the table holds, eight bytes each.
const TABLE: usize = 1 << 24;

/// The table of a race has a place for each position that it may make, but no fewer and no more than
/// 2 to the power of these numbers.
const RACE_BITS: (u32, u32) = (10, 22);

/// Solves the board of a size in [`SIZES`], opening by opening; each is told as soon as it is known,
/// with the number of those that follow. Returns `false` for another size.
pub(in super::super) fn solve(
    size: u8,
    check: bool,
    on_opening: &mut dyn FnMut(&Opening, usize),
) -> bool {
    let Some(open) = position(size) else { return false };
    let lattice = SMALL_LATTICES[usize::from(size)].get_or_init(|| Lattice::new(size));
    let Some(board) = Board::from_rules(lattice, &open) else { return false };
    let mut solver = Solver { known: vec![0; TABLE], nodes: 0 };
    let openings = openings(lattice);
    for (left, (number, alike)) in (0..openings.len()).rev().zip(openings) {
        let placement = lattice.placement(&[number]);
        let mut after = Playing { lattice, board };
        after.board.play(lattice, placement);
        let nodes = solver.nodes;
        let wins = !solver.wins(&after);
        let text = lattice.text(placement);
        let agrees = check.then(|| proves(&open, &text)).flatten().map(|proven| proven == wins);
        let (wins, nodes) = (Some(wins), solver.nodes - nodes);
        on_opening(&Opening { text, alike, wins, plies: None, nodes, agrees }, left);
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
    let limits = Limits { nodes: Some(Opening::CHECK_NODES), ..Limits::default() };
    let report = Search::new(&after, &[], limits).run(&Stop::default(), &mut |_| {});
    report.exact.then_some(report.value == -SCORE_MAX)
}

/// What perfect play comes to on a board of one of the [`SIZES`]; `None` on a larger board, where a
/// swap is allowed, or if a proof takes more than so many positions.
pub(in super::super) fn perfect(
    position: &Position,
    most: usize,
    positions: u64,
) -> Option<Oracle> {
    let size = size_of_board(position).filter(|size| SIZES.contains(size))?;
    let lattice = SMALL_LATTICES[usize::from(size)].get_or_init(|| Lattice::new(size));
    let board = Board::from_rules(lattice, position)?;
    if board.swap && matches!(board.last, LastMove::None | LastMove::Opening) {
        return None;
    }
    let playing = Playing { lattice, board };
    let seat = usize::from(board.to_move);
    let bits = positions.max(1).ilog2().clamp(RACE_BITS.0, RACE_BITS.1);
    let mut race = Race::new(bits);
    race.allow(positions);
    let verdict = verdict(&mut race, &playing)?;
    race.allow(positions);
    let mut reach = Vec::new();
    for number in board.maximal(lattice) {
        let mv = lattice.placements[usize::from(number)];
        let after = playing.after(number);
        let is_best = match verdict {
            Verdict::Win(1) => after.board.end().is_some(),
            Verdict::Win(plies) => race.forces(&after, seat, plies - 1)?,
            // After a move that loses sooner there is a shorter win.
            Verdict::Loss(plies) => plies == 2 || !race.forces(&after, 1 - seat, plies - 3)?,
            Verdict::Draw => return None,
        };
        if is_best {
            reach.push(mv);
        }
    }
    let best = reach.iter().take(most).map(|&mv| lattice.text(mv)).collect();
    Some(Oracle { verdict, best, moves: reach.len() })
}

/// Who wins, and when. No game is drawn.
fn verdict(race: &mut Race, playing: &Playing<SMALL>) -> Option<Verdict> {
    let seat = usize::from(playing.board.to_move);
    for plies in (1..u8::MAX - 1).step_by(2) {
        if race.forces(playing, seat, plies)? {
            return Some(Verdict::Win(plies));
        }
        if race.forces(playing, 1 - seat, plies + 1)? {
            return Some(Verdict::Loss(plies + 1));
        }
    }
    None
}

impl Playing<SMALL> {
    fn after(mut self, number: u16) -> Self {
        self.board.play(self.lattice, self.lattice.placements[usize::from(number)]);
        self
    }
}

impl Racer for Playing<SMALL> {
    fn seat(&self) -> usize {
        self.board.to_move.into()
    }

    fn outcome(&self) -> Option<End> {
        self.board.end()
    }

    fn key(&self) -> u64 {
        self.board.hash(self.lattice)
    }

    fn wins_at_once(&self) -> bool {
        self.board.winning_move(self.lattice).is_some()
    }

    /// Leaves moves out to which a piece can be added: more pieces never hurt.
    fn answers(&self, made: &mut u64) -> Vec<Self> {
        let Self { lattice, board } = self;
        let after = |number: u16| {
            let after = self.after(number);
            (!after.wins_at_once()).then(|| {
                let steps = |seat| steps(lattice, &after.board, seat);
                (steps(board.to_move) - steps(1 - board.to_move), after)
            })
        };
        let moves = board.maximal(lattice);
        *made += moves.len() as u64;
        let mut answers: Vec<_> = moves.into_iter().filter_map(after).collect();
        answers.sort_by_key(|&(lead, _)| lead);
        answers.into_iter().map(|(_, after)| after).collect()
    }

    fn is_lost_in_two(&self, made: &mut u64) -> bool {
        let moves = self.board.maximal(self.lattice);
        *made += moves.len() as u64;
        moves.into_iter().all(|number| self.after(number).wins_at_once())
    }
}

/// A proof in progress.
struct Solver {
    /// By the upper bits of a hash: the hash of a position, its lowest bit set if who moves wins.
    known: Vec<u64>,
    nodes: u64,
}

impl Solver {
    /// Whether the seat to move wins. A full board connects the edges of exactly one seat, so that
    /// no game is drawn.
    fn wins(&mut self, playing: &Playing<SMALL>) -> bool {
        if playing.wins_at_once() {
            return true;
        }
        let hash = playing.key();
        let slot = usize::try_from(hash >> 32).unwrap_or(0) % TABLE;
        if self.known[slot] | 1 == hash | 1 {
            return self.known[slot] & 1 != 0;
        }
        let wins = playing.answers(&mut self.nodes).into_iter().any(|after| !self.wins(&after));
        self.known[slot] = hash & !1 | u64::from(wins);
        wins
    }
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
