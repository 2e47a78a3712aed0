//! The native position: who has which cells, and what hangs together with which edge.
//!
//! Pieces never leave, so that what hangs together only grows: each cell is reached once from each
//! edge, and whether a seat can connect its edges with one move is a question about a few sets.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a board has at most 265 cells and some thousand placements"
)]

use adamant_rules::{Kind, Position};

use super::{
    super::native::{End, mix},
    lattice::{Lattice, Placement, Set},
};

/// The move just before, with the numbers that `rules` hashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LastMove {
    /// There is none: the next move opens the game.
    None = 0,
    Opening = 1,
    /// One piece, which may be answered by three.
    Single = 2,
    /// Anything else.
    Other = 3,
}

/// What one seat has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Side<const W: usize> {
    pieces: Set<W>,
    /// By edge: the pieces that hang together with it.
    reached: [Set<W>; 2],
    /// By edge: the cells on which a piece hangs together with it, occupied ones included.
    near: [Set<W>; 2],
}

/// A position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Board<const W: usize> {
    pub(super) free: Set<W>,
    sides: [Side<W>; 2],
    pub(super) to_move: u8,
    pub(super) last: LastMove,
    pub(super) swap: bool,
    winner: Option<u8>,
    pieces_hash: u64,
}

impl<const W: usize> Board<W> {
    /// The board before the opening.
    fn empty(lattice: &Lattice<W>, swap: bool) -> Self {
        let mut free = Set::EMPTY;
        (0..lattice.len() as u16).for_each(|cell| free.add(cell));
        let side = |seat: usize| Side {
            pieces: Set::EMPTY,
            reached: [Set::EMPTY; 2],
            near: lattice.edges[seat],
        };
        Self {
            free,
            sides: [side(0), side(1)],
            to_move: 0,
            last: LastMove::None,
            swap,
            winner: None,
            pieces_hash: 0,
        }
    }

    /// The same position. What `rules` does not show is found by its hash.
    pub(super) fn from_rules(lattice: &Lattice<W>, position: &Position) -> Option<Self> {
        let mut board = Self::empty(lattice, false);
        if position.kind() != Kind::Stymie {
            return None;
        }
        let first = position.letter(adamant_rules::Seat::FIRST);
        for (cell, letters) in position.stacks() {
            let seat = u8::from(!letters.starts_with(first));
            board.put(lattice, lattice.of_rules(cell.0)?, seat);
        }
        board.to_move = u8::from(position.to_move() != adamant_rules::Seat::FIRST);
        let lasts = [LastMove::None, LastMove::Opening, LastMove::Single, LastMove::Other];
        let states = lasts.into_iter().flat_map(|last| [(last, false), (last, true)]);
        states
            .map(|(last, swap)| Self { last, swap, ..board })
            .find(|board| board.hash(lattice) == position.hash())
    }

    /// Whose the cells are.
    pub(super) const fn pieces(&self, seat: u8) -> &Set<W> {
        &self.sides[seat as usize].pieces
    }

    /// How the game has ended.
    pub(super) fn end(&self) -> Option<End> {
        self.winner.map(|seat| End::Won(usize::from(seat)))
    }

    /// The hash that `rules` gives the position.
    pub(super) fn hash(&self, lattice: &Lattice<W>) -> u64 {
        let numbers = [lattice.size, u8::from(self.swap), self.last as u8, self.to_move, 0b11];
        let state = numbers.into_iter().fold(0, |joined, number| joined << 8 | u64::from(number));
        mix(self.pieces_hash ^ mix(state))
    }

    fn put(&mut self, lattice: &Lattice<W>, cell: u16, seat: u8) {
        self.free.take(cell);
        self.pieces_hash ^= mix(u64::from(lattice.rules_index(cell)) << 8 | u64::from(seat));
        let side = &mut self.sides[usize::from(seat)];
        side.pieces.add(cell);
        for edge in 0..2 {
            if !side.near[edge].has(cell) {
                continue;
            }
            // Whatever hangs together with the cell hangs together with the edge now.
            let mut fresh = Set::EMPTY;
            fresh.add(cell);
            while let Some(next) = fresh.iter().next() {
                fresh.take(next);
                side.reached[edge].add(next);
                let near = &lattice.near[usize::from(next)];
                side.near[edge].join(near);
                let mut joined = near.and(&side.pieces);
                for (word, reached) in joined.0.iter_mut().zip(side.reached[edge].0) {
                    *word &= !reached;
                }
                fresh.join(&joined);
            }
        }
        if side.reached[0].meets(&lattice.edges[usize::from(seat)][1]) {
            self.winner = Some(seat);
        }
    }

