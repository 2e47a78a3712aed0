//! Pieces on the star: where they can go and what they connect. Whose turn it is and which edges
//! are whose is not known here.

use std::fmt;

use arrayvec::ArrayVec;

use super::star_board::{CellSet, POINTS, Spot};
use crate::{
    hashing::mix,
    seat::{SEATS_MAX, Seat},
};

/// Pieces on the star.
#[derive(Clone, PartialEq)]
pub(super) struct Board {
    pieces: [CellSet; SEATS_MAX],
    hash: u64,
}

impl Board {
    /// A board without pieces.
    pub(super) const EMPTY: Self = Self { pieces: [CellSet::EMPTY; SEATS_MAX], hash: 0 };

    /// Where a seat has pieces.
    pub(super) const fn pieces(&self, seat: Seat) -> CellSet {
        self.pieces[seat.index()]
    }

    /// Returns the occupied points.
    pub(super) fn occupied(&self) -> CellSet {
        self.pieces.iter().fold(CellSet::EMPTY, |all, &pieces| all | pieces)
    }

    /// Whose piece stands on a point.
    pub(super) fn owner(&self, spot: Spot) -> Option<Seat> {
        Seat::all(SEATS_MAX).find(|&seat| self.pieces(seat).contains(spot))
    }

    /// Every piece with its point, in the order of the points.
    pub(super) fn standing(&self) -> impl Iterator<Item = (Spot, Seat)> {
        Spot::all().filter_map(|spot| self.owner(spot).map(|seat| (spot, seat)))
    }

    /// Puts a piece on an empty point.
    pub(super) fn put(&mut self, spot: Spot, seat: Seat) {
        let pieces = &mut self.pieces[seat.index()];
        *pieces = pieces.with(spot);
        self.hash ^= piece_key(spot, seat);
    }

    /// Moves a seat's piece to an empty point.
    pub(super) fn carry(&mut self, seat: Seat, from: Spot, to: Spot) {
        let pieces = &mut self.pieces[seat.index()];
        *pieces = pieces.without(from);
        self.hash ^= piece_key(from, seat);
        self.put(to, seat);
    }

    /// Where the piece on a point can go, by one step or by hops.
    pub(super) fn destinations(&self, from: Spot) -> CellSet {
        let occupied = self.occupied();
        (from.neighbours() & !occupied) | hopped_to(from, occupied)
    }

    /// Each piece of a seat with where it can go, in the order of the points.
    pub(super) fn destinations_of(&self, seat: Seat) -> impl Iterator<Item = (Spot, CellSet)> {
        let occupied = self.occupied();
        let mut nets = HopNets::new(occupied);
        self.pieces(seat)
            .iter()
            .map(move |from| (from, (from.neighbours() & !occupied) | nets.hopped_to(from)))
    }

    /// Where one or more hops lead from a point that a piece from `start` has come to.
    pub(super) fn hops_in_flight(&self, start: Spot, from: Spot) -> CellSet {
        hopped_to(from, self.occupied().without(start))
    }

    /// Whether any of a seat's pieces can go anywhere. Where the point next to a piece is taken,
    /// the one beyond it need only be empty, and a piece that can hop on could have stopped there:
    /// so that no series of hops is looked at.
    pub(super) fn can_move(&self, seat: Seat) -> bool {
        let occupied = self.occupied();
        self.pieces(seat).iter().any(|from| {
            !(from.neighbours() & !occupied).is_empty()
                || from.hops().iter().any(|hop| !occupied.meets(hop.to))
        })
    }

    /// Whether one chain of a seat's pieces touches both edges.
    pub(super) fn connects(&self, seat: Seat, one: CellSet, other: CellSet) -> bool {
        let pieces = self.pieces(seat);
        let mut fresh = pieces & one;
        if fresh.is_empty() || (pieces & other).is_empty() {
            return false;
        }
        let mut chained = fresh;
        while let Some(spot) = fresh.pop() {
            let joined = spot.neighbours() & pieces & !chained;
            chained = chained | joined;
            fresh = fresh | joined;
        }
        !(chained & other).is_empty()
    }

    /// The pieces of a shortest chain of a seat that touches both edges; none if there is no such
    /// chain.
    pub(super) fn shortest_chain(&self, seat: Seat, one: CellSet, other: CellSet) -> CellSet {
        let pieces = self.pieces(seat);
        let mut before = [None; POINTS];
        let mut reached = pieces & one;
        let mut layer = reached;
        while !layer.is_empty() {
            if let Some(end) = (layer & other).pop() {
                return std::iter::successors(Some(end), |spot| before[spot.index()])
                    .fold(CellSet::EMPTY, CellSet::with);
            }
            let mut next = CellSet::EMPTY;
            for spot in layer.iter() {
                let fresh = spot.neighbours() & pieces & !reached;
                fresh.iter().for_each(|joined| before[joined.index()] = Some(spot));
                reached = reached | fresh;
                next = next | fresh;
            }
            layer = next;
        }
        CellSet::EMPTY
    }

    /// Covers whose pieces stand where; kept up to date move by move.
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }

    /// The same value computed anew.
    pub(super) fn hash_from_scratch(&self) -> u64 {
        self.standing().fold(0, |hash, (spot, seat)| hash ^ piece_key(spot, seat))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces = self.standing().map(|(spot, seat)| (spot.name(), seat));
        f.debug_map().entries(pieces).finish()
    }
}

/// Where one or more hops lead from a point. A hop goes two points far, so that the piece never
/// comes to be next to the point that it left: nothing is lost by leaving it there, where it cannot
/// be hopped over.
fn hopped_to(from: Spot, occupied: CellSet) -> CellSet {
    let mut reached = CellSet::only(from);
    let mut fresh = reached;
    while let Some(spot) = fresh.pop() {
        for hop in spot.hops() {
            if occupied.meets(hop.over) && !(occupied | reached).meets(hop.to) {
                reached = reached | hop.to;
                fresh = fresh | hop.to;
            }
        }
    }
    reached.without(from)
}

/// Empty points that hops join, each net found once for all pieces. A hop leads back as well as
/// forth, so that a piece that comes to one point of a net can go on to all of them. Like
/// [`hopped_to`], a net leaves all pieces where they are.
struct HopNets {
    occupied: CellSet,
    found: ArrayVec<CellSet, POINTS>,
}

impl HopNets {
    const fn new(occupied: CellSet) -> Self {
        Self { occupied, found: ArrayVec::new_const() }
    }

    /// Where one or more hops lead from the point of a piece.
    fn hopped_to(&mut self, from: Spot) -> CellSet {
        let mut reached = CellSet::EMPTY;
        for hop in from.hops() {
            if self.occupied.meets(hop.over) && !(self.occupied | reached).meets(hop.to) {
                reached = reached | self.net(hop.to);
            }
        }
        reached
    }

    /// The net of an empty point.
    fn net(&mut self, mut point: CellSet) -> CellSet {
        if let Some(&net) = self.found.iter().find(|net| net.meets(point)) {
            return net;
        }
        let net = point.pop().map_or(point, |spot| hopped_to(spot, self.occupied).with(spot));
        // Nets have no point in common.
        self.found.push(net);
        net
    }
}

fn piece_key(spot: Spot, seat: Seat) -> u64 {
    mix((spot.index() << 8 | seat.index()) as u64)
}
