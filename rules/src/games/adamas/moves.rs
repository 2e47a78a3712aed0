//! Lists and counts legal moves.

use arrayvec::ArrayVec;

use super::{
    game::Adamas,
    hexagon::{DIRECTIONS, Spot},
    notation::{PARTS_MAX, Part, Parts},
};
use crate::{
    cell::Cell,
    game::{Followers, MoveCount, Target},
    games::sampling::portion,
};

/// Cells that one stack may go to.
pub(super) type Destinations = ArrayVec<Spot, PARTS_MAX>;

impl Adamas {
    /// Whether a stack of the seat to move can go anywhere. Its neighbouring cells tell: what it
    /// may do further away, it may do next to itself, unless a stack there stops it.
    pub(super) fn can_act(&self, from: Spot) -> bool {
        let hexagon = self.board.hexagon();
        DIRECTIONS
            .iter()
            .map(|&direction| from.step(direction))
            .any(|to| hexagon.contains(to) && self.may_land(to))
    }

    /// Where single pieces of a stack may go, in the order of the cells.
    pub(super) fn destinations(&self, from: Spot) -> Destinations {
        let mut found = Destinations::new();
        for direction in DIRECTIONS {
            let mut to = from.step(direction);
            while self.board.hexagon().contains(to) {
                if self.may_land(to) {
                    found.push(to);
                }
                if !self.board[to].is_empty() {
                    break;
                }
                to = to.step(direction);
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether a cell holds pieces of another seat than the one to move.
    pub(super) fn is_enemy(&self, spot: Spot) -> bool {
        self.board[spot].owner().is_some_and(|owner| owner != self.to_move)
    }

    /// The own stacks that see a cell, with all their pieces, in the order of the cells.
    pub(super) fn own_seen(&self, to: Spot) -> Parts {
        let mut seen: Parts = DIRECTIONS
            .iter()
            .filter_map(|&direction| self.board.first_seen(to, direction))
            .filter(|(_, stack)| stack.owner() == Some(self.to_move))
            .map(|(spot, stack)| Part { spot, pieces: stack.height() })
            .collect();
        seen.sort_unstable_by_key(|part| part.spot);
        seen
    }

    /// The number of legal moves, by arithmetic.
    pub(super) fn count(&self) -> MoveCount {
        if self.prog_cap {
            return MoveCount::NotCounted(
                "with -prog_cap the order of a split's parts decides what is legal, so different \
                 moves cannot be counted",
            );
        }
        let splits: u128 = self
            .board
            .stacks_of(self.to_move)
            .map(|(from, height)| splits(height, self.destinations(from).len()))
            .sum();
        let merges: u128 = self
            .board
            .hexagon()
            .spots()
            .filter(|&to| self.may_land(to))
            .map(|to| merges(&self.own_seen(to)))
            .sum();
        MoveCount::Exactly(splits + merges)
    }

    /// Where pieces of a stack may go, as hints for its player.
    pub(super) fn targets_of(&self, from: Spot) -> Vec<Target> {
        if self.board[from].owner() != Some(self.to_move) {
            return Vec::new();
        }
        self.destinations(from)
            .into_iter()
            .map(|to| Target { cell: to.into(), capture: self.is_enemy(to) })
            .collect()
    }

    /// The cells that pieces of a stack may go to, and the stacks that may merge with it on one.
    pub(super) fn followers_of(&self, from: Spot) -> Followers {
        let mut merging: Vec<Spot> = self
            .destinations(from)
            .into_iter()
            .flat_map(|to| self.own_seen(to))
            .map(|part| part.spot)
            .filter(|&other| other != from)
            .collect();
        merging.sort_unstable();
        merging.dedup();
        Followers { to: self.targets_of(from), from: merging.into_iter().map(Cell::from).collect() }
    }
}

/// Number of ways to send 1 to `height` pieces to the destinations. With 99 pieces and 42
/// destinations it stays below 2^124.
fn splits(height: u8, destinations: usize) -> u128 {
    ways(destinations, height) - 1
}

/// Number of ways to merge pieces of at least two of these stacks.
fn merges(seen: &[Part]) -> u128 {
    let any: u128 = seen.iter().map(|part| u128::from(part.pieces) + 1).product();
    let of_one: u128 = seen.iter().map(|part| u128::from(part.pieces)).sum();
    any - of_one - 1
}

/// Number of ways to distribute up to `left` pieces over the cells: a binomial, factor by factor.
/// Each partial product is a binomial itself.
pub(super) fn ways(cells: usize, left: u8) -> u128 {
    (1..=cells as u128).fold(1, |ways, factor| portion(ways, u128::from(left) + factor, factor))
}
