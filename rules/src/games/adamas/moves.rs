//! Which moves there are: whether any, how many, which ones, and from where to where. Judging one
//! needs none of this.

use arrayvec::ArrayVec;

use super::{
    Adamas,
    hexagon::{DIRECTIONS, Spot},
    notation::{Move, PARTS_MAX, Part, Parts, Path},
};
use crate::game::{MoveCount, Target};

/// Cells that one stack may go to.
pub(super) type Destinations = ArrayVec<Spot, PARTS_MAX>;

impl Adamas {
    /// Whether a stack of the seat to move can go anywhere. Its neighbouring cells tell: what it may
    /// do further away, it may do next to itself, unless a stack there stops it.
    pub(super) fn can_act(&self, from: Spot) -> bool {
        let hexagon = self.board.hexagon();
        DIRECTIONS
            .iter()
            .map(|&way| from.step(way))
            .any(|to| hexagon.contains(to) && self.may_land(to))
    }

    /// Where single pieces of a stack may go, in the order of the cells.
    pub(super) fn destinations(&self, from: Spot) -> Destinations {
        let mut found = Destinations::new();
        for way in DIRECTIONS {
            let mut to = from.step(way);
            while self.board.hexagon().contains(to) {
                if self.may_land(to) {
                    found.push(to);
                }
                if !self.board[to].is_empty() {
                    break;
                }
                to = to.step(way);
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
            .filter_map(|&way| self.board.first_seen(to, way))
            .filter(|(_, stack)| stack.owner() == Some(self.to_move))
            .map(|(spot, stack)| Part { spot, pieces: stack.height() })
            .collect();
        seen.sort_unstable_by_key(|part| part.spot);
        seen
    }

    /// The number of legal moves, by arithmetic.
    pub(super) fn count(&self) -> MoveCount {
        if self.prog_cap {
            return MoveCount::Untold(
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

    /// Legal moves, at most so many: the splits of each stack, then the merges on each cell. Where
    /// captures are progressive there may be more than are listed: listed splits capture with their
    /// first part or not at all, which is legal however the rest lands.
    pub(super) fn list(&self, max: usize) -> Vec<Move> {
        let splits = self
            .board
            .stacks_of(self.to_move)
            .flat_map(|(from, height)| self.splits_from(from, height));
        let merges = self.board.hexagon().spots().flat_map(|to| self.merges_on(to));
        splits.chain(merges).take(max).map(|path| Move::new(self.board.hexagon(), path)).collect()
    }

    fn splits_from(&self, from: Spot, height: u8) -> impl Iterator<Item = Path> {
        let all = self.destinations(from);
        let mut sets: ArrayVec<(Destinations, usize), { DIRECTIONS.len() + 1 }> = ArrayVec::new();
        if self.prog_cap {
            let (enemies, quiet): (Destinations, Destinations) =
                all.into_iter().partition(|&to| self.is_enemy(to));
            sets.extend(
                enemies.into_iter().map(|enemy| {
                    (std::iter::once(enemy).chain(quiet.iter().copied()).collect(), 1)
                }),
            );
            sets.insert(0, (quiet, 0));
        } else {
            sets.push((all, 0));
        }
        sets.into_iter().flat_map(move |(destinations, needed)| {
            Shares::new(destinations.iter().map(|_| height).collect(), height)
                .filter(move |shares| shares[..needed].iter().all(|&share| share > 0))
                .map(move |shares| Path::Split { from, to: parts(&destinations, &shares) })
        })
    }

    fn merges_on(&self, to: Spot) -> impl Iterator<Item = Path> {
        let seen = if self.may_land(to) { self.own_seen(to) } else { Parts::new() };
        let spots: Destinations = seen.iter().map(|part| part.spot).collect();
        let heights: ArrayVec<u8, PARTS_MAX> = seen.iter().map(|part| part.pieces).collect();
        // Together they are pieces of one colour.
        let total = heights.iter().sum();
        Shares::new(heights, total)
            .map(move |shares| parts(&spots, &shares))
            .filter(|from| from.len() >= 2)
            .map(move |from| Path::Merge { from, to })
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
}

/// The parts with a share of at least one piece.
fn parts(spots: &[Spot], shares: &[u8]) -> Parts {
    spots
        .iter()
        .zip(shares)
        .filter(|&(_, &pieces)| pieces > 0)
        .map(|(&spot, &pieces)| Part { spot, pieces })
        .collect()
}

/// In how many ways up to `height` pieces, but at least one, go to so many destinations.
fn splits(height: u8, destinations: usize) -> u128 {
    // A binomial, factor by factor; each product of the first so many is a binomial itself. With 99
    // pieces and 42 destinations it stays below 2^124.
    let ways = (1..=destinations as u128).fold(1_u128, |ways, factor| {
        let top = u128::from(height) + factor;
        ways / factor * top + ways % factor * top / factor
    });
    ways - 1
}

/// In how many ways pieces of at least two of these stacks come together.
fn merges(seen: &[Part]) -> u128 {
    let any: u128 = seen.iter().map(|part| u128::from(part.pieces) + 1).product();
    let of_one: u128 = seen.iter().map(|part| u128::from(part.pieces)).sum();
    any - of_one - 1
}

/// Every way to give out pieces, at least one and at most `left`, with a limit to each share.
struct Shares {
    limits: ArrayVec<u8, PARTS_MAX>,
    given: ArrayVec<u8, PARTS_MAX>,
    left: u8,
}

impl Shares {
    fn new(limits: ArrayVec<u8, PARTS_MAX>, left: u8) -> Self {
        let given = limits.iter().map(|_| 0).collect();
        Self { limits, given, left }
    }
}

impl Iterator for Shares {
    type Item = ArrayVec<u8, PARTS_MAX>;

    fn next(&mut self) -> Option<Self::Item> {
        // Like an odometer: the first wheel that can turn goes on by one, those before it go back
        // to zero and return their pieces.
        for (share, &limit) in self.given.iter_mut().zip(&self.limits) {
            if *share < limit && self.left > 0 {
                *share += 1;
                self.left -= 1;
                return Some(self.given.clone());
            }
            self.left += std::mem::take(share);
        }
        None
    }
}
