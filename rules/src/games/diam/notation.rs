//! Moves and how they are written. Whether a move is legal is not decided here.

use std::fmt;

use super::{
    board::{Colour, Direction, Ring, Sector},
    violation::{RuleViolation, SHAPE},
};
use crate::{
    cell::CellName,
    notation::{Notation, write_cell, write_number},
    refusal::IllegalMove,
};

/// Bytes of a written move, at the most: well above the longest that can be legal.
const NOTATION_BYTES_MAX: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MoveKind {
    /// Puts a piece from the reserve on top of a stack.
    Place { colour: Colour, sector: Sector },
    /// Moves a piece and all above it to a neighbouring sector.
    Carry {
        from: Sector,
        /// The lowest piece that moves, counted from 1 at the bottom.
        level: u8,
        /// Which neighbour they go to.
        direction: Direction,
    },
}

/// A move, legal or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move(pub(super) MoveKind);

impl Move {
    /// Reads a move on a ring that has its sectors.
    pub(super) fn parse(text: &str, ring: Ring) -> Result<Self, IllegalMove> {
        let text = text.trim();
        if text.len() > NOTATION_BYTES_MAX {
            return Err(IllegalMove::TOO_LONG);
        }
        let unreadable = IllegalMove::Unreadable { why: SHAPE };
        let kind = if let Some((part, direction)) = read_way(text) {
            let (sector, piece) = part.split_once(',').unwrap_or((part, "1"));
            if !is_number(sector) || !is_number(piece) {
                return Err(unreadable);
            }
            MoveKind::Carry { from: find(sector, ring)?, level: read_piece(piece)?, direction }
        } else {
            let letter = text.chars().next().filter(char::is_ascii_alphabetic);
            let (Some(letter), Some(sector)) = (letter, text.get(1..)) else {
                return Err(unreadable);
            };
            if !is_number(sector) {
                return Err(unreadable);
            }
            let colour = Colour::from_letter(letter)
                .ok_or(RuleViolation::NoSuchColour { letter: letter.to_ascii_uppercase() })?;
            MoveKind::Place { colour, sector: find(sector, ring)? }
        };
        Ok(Self(kind))
    }
}

impl Notation for Move {
    fn write_to(&self, text: &mut impl fmt::Write) -> fmt::Result {
        match self.0 {
            MoveKind::Place { colour, sector } => {
                write_cell(text, colour.letter(), sector.number())
            }
            MoveKind::Carry { from, level, direction } => {
                write_number(text, from.number())?;
                if level != 1 {
                    text.write_char(',')?;
                    write_number(text, level)?;
                }
                text.write_char(direction.sign())
            }
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f)
    }
}

/// The way at the end of a movement, and what stands before it.
fn read_way(text: &str) -> Option<(&str, Direction)> {
    Direction::BOTH
        .into_iter()
        .find_map(|direction| Some((text.strip_suffix(direction.sign())?, direction)))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn find(number: &str, ring: Ring) -> Result<Sector, IllegalMove> {
    ring.find(number).ok_or_else(|| IllegalMove::NoSuchCell { name: CellName::as_written(number) })
}

fn read_piece(number: &str) -> Result<u8, RuleViolation> {
    // A number too great to be read is too great for any stack.
    let piece = number.parse().unwrap_or(u8::MAX);
    if piece == 0 { Err(RuleViolation::PieceZero) } else { Ok(piece) }
}
