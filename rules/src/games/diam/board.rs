//! Stacks on a ring, and the pieces that are not on it yet. Whose turn it is and what may be done
//! is not known here.

use std::ops::Index;

use super::{
    ring::{Ring, SECTORS_MAX, Sector},
    stack::{COLOURS, Colour, FIRST, SECOND, Stack},
    variant::Variant,
};
use crate::{
    hashing::mix,
    seat::{Seat, SeatSet},
};

/// Stacks by sector, pieces to come by colour.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Board {
    stacks: [Stack; SECTORS_MAX],
    reserve: [u8; COLOURS],
    hash: u64,
}

impl Board {
    /// A board without pieces, all of which are in reserve.
    pub(super) fn empty(variant: Variant) -> Self {
        let mut reserve = [0; COLOURS];
        for colour in [FIRST, SECOND].into_iter().flat_map(|seat| variant.colours_of(seat)) {
            reserve[colour.index()] = variant.pieces;
        }
        Self { stacks: [Stack::EMPTY; SECTORS_MAX], reserve, hash: 0 }
    }

    /// How many pieces of a colour are yet to be placed.
    pub(super) const fn reserve(&self, colour: Colour) -> u8 {
        self.reserve[colour.index()]
    }

    /// How many pieces a seat has on the ring.
    pub(super) fn placed(&self, variant: Variant, seat: Seat) -> u8 {
        variant.colours_of(seat).map(|colour| variant.pieces - self.reserve(colour)).sum()
    }

    /// Puts a piece that is in reserve on top of a stack.
    pub(super) fn place(&mut self, colour: Colour, sector: Sector) {
        self.reserve[colour.index()] -= 1;
        self.set(sector, self[sector].topped(colour.into()));
    }

    /// Takes a piece that a stack has, with all above it, and puts them on top of another.
    pub(super) fn carry(&mut self, from: Sector, level: u8, to: Sector) {
        let (below, part) = self[from].split(level);
        self.set(from, below);
        self.set(to, self[to].topped(part));
    }

    fn set(&mut self, sector: Sector, stack: Stack) {
        let before = std::mem::replace(&mut self.stacks[sector.index()], stack);
        self.hash ^= stack_key(sector, before) ^ stack_key(sector, stack);
    }

    /// Whose pieces of one colour are opposite each other, above the first level and as high as any
    /// that are. In a game it is one seat at the most: a move makes one stack higher, and that has
    /// one piece a level.
    pub(super) fn aligned(&self, ring: Ring) -> SeatSet {
        let (mut highest, mut seats) = (0, SeatSet::EMPTY);
        for (one, other) in ring.pairs() {
            let Some((level, colour)) = self[one].match_with(self[other]) else { continue };
            if level > highest {
                (highest, seats) = (level, SeatSet::EMPTY);
            }
            if level == highest {
                seats = seats.with(colour.owner());
            }
        }
        seats
    }

    /// The sectors of the pieces that decide the game, two by two: those opposite each other with
    /// the highest like pieces.
    pub(super) fn facing(&self, ring: Ring) -> impl Iterator<Item = [Sector; 2]> {
        let level = move |(one, other)| self[one].match_with(self[other]).map(|(level, _)| level);
        let highest = ring.pairs().filter_map(level).max();
        let deciding = move |&pair: &(Sector, Sector)| highest.is_some() && level(pair) == highest;
        ring.pairs().filter(deciding).map(|(one, other)| [one, other])
    }

    /// Covers which stacks stand where, and with them the reserves; kept up to date stack by stack.
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }

    /// The same value computed anew.
    pub(super) fn hash_from_scratch(&self, ring: Ring) -> u64 {
        ring.sectors().fold(0, |hash, sector| hash ^ stack_key(sector, self[sector]))
    }
}

impl Index<Sector> for Board {
    type Output = Stack;
    fn index(&self, sector: Sector) -> &Stack {
        &self.stacks[sector.index()]
    }
}

fn stack_key(sector: Sector, stack: Stack) -> u64 {
    if stack == Stack::EMPTY {
        return 0;
    }
    mix(u64::from(sector.number()) << 32 | u64::from(stack.number()))
}
