//! Sets of cells, one bit for each.

use std::{array, iter, ops::BitOr};

use super::lattice::Spot;

/// Words of a set: the last cell of the largest board has the number 297.
const WORDS: usize = 5;

/// Some cells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct CellSet([u64; WORDS]);

impl CellSet {
    /// No cell.
    pub(super) const EMPTY: Self = Self([0; WORDS]);

    /// Whether a cell is among them; a place outside the board never is.
    pub(super) fn contains(&self, spot: Spot) -> bool {
        self.0.get(spot.index() / 64).is_some_and(|word| word >> (spot.index() % 64) & 1 != 0)
    }

    /// Adds a cell.
    pub(super) const fn insert(&mut self, spot: Spot) {
        self.0[spot.index() / 64] |= 1 << (spot.index() % 64);
    }

    /// Leaves a cell out.
    pub(super) const fn remove(&mut self, spot: Spot) {
        self.0[spot.index() / 64] &= !(1 << (spot.index() % 64));
    }

    /// Leaves a place out; whether it was among them.
    pub(super) fn take(&mut self, spot: Spot) -> bool {
        let taken = self.contains(spot);
        if taken {
            self.remove(spot);
        }
        taken
    }

    /// Number of elements.
    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether the set is empty.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// Removes and returns the first element.
    pub(super) fn pop(&mut self) -> Option<Spot> {
        let (index, word) = (0_u16..).zip(&mut self.0).find(|(_, word)| **word != 0)?;
        let bit = word.trailing_zeros();
        *word &= *word - 1;
        Some(Spot::new(index * 64 + u16::try_from(bit).expect("a word has 64 bits")))
    }

    /// They, in order.
    pub(super) fn iter(mut self) -> impl Iterator<Item = Spot> {
        iter::from_fn(move || self.pop())
    }
}

impl BitOr for CellSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(array::from_fn(|word| self.0[word] | other.0[word]))
    }
}

impl FromIterator<Spot> for CellSet {
    fn from_iter<I: IntoIterator<Item = Spot>>(spots: I) -> Self {
        let mut all = Self::EMPTY;
        for spot in spots {
            all.insert(spot);
        }
        all
    }
}