    /// Makes a legal move.
    pub(super) fn play(&mut self, lattice: &Lattice<W>, placement: Placement) {
        if placement.len == 0 {
            self.last = LastMove::Other;
            return;
        }
        for &cell in placement.cells() {
            self.put(lattice, cell, self.to_move);
        }
        self.last = match (self.last, placement.len) {
            (LastMove::None, _) => LastMove::Opening,
            (_, 1) => LastMove::Single,
            _ => LastMove::Other,
        };
        self.to_move = 1 - self.to_move;
    }

    /// Whether the seat to move may put down three pieces.
    pub(super) fn may_triple(&self) -> bool {
        self.last == LastMove::Single
    }

    fn is_free(&self, placement: Placement) -> bool {
        placement.cells().iter().all(|&cell| self.free.has(cell))
    }

    /// Every legal move.
    pub(super) fn moves(&self, lattice: &Lattice<W>, moves: &mut Vec<Placement>) {
        let last = match self.last {
            LastMove::None => lattice.singles,
            LastMove::Single => lattice.placements.len(),
            LastMove::Opening | LastMove::Other => lattice.singles + lattice.pairs,
        };
        let listed = lattice.placements[..last].iter();
        moves.extend(listed.copied().filter(|&placement| self.is_free(placement)));
        if self.swap && self.last == LastMove::Opening {
            moves.push(Placement::SWAP);
        }
    }

    /// The legal placements to which no piece can be added, by their numbers. A piece of one's own
    /// is never in the way and takes no right from the other seat's answer but that to three, so
    /// that no other placement is better.
    pub(super) fn maximal(&self, lattice: &Lattice<W>) -> Vec<u16> {
        let (singles, pairs) = (lattice.singles, lattice.singles + lattice.pairs);
        let free = |cell: u16| lattice.touching[usize::from(cell)].and(&self.free).len();
        let is_maximal = |&(number, placement): &(usize, &Placement)| {
            if !self.is_free(*placement) {
                return false;
            }
            let [one, other, _] = placement.cells;
            if number < singles {
                self.last == LastMove::None || free(one) == 0
            } else if number < pairs {
                !self.may_triple() || free(one) < 2 && free(other) < 2
            } else {
                true
            }
        };
        let last = match self.last {
            LastMove::None => singles,
            LastMove::Single => lattice.placements.len(),
            LastMove::Opening | LastMove::Other => pairs,
        };
        let listed = lattice.placements[..last].iter().enumerate();
        listed.filter(is_maximal).map(|(number, _)| number as u16).collect()
    }

    /// A placement with which a seat connects its edges at once, were it its turn.
    pub(super) fn win(&self, lattice: &Lattice<W>, seat: u8, triples: bool) -> Option<Placement> {
        if self.last == LastMove::None {
            return None;
        }
        let [one, other] = self.sides[usize::from(seat)].near.map(|near| near.and(&self.free));
        if let Some(cell) = one.and(&other).iter().next() {
            return Some(lattice.placement(&[cell]));
        }
        if one.is_empty() || other.is_empty() {
            return None;
        }
        // The pieces of a move touch each other: one hangs together with either edge.
        for cell in one.iter() {
            if let Some(second) = lattice.touching[usize::from(cell)].and(&other).iter().next() {
                return Some(lattice.placement(&[cell, second]));
            }
        }
        if !triples {
            return None;
        }
        // Or those on both sides of a third one do.
        let mut between = Set::EMPTY;
        one.iter().for_each(|cell| between.join(&lattice.touching[usize::from(cell)]));
        between.and(&self.free).iter().find_map(|middle| {
            let touching = &lattice.touching[usize::from(middle)];
            let first = touching.and(&one).iter().next()?;
            let second = touching.and(&other).iter().next()?;
            Some(lattice.placement(&[middle, first, second]))
        })
    }

    /// A move with which the seat to move connects its edges.
    pub(super) fn winning_move(&self, lattice: &Lattice<W>) -> Option<Placement> {
        self.win(lattice, self.to_move, self.may_triple())
    }

    /// Whether the other seat would connect its edges next if it could move now, with two pieces.
    pub(super) fn is_threatened(&self, lattice: &Lattice<W>) -> bool {
        self.win(lattice, 1 - self.to_move, false).is_some()
    }
}
