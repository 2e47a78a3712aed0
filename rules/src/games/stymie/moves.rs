//! Lists and counts legal moves.

use super::{
    game::{LastMove, Stymie},
    lattice::{CellSet, Spot},
    notation::Move,
};
use crate::{
    game::{Game, MoveCount, Target},
    games::sampling::{Pick, spread},
};

impl Stymie {
    /// The empty cells of the other shape that touch a cell, in order.
    pub(super) fn free_touching(&self, spot: Spot) -> impl Iterator<Item = Spot> {
        spot.touching().filter(|&next| self.board.free().contains(next))
    }

    fn singles(&self) -> impl Iterator<Item = Move> {
        self.board.free().iter().map(|spot| Move::put([spot]))
    }

    fn doubles(&self) -> impl Iterator<Item = Move> {
        let free =
            if self.last_move == LastMove::None { &CellSet::EMPTY } else { self.board.free() };
        free.iter().filter(|spot| spot.is_octagon()).flat_map(|octagon| {
            self.free_touching(octagon).map(move |square| Move::put([octagon, square]))
        })
    }

    /// One cell in the middle and two of the other shape that touch it.
    fn triples(&self) -> impl Iterator<Item = Move> {
        let free = if self.may_triple() { self.board.free() } else { &CellSet::EMPTY };
        free.iter().flat_map(move |middle| {
            self.free_touching(middle).flat_map(move |first| {
                let later = self.free_touching(middle).filter(move |&second| second > first);
                later.map(move |second| Move::put([middle, first, second]))
            })
        })
    }

    pub(super) fn swaps(&self) -> impl Iterator<Item = Move> {
        self.may_swap().then_some(Move::SWAP).into_iter()
    }

    /// Every legal move, those with the fewest pieces first.
    pub(super) fn by_pieces(&self) -> impl Iterator<Item = Move> {
        let several = self.doubles().chain(self.triples());
        self.singles().chain(several).chain(self.swaps())
    }

    /// Returns `max` of more legal moves: those with one piece and the swap first, then an even
    /// sample of the others.
    pub(super) fn pick_representatives(&self, max: usize) -> Vec<Move> {
        let several: Vec<_> = self.doubles().chain(self.triples()).collect();
        let mut found: Vec<_> = self.singles().chain(self.swaps()).take(max).collect();
        let room = (max - found.len()).min(several.len());
        let places = spread(several.len() as u128, room, self.hash());
        found.extend(places.filter_map(|place| several.get(usize::try_from(place).ok()?).cloned()));
        found
    }

    /// The number of legal moves.
    pub(super) fn count(&self) -> MoveCount {
        let free = self.board.free();
        let mut count = u128::from(free.len()) + u128::from(self.may_swap());
        for spot in free.iter() {
            let touching = self.free_touching(spot).count() as u128;
            if spot.is_octagon() && self.last_move != LastMove::None {
                count += touching;
            }
            if self.may_triple() {
                count += touching * touching.saturating_sub(1) / 2;
            }
        }
        MoveCount::Exactly(count)
    }

    /// Some legal moves: all, where they are few, else as many as can be of each kind, one kind
    /// after the other. Listing them is cheap.
    pub(super) fn sample(&self, max: usize, pick: Pick<'_>) -> Vec<Move> {
        let mut kinds: Vec<Vec<_>> = vec![
            self.singles().collect(),
            self.doubles().collect(),
            self.triples().collect(),
            self.swaps().collect(),
        ];
        if kinds.iter().map(Vec::len).sum::<usize>() <= max {
            return kinds.concat();
        }
        kinds.retain(|moves| !moves.is_empty());
        let mut found = Vec::with_capacity(max);
        let mut kind = pick(kinds.len());
        while found.len() < max {
            let moves = &mut kinds[kind];
            found.push(moves.swap_remove(pick(moves.len())));
            if moves.is_empty() {
                kinds.remove(kind);
            } else {
                kind += 1;
            }
            // There are more moves than are wanted, so that some kind is left.
            kind %= kinds.len();
        }
        found
    }

    /// The cells that may get a piece together with this one, as hints for the player.
    pub(super) fn targets_of(&self, from: Spot) -> Vec<Target> {
        if !self.board.free().contains(from) || self.last_move == LastMove::None {
            return Vec::new();
        }
        let mut found: CellSet = self.free_touching(from).collect();
        if self.may_triple() {
            let touching = found;
            for middle in touching.iter() {
                for spot in self.free_touching(middle).filter(|&spot| spot != from) {
                    found.insert(spot);
                }
            }
        }
        found.iter().map(|spot| Target { cell: spot.into(), capture: false }).collect()
    }
}
