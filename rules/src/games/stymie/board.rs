//! Pieces on a lattice, and which edges they connect. Whose turn it is and what may be done is not
//! known here.

use std::fmt;

use super::lattice::{CellSet, Lattice, Spot};
use crate::{cell::CellName, hashing::mix, seat::Seat};

/// How many play.
pub(super) const PLAYERS: usize = 2;

/// Pieces on a lattice.
#[derive(Clone, PartialEq)]
pub(super) struct Board {
    lattice: Lattice,
    /// The cells without a piece. Places outside the board are never among them.
    free: CellSet,
    pieces: [CellSet; PLAYERS],
    /// The pieces of each seat that hang together with its first edge. As pieces never leave, each
    /// is added once at the most, so that a whole game costs no more than one search of the board.
    reached: [CellSet; PLAYERS],
    /// The seat that has connected both edges. Chains cannot cross, so at most one seat has.
    winner: Option<Seat>,
    hash: u64,
}

impl Board {
    /// A board without pieces.
    pub(super) fn empty(lattice: Lattice) -> Self {
        Self {
            lattice,
            free: lattice.spots().collect(),
            pieces: [CellSet::EMPTY; PLAYERS],
            reached: [CellSet::EMPTY; PLAYERS],
            winner: None,
            hash: 0,
        }
    }

    /// Its shape.
    pub(super) const fn lattice(&self) -> Lattice {
        self.lattice
    }

    /// The cells without a piece.
    pub(super) const fn free(&self) -> &CellSet {
        &self.free
    }

    pub(super) const fn pieces_of(&self, seat: Seat) -> &CellSet {
        &self.pieces[seat.index()]
    }

    /// Whose piece stands on a cell.
    pub(super) fn owner(&self, spot: Spot) -> Option<Seat> {
        Seat::all(PLAYERS).find(|seat| self.pieces[seat.index()].contains(spot))
    }

    /// Every piece with its cell, in the order of the cells.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (Spot, Seat)> {
        self.lattice.spots().filter_map(|spot| self.owner(spot).map(|seat| (spot, seat)))
    }

    /// Returns the seat that has connected both edges.
    pub(super) const fn winner(&self) -> Option<Seat> {
        self.winner
    }

    /// Puts a piece on an empty cell.
    pub(super) fn put(&mut self, spot: Spot, seat: Seat) {
        self.free.remove(spot);
        self.pieces[seat.index()].insert(spot);
        self.hash ^= piece_key(spot, seat);
        self.reach(spot, seat);
    }

    /// Follows what a new piece connects with the first edge.
    fn reach(&mut self, new: Spot, seat: Seat) {
        let pieces = &self.pieces[seat.index()];
        let reached = &mut self.reached[seat.index()];
        let touches = |spot: Spot| spot.neighbours().any(|next| reached.contains(next));
        if new.lines_from_edge(seat) != 0 && !touches(new) {
            return;
        }
        reached.insert(new);
        let mut ends = CellSet::from_iter([new]);
        while let Some(spot) = ends.pop() {
            if spot.lines_from_edge(seat) == self.lattice.lines() - 1 {
                self.winner = Some(seat);
            }
            for next in spot.neighbours() {
                if pieces.contains(next) && !reached.contains(next) {
                    reached.insert(next);
                    ends.insert(next);
                }
            }
        }
    }

    /// The cells of a shortest chain between the edges of a seat, in order; empty if there is no
    /// chain.
    pub(super) fn shortest_chain(&self, seat: Seat) -> Vec<Spot> {
        let mut unseen = self.pieces[seat.index()];
        let first = self.lattice.first_line(seat).filter(|&spot| unseen.take(spot));
        // Each cell found so far with the place of the one before it.
        let mut found: Vec<(Spot, Option<usize>)> = first.map(|spot| (spot, None)).collect();
        let mut place = 0;
        while let Some(&(spot, _)) = found.get(place) {
            if spot.lines_from_edge(seat) == self.lattice.lines() - 1 {
                let chain = std::iter::successors(Some(place), |&place| found[place].1);
                return chain.map(|place| found[place].0).collect::<CellSet>().iter().collect();
            }
            let next = spot.neighbours().filter(|&next| unseen.take(next));
            found.extend(next.map(|next| (next, Some(place))));
            place += 1;
        }
        Vec::new()
    }

    /// Covers which pieces stand where; kept up to date piece by piece.
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }

    /// The same value computed anew.
    pub(super) fn hash_from_scratch(&self) -> u64 {
        self.pieces().fold(0, |hash, (spot, seat)| hash ^ piece_key(spot, seat))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces = self.pieces().map(|(spot, seat)| (CellName::from(spot), seat));
        f.debug_map().entries(pieces).finish()
    }
}

const fn piece_key(spot: Spot, seat: Seat) -> u64 {
    mix((spot.index() << 8 | seat.index()) as u64)
}
