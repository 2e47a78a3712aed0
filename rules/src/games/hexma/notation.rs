//! Moves and how they are written. Whether a move is legal is not decided here.

use std::fmt;

use arrayvec::ArrayVec;

use super::{
    board::Spot,
    violation::{POINT_SHAPE, SHAPE},
};
use crate::{
    cell::{Cell, CellName},
    game::Mark,
    notation::Notation,
    refusal::IllegalMove,
};

/// Bytes of a written move, at the most: room for a landing on every point of the board.
const NOTATION_BYTES_MAX: usize = 512;

/// Points of a written move, at the most: none takes less than three bytes with its dash.
const POINTS_MAX: usize = NOTATION_BYTES_MAX.div_ceil(3);

/// A move, legal or not. How a piece gets there is no part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    pub(super) from: Spot,
    pub(super) to: Spot,
}

impl Move {
    /// The point that it takes a piece from and the one that it puts it on.
    pub(super) fn affected_cells(self) -> [(Cell, Mark); 2] {
        [(self.from.into(), Mark::From), (self.to.into(), Mark::To)]
    }
}

impl Notation for Move {
    fn write_to(&self, text: &mut impl fmt::Write) -> fmt::Result {
        self.from.write_to(text)?;
        text.write_char('-')?;
        self.to.write_to(text)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f)
    }
}

/// A move as written, with the landing points that are named: two points at the least.
#[derive(Clone, Debug)]
pub(super) struct ParsedMove(ArrayVec<Spot, POINTS_MAX>);

impl ParsedMove {
    /// Reads what is written.
    pub(super) fn parse(text: &str) -> Result<Self, IllegalMove> {
        let text = text.trim();
        if text.len() > NOTATION_BYTES_MAX {
            return Err(IllegalMove::TOO_LONG);
        }
        if !text.contains('-') {
            return Err(IllegalMove::Unreadable { why: SHAPE });
        }
        text.split('-').map(read_point).collect::<Result<_, _>>().map(Self)
    }

    /// The move, without the way that it takes.
    pub(super) fn ends(&self) -> Move {
        let [from, .., to] = *self.0 else { unreachable!("a dash stands between two points") };
        Move { from, to }
    }

    /// The legs of the way, each from one point to the next, if any landing point is named.
    pub(super) fn legs(&self) -> impl Iterator<Item = (Spot, Spot)> {
        let named = if self.0.len() > 2 { &self.0[..] } else { &[] };
        named.windows(2).map(|leg| (leg[0], leg[1]))
    }
}

fn read_point(name: &str) -> Result<Spot, IllegalMove> {
    let number = name.strip_prefix(|letter: char| letter.is_ascii_alphabetic());
    if !number.is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(IllegalMove::Unreadable { why: POINT_SHAPE });
    }
    Spot::find(name).ok_or_else(|| IllegalMove::NoSuchCell { name: CellName::as_written(name) })
}
