//! How soon a small board is won, and who wins it.

use std::ops::RangeInclusive;

use adamant_rules::Position;

use super::{
    super::{
        Oracle, Verdict,
        native::End,
        race::{Race, Racer},
    },
    board::{Board, LastMove},
    lattice::{Lattice, SMALL},
    position::{Playing, SMALL_LATTICES, size_of_board},
    proof::{Outcome, Proof},
    small::SmallLattice,
};

/// The sizes of boards that are solved.
pub(in super::super) const SIZES: RangeInclusive<u8> = 3..=5;

/// The table of a race has a place for each position that it may make, but no fewer and no more than
/// 2 to the power of these numbers.
const RACE_BITS: (u32, u32) = (10, 22);

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
    Playing { lattice, board }.perfect(most, positions)
}

/// Solves a position of a small board beside a search.
pub(super) struct Solver {
    playing: Playing<SMALL>,
    proof: Proof,
}

impl Solver {
    /// A solver with a table of so many bytes. `None` for another board, before the opening, and where
    /// a swap is allowed.
    pub(super) fn new(playing: Playing<SMALL>, bytes: usize) -> Option<Self> {
        let Playing { lattice, board } = playing;
        let positions = (bytes / Proof::BYTES_PER_POSITION).max(1);
        (SIZES.contains(&lattice.size) && playing.is_settled())
            .then(|| Self { playing, proof: Proof::new(lattice, board, positions.ilog2()) })
    }

    /// What perfect play comes to, if a proof takes at most so many positions.
    pub(super) fn perfect(&self, positions: u64) -> Option<Oracle> {
        self.playing.perfect(1, positions)
    }

    /// Goes on for so many positions. Returns who wins, once that is proven.
    pub(super) fn go_on(&mut self, positions: u64) -> Option<Outcome> {
        self.proof.go_on(positions)
    }
}

impl Playing<SMALL> {
    /// Whether each seat keeps its side from now on.
    fn is_settled(&self) -> bool {
        let may_swap = self.board.swap && self.board.last == LastMove::Opening;
        self.board.last != LastMove::None && !may_swap
    }

    fn after(mut self, number: u16) -> Self {
        self.board.play(self.lattice, self.lattice.placements[usize::from(number)]);
        self
    }

    fn perfect(&self, most: usize, positions: u64) -> Option<Oracle> {
        let Self { lattice, board } = self;
        if board.swap && matches!(board.last, LastMove::None | LastMove::Opening) {
            return None;
        }
        let seat = usize::from(board.to_move);
        let bits = positions.max(1).ilog2().clamp(RACE_BITS.0, RACE_BITS.1);
        let mut race = Race::new(bits);
        race.allow(positions);
        let verdict = verdict(&mut race, self)?;
        race.allow(positions);
        let mut reach = Vec::new();
        for number in board.maximal(lattice) {
            let mv = lattice.placements[usize::from(number)];
            let after = self.after(number);
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
        let small = SmallLattice::of(lattice);
        let after = |number: u16| {
            let after = self.after(number);
            (!after.wins_at_once()).then(|| {
                let cells = |seat| after.board.pieces(seat).0[0];
                let way = |seat: u8| small.way(cells(seat), after.board.free.0[0], seat.into());
                (way(board.to_move) - way(1 - board.to_move), after)
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
