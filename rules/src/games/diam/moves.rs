//! Which moves there are: all of them, some of them, and from where to where. There are never as
//! many as a hundred, so counting them is listing them.

use super::{
    game::Diam,
    notation::{Move, MoveKind},
    ring::{Direction, Sector},
    stack::Colour,
};
use crate::{
    cell::Cell,
    game::Target,
    games::sampling::{Pick, some},
};

impl Diam {
    /// Every legal move: placements by colour and sector, then movements by sector, lowest piece
    /// and way.
    pub(super) fn placements_and_movements(&self) -> impl Iterator<Item = Move> {
        let mirror = self.mirror();
        let sectors = self.variant.ring.sectors();
        let open = sectors.clone().filter(move |&to| self.has_room(to, 1) && mirror != Some(to));
        let placements = self.colours_in_reserve().flat_map(move |colour| {
            open.clone().map(move |sector| MoveKind::Place { colour, sector })
        });
        let movements = sectors.flat_map(move |from| {
            self.own_levels(from).flat_map(move |level| {
                let ways = Direction::BOTH
                    .into_iter()
                    .filter(move |&direction| self.fits(from, level, direction));
                ways.map(move |direction| MoveKind::Carry { from, level, direction })
            })
        });
        placements.chain(movements).map(Move)
    }

    /// Some legal moves: all where they fit, else any of them with the same chance for each.
    pub(super) fn sample(&self, max: usize, pick: Pick<'_>) -> Vec<Move> {
        some(self.placements_and_movements().collect(), max, pick)
    }

    /// Where the seat to move may act from: neighbours that a part of this stack may go to, and the
    /// sector itself if a piece may be placed there.
    pub(super) fn targets_of(&self, from: Sector) -> Vec<Target> {
        let places = self.may_place_on(from);
        // Where any part of the stack may go, the smallest may.
        let smallest = self.own_levels(from).last();
        let goes = |&direction: &Direction| {
            smallest.is_some_and(|level| self.fits(from, level, direction))
        };
        let neighbours = Direction::BOTH.into_iter().filter(goes);
        let mut cells: Vec<Cell> = neighbours
            .map(|direction| self.variant.ring.step(from, direction))
            .chain(places.then_some(from))
            .map(Cell::from)
            .collect();
        cells.sort_unstable();
        cells.into_iter().map(|cell| Target { cell, capture: false }).collect()
    }

    /// Whether some piece may be placed on a sector.
    pub(super) fn may_place_on(&self, sector: Sector) -> bool {
        self.colours_in_reserve().next().is_some()
            && self.has_room(sector, 1)
            && self.mirror() != Some(sector)
    }

    /// The colours that the seat to move can still place.
    pub(super) fn colours_in_reserve(&self) -> impl Iterator<Item = Colour> {
        self.variant.colours_of(self.to_move).filter(|&colour| self.board.reserve(colour) > 0)
    }

    /// The pieces of a stack that the seat to move may lift, counted from 1 at the bottom.
    pub(super) fn own_levels(&self, from: Sector) -> impl DoubleEndedIterator<Item = u8> {
        let stack = self.board[from];
        let own = move |level| stack.piece(level).is_some_and(|c| c.owner() == self.to_move);
        (1..=stack.height()).filter(move |&level| own(level))
    }

    /// Whether there is room that way for a piece that the stack has and all above it.
    pub(super) fn fits(&self, from: Sector, level: u8, direction: Direction) -> bool {
        self.has_room(
            self.variant.ring.step(from, direction),
            self.board[from].height() + 1 - level,
        )
    }
}
