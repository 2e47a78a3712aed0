//! Stacks on a hexagon, and what each of them sees. Whose turn it is and what may be done is not
//! known here.

use std::{fmt, ops::Index};

use super::hexagon::{DIRECTIONS, Direction, Hexagon, SPOTS, Spot};
use crate::{
    hashing::mix,
    seat::{SEATS_MAX, Seat},
};

/// Pieces of one colour, at the most; no stack is higher.
pub(super) const PIECES_MAX: u8 = 99;

/// What a cell holds: pieces of one colour, or nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stack {
    height: u8,
    owner: Seat,
}

impl Stack {
    const EMPTY: Self = Self { height: 0, owner: Seat::FIRST };
    /// Stands on every spot that is not a cell, so that walks need no other test to stop.
    const OUTSIDE: Self = Self { height: u8::MAX, owner: Seat::FIRST };

    /// How many pieces it has.
    pub(super) const fn height(self) -> u8 {
        self.height
    }

    /// Whose it is; nobody's if it is empty.
    pub(super) fn owner(self) -> Option<Seat> {
        (self.height != 0).then_some(self.owner)
    }

    /// Whether there is no piece at all.
    pub(super) const fn is_empty(self) -> bool {
        self.height == 0
    }
}

/// Stacks on a hexagon.
#[derive(Clone, PartialEq)]
pub(super) struct Board {
    hexagon: Hexagon,
    stacks: [Stack; SPOTS],
    pieces: [u8; SEATS_MAX],
    hash: u64,
}

impl Board {
    /// A board without pieces.
    pub(super) fn empty(hexagon: Hexagon) -> Self {
        let mut stacks = [Stack::OUTSIDE; SPOTS];
        for spot in hexagon.spots() {
            stacks[spot.index()] = Stack::EMPTY;
        }
        Self { hexagon, stacks, pieces: [0; SEATS_MAX], hash: 0 }
    }

    /// Its shape.
    pub(super) const fn hexagon(&self) -> Hexagon {
        self.hexagon
    }

    /// How many pieces a seat has on it.
    pub(super) const fn pieces(&self, seat: Seat) -> u8 {
        self.pieces[seat.index()]
    }

    /// How many pieces all seats have on it.
    pub(super) fn pieces_of_all(&self) -> u16 {
        self.pieces.iter().copied().map(u16::from).sum()
    }

    /// Every stack with its cell, in the order of the cells.
    pub(super) fn stacks(&self) -> impl Iterator<Item = (Spot, Seat, u8)> {
        self.hexagon.spots().filter_map(|spot| {
            let stack = self[spot];
            stack.owner().map(|seat| (spot, seat, stack.height))
        })
    }

    /// The stacks of one seat with their heights, in the order of the cells.
    pub(super) fn stacks_of(&self, seat: Seat) -> impl Iterator<Item = (Spot, u8)> {
        self.stacks().filter(move |&(_, owner, _)| owner == seat).map(|(spot, _, h)| (spot, h))
    }

    /// Takes pieces off a stack that has at least as many.
    pub(super) fn take(&mut self, spot: Spot, pieces: u8) {
        let Stack { height, owner } = self[spot];
        self.set(spot, Stack { height: height - pieces, owner });
    }

    /// Adds pieces to a stack of the same seat, or puts them in the place of what was there.
    pub(super) fn land(&mut self, spot: Spot, seat: Seat, pieces: u8) {
        let before = self[spot];
        let joined = if before.owner() == Some(seat) { before.height } else { 0 };
        self.set(spot, Stack { height: joined + pieces, owner: seat });
    }

    /// Takes all pieces of a seat off.
    pub(super) fn clear_seat(&mut self, seat: Seat) {
        for spot in self.hexagon.spots() {
            if self[spot].owner() == Some(seat) {
                self.set(spot, Stack::EMPTY);
            }
        }
    }

    fn set(&mut self, spot: Spot, stack: Stack) {
        // An empty cell has no owner, or equal boards would differ.
        let stack = if stack.is_empty() { Stack::EMPTY } else { stack };
        let before = std::mem::replace(&mut self.stacks[spot.index()], stack);
        self.pieces[before.owner.index()] -= before.height;
        self.pieces[stack.owner.index()] += stack.height;
        self.hash ^= stack_key(spot, before) ^ stack_key(spot, stack);
    }

    /// The first stack that is seen from a cell that way.
    pub(super) fn first_seen(&self, from: Spot, direction: Direction) -> Option<(Spot, Stack)> {
        let mut spot = from.step(direction);
        while self[spot].is_empty() {
            spot = spot.step(direction);
        }
        let stack = self[spot];
        (stack != Stack::OUTSIDE).then_some((spot, stack))
    }

    /// The first stack between two cells, going that way from the one to the other.
    pub(super) fn between(&self, from: Spot, to: Spot, direction: Direction) -> Option<Spot> {
        let mut spot = from.step(direction);
        while spot != to {
            if !self[spot].is_empty() {
                return Some(spot);
            }
            spot = spot.step(direction);
        }
        None
    }

    /// How many pieces of other colours a seat's stack on this cell sees: the heights of the first
    /// stacks on its six lines.
    pub(super) fn enemies_seen(&self, from: Spot, seat: Seat) -> u8 {
        // Two opponents have at most 198 pieces.
        DIRECTIONS
            .iter()
            .filter_map(|&direction| self.first_seen(from, direction))
            .filter(|(_, stack)| stack.owner != seat)
            .map(|(_, stack)| stack.height)
            .sum()
    }

    /// Covers which stacks stand where; kept up to date piece by piece.
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }

    /// The same value computed anew.
    pub(super) fn hash_from_scratch(&self) -> u64 {
        self.hexagon.spots().fold(0, |hash, spot| hash ^ stack_key(spot, self[spot]))
    }
}

impl Index<Spot> for Board {
    type Output = Stack;
    fn index(&self, spot: Spot) -> &Stack {
        &self.stacks[spot.index()]
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stacks = self.stacks().map(|(spot, seat, height)| {
            (self.hexagon.name(spot), format_args!("{height} of {seat:?}").to_string())
        });
        f.debug_map().entries(stacks).finish()
    }
}

fn stack_key(spot: Spot, stack: Stack) -> u64 {
    if stack.is_empty() {
        return 0;
    }
    let number = (spot.index() << 16) | (stack.owner.index() << 8) | usize::from(stack.height);
    mix(number as u64)
}
