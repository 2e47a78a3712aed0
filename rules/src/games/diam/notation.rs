//! Moves and how they are written. Whether a move is legal is not decided here.

use std::fmt;

use super::{
    ring::{Ring, Sector, Way},
    stack::Colour,
    violation::Breach,
};
use crate::{cell::CellName, refusal::IllegalMove};

/// Bytes of a written move, at the most: well above the longest that can be legal.
const NOTATION_BYTES_MAX: usize = 32;

const SHAPE: &str = "write a letter and a sector to place a piece, as in A1, or a sector and + or - \
                     to move a stack, as in 4+, or its part from a piece upwards, as in 6,3-";

/// What a move does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Act {
    /// Puts a piece from the reserve on top of a stack.
    Place {
        /// The piece.
        colour: Colour,
        /// Where it goes.
        sector: Sector,
    },
    /// Moves a piece and all above it to a neighbouring sector.
    Carry {
        /// Where the pieces are.
        from: Sector,
        /// The lowest piece that moves, counted from 1 at the bottom.
        level: u8,
        /// Which neighbour they go to.
        way: Way,
    },
}

/// A move, legal or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move(pub(super) Act);

impl Move {
    /// Reads a move on a ring that has its sectors.
    pub(super) fn read(text: &str, ring: Ring) -> Result<Self, IllegalMove> {
        let text = text.trim();
        if text.len() > NOTATION_BYTES_MAX {
            return Err(IllegalMove::Unreadable { why: "it is too long" });
        }
        let unreadable = IllegalMove::Unreadable { why: SHAPE };
        let act = if let Some((part, way)) = read_way(text) {
            let (sector, piece) = part.split_once(',').unwrap_or((part, "1"));
            if !is_number(sector) || !is_number(piece) {
                return Err(unreadable);
            }
            Act::Carry { from: find(sector, ring)?, level: read_piece(piece)?, way }
        } else {
            let letter = text.chars().next().filter(char::is_ascii_alphabetic);
            let (Some(letter), Some(sector)) = (letter, text.get(1..)) else {
                return Err(unreadable);
            };
            if !is_number(sector) {
                return Err(unreadable);
            }
            let colour = Colour::from_letter(letter)
                .ok_or(Breach::NoSuchColour { letter: letter.to_ascii_uppercase() })?;
            Act::Place { colour, sector: find(sector, ring)? }
        };
        Ok(Self(act))
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Act::Place { colour, sector } => write!(f, "{}{}", colour.letter(), sector.number()),
            Act::Carry { from, level: 1, way } => write!(f, "{}{}", from.number(), way.sign()),
            Act::Carry { from, level, way } => {
                write!(f, "{},{level}{}", from.number(), way.sign())
            }
        }
    }
}

/// The way at the end of a movement, and what stands before it.
fn read_way(text: &str) -> Option<(&str, Way)> {
    Way::BOTH.into_iter().find_map(|way| Some((text.strip_suffix(way.sign())?, way)))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn find(number: &str, ring: Ring) -> Result<Sector, IllegalMove> {
    ring.find(number).ok_or_else(|| IllegalMove::NoSuchCell { name: CellName::as_written(number) })
}

fn read_piece(number: &str) -> Result<u8, Breach> {
    // A number too great to be read is too great for any stack.
    let piece = number.parse().unwrap_or(u8::MAX);
    if piece == 0 { Err(Breach::PieceZero) } else { Ok(piece) }
}
