//! Positions set up directly, for tests and tools.

use super::{
    board::PLAYERS,
    game::{LETTERS, LastMove, Stymie},
};
use crate::{
    game::Game,
    options::{OptionError, Options},
    seat::Seat,
};

/// Why a position cannot be set up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PositionError {
    /// The options cannot be played with.
    #[error(transparent)]
    Options(#[from] OptionError),
    /// A cell that the board does not have.
    #[error("there is no cell {name:?} on this board")]
    NoSuchCell {
        /// As given.
        name: Box<str>,
    },
    /// The same cell twice.
    #[error("{name} is given twice")]
    CellTwice {
        /// As given the second time.
        name: Box<str>,
    },
    /// Not the letter of a seat.
    #[error("{letter:?} is not the letter of a seat")]
    NoSuchLetter {
        /// As given.
        letter: char,
    },
    /// A seat to move that this game does not have.
    #[error("Stymie has two seats")]
    NoSuchSeat,
}

impl Stymie {
    /// A position with these pieces, each a cell's name and a seat's letter, in which `last_move`
    /// decides what the seat to move may answer.
    pub fn from_setup(
        options: &Options,
        pieces: &[(&str, char)],
        to_move: Seat,
        last_move: LastMove,
    ) -> Result<Self, PositionError> {
        let mut position = Self::start(&Self::complete(options, PLAYERS)?, PLAYERS);
        if !position.seats_in.contains(to_move) {
            return Err(PositionError::NoSuchSeat);
        }
        let board = &mut position.board;
        for &(name, letter) in pieces {
            let spot = board
                .lattice()
                .find(name)
                .ok_or_else(|| PositionError::NoSuchCell { name: name.into() })?;
            if !board.free().contains(spot) {
                return Err(PositionError::CellTwice { name: name.into() });
            }
            let seat = Seat::all(PLAYERS)
                .find(|seat| LETTERS[seat.index()].eq_ignore_ascii_case(&letter))
                .ok_or(PositionError::NoSuchLetter { letter })?;
            board.put(spot, seat);
        }
        position.to_move = to_move;
        position.last_move = last_move;
        Ok(position)
    }
}
