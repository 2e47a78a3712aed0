//! Moves and how they are written. Whether a move is legal is not decided here.

use std::fmt;

use arrayvec::ArrayVec;

use super::{
    board::{Lattice, Spot},
    violation::{RuleViolation, SHAPE},
};
use crate::{
    cell::{Cell, CellName},
    game::Mark,
    notation::Notation,
    refusal::IllegalMove,
};

/// Pieces put down by one move, at the most.
pub(super) const PIECES_MAX: usize = 3;

/// Bytes of a written move, at the most: well above the longest that can be legal.
const NOTATION_BYTES_MAX: usize = 64;

const SWAP: &str = "swap";

/// The cells of one move.
pub(super) type Cells = ArrayVec<Spot, PIECES_MAX>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum MoveKind {
    /// Puts pieces on these cells, one at least.
    Place(Cells),
    /// Lets the players change seats.
    Swap,
}

/// A move, legal or not, in canonical form: cells ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move(MoveKind);

impl Move {
    /// The move that changes the players' seats.
    pub(super) const SWAP: Self = Self(MoveKind::Swap);

    /// Pieces on these cells, all different, in any order.
    pub(super) fn put(cells: impl IntoIterator<Item = Spot>) -> Self {
        let mut cells = Cells::from_iter(cells);
        cells.sort_unstable();
        Self(MoveKind::Place(cells))
    }

    pub(super) const fn kind(&self) -> &MoveKind {
        &self.0
    }

    /// The cells that it puts pieces on.
    pub(super) fn affected_cells(&self) -> Vec<(Cell, Mark)> {
        match &self.0 {
            MoveKind::Place(cells) => cells.iter().map(|&spot| (spot.into(), Mark::To)).collect(),
            MoveKind::Swap => Vec::new(),
        }
    }

    /// Reads a move.
    pub(super) fn parse(text: &str, lattice: Lattice) -> Result<Self, IllegalMove> {
        let text = text.trim();
        if text.len() > NOTATION_BYTES_MAX {
            return Err(IllegalMove::TOO_LONG);
        }
        if text.eq_ignore_ascii_case(SWAP) {
            return Ok(Self::SWAP);
        }
        let mut cells = Cells::new();
        for name in text.split(',') {
            let spot = read_cell(name, lattice)?;
            if cells.contains(&spot) {
                return Err(RuleViolation::CellTwice { cell: spot.into() }.into());
            }
            cells.try_push(spot).map_err(|_| RuleViolation::TooManyCells { max: PIECES_MAX })?;
        }
        Ok(Self::put(cells))
    }
}

impl Notation for Move {
    fn write_to(&self, text: &mut impl fmt::Write) -> fmt::Result {
        match &self.0 {
            MoveKind::Place(cells) => {
                for (index, spot) in cells.iter().enumerate() {
                    if index > 0 {
                        text.write_char(',')?;
                    }
                    spot.write_to(text)?;
                }
                Ok(())
            }
            MoveKind::Swap => text.write_str(SWAP),
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f)
    }
}

fn read_cell(name: &str, lattice: Lattice) -> Result<Spot, IllegalMove> {
    let number = name.strip_prefix(|letter: char| letter.is_ascii_alphabetic());
    if !number.is_some_and(|n| !n.is_empty() && n.bytes().all(|digit| digit.is_ascii_digit())) {
        return Err(IllegalMove::Unreadable { why: SHAPE });
    }
    lattice.find(name).ok_or_else(|| IllegalMove::NoSuchCell { name: CellName::as_written(name) })
}
