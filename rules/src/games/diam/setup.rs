//! Positions set up directly, for tests and tools.

use super::{
    board::Board,
    game::{Diam, PLAYERS},
    stack::Colour,
    variant::Variant,
};
use crate::{
    options::{OptionError, Options},
    seat::{Seat, SeatSet},
};

/// Why a position cannot be set up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PositionError {
    /// The options cannot be played with.
    #[error(transparent)]
    Options(#[from] OptionError),
    /// A sector that the board does not have.
    #[error("there is no sector {name:?} on this board")]
    NoSuchSector {
        /// As given.
        name: Box<str>,
    },
    /// The same sector twice.
    #[error("sector {name} is given twice")]
    SectorTwice {
        /// As given the second time.
        name: Box<str>,
    },
    /// Not a letter for each piece, of colours that this game has.
    #[error("{pieces:?} is not a stack: write the letter of each piece, the bottom one first")]
    NotAStack {
        /// As given.
        pieces: Box<str>,
    },
    /// A stack above the height of this board.
    #[error("{pieces:?} is too high: no stack is higher than {max}")]
    TooHigh {
        /// As given.
        pieces: Box<str>,
        /// The most.
        max: u8,
    },
    /// More pieces of one colour than this game has.
    #[error("there are only {max} pieces {letter}")]
    TooManyPieces {
        /// Their letter.
        letter: char,
        /// The most.
        max: u8,
    },
    /// The seat to move is not one of the two.
    #[error("Diam is for two players")]
    NoSuchSeat,
    /// Pieces of both players are opposed, equally high, which no game leads to.
    #[error("both players' pieces are opposite each other on the same level")]
    BothAligned,
}

impl Diam {
    /// A position with these stacks, each a sector's name and a letter per piece, bottom piece
    /// first. All other pieces are in reserve.
    pub fn from_setup(
        options: &Options,
        stacks: &[(&str, &str)],
        to_move: Seat,
    ) -> Result<Self, PositionError> {
        let variant = Variant::from_options(options)?;
        let mut board = Board::empty(variant);
        for &(name, pieces) in stacks {
            let sector = variant
                .ring
                .find(name)
                .ok_or_else(|| PositionError::NoSuchSector { name: name.into() })?;
            if board[sector].height() > 0 {
                return Err(PositionError::SectorTwice { name: name.into() });
            }
            for colour in read_stack(pieces, variant)? {
                if board.reserve(colour) == 0 {
                    let letter = colour.letter();
                    return Err(PositionError::TooManyPieces { letter, max: variant.pieces });
                }
                board.place(colour, sector);
            }
        }
        if to_move.index() >= PLAYERS {
            return Err(PositionError::NoSuchSeat);
        }
        if board.aligned(variant.ring).len() > 1 {
            return Err(PositionError::BothAligned);
        }
        Ok(Self { variant, board, to_move, seats_in: SeatSet::all(PLAYERS) })
    }
}

fn read_stack(pieces: &str, variant: Variant) -> Result<Vec<Colour>, PositionError> {
    if pieces.len() > usize::from(variant.height_max) && pieces.is_ascii() {
        return Err(PositionError::TooHigh { pieces: pieces.into(), max: variant.height_max });
    }
    let colour = |letter| Colour::from_letter(letter).filter(|&colour| variant.has(colour));
    pieces
        .chars()
        .map(colour)
        .collect::<Option<Vec<_>>>()
        .filter(|colours| !colours.is_empty())
        .ok_or_else(|| PositionError::NotAStack { pieces: pieces.into() })
}
