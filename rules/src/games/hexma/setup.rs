//! Positions set up directly, for tests and tools.

use super::{
    board::Board,
    game::{Hexma, LETTERS},
    star_board::Spot,
};
use crate::{
    game::Game,
    options::Options,
    seat::{Seat, SeatSet},
};

/// Why a position cannot be set up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PositionError {
    /// Too few or too many players.
    #[error("Hexma is not for {players} players")]
    Players {
        /// As asked.
        players: usize,
    },
    /// A point that the board does not have.
    #[error("there is no cell {name:?} on this board")]
    NoSuchCell {
        /// As given.
        name: Box<str>,
    },
    /// The same point twice.
    #[error("{name} is given twice")]
    CellTwice {
        /// As given the second time.
        name: Box<str>,
    },
    /// Not the letter of a seat at this table.
    #[error("{letter:?} is not the letter of a player")]
    NotALetter {
        /// As given.
        letter: char,
    },
    /// The seat to move is not at this table.
    #[error("the seat to move does not play")]
    NobodyToMove,
}

impl Hexma {
    /// A position with these pieces, each a point's name and a seat's letter, in any number. No
    /// seat has left the game.
    pub fn from_setup(
        players: usize,
        pieces: &[(&str, char)],
        to_move: Seat,
    ) -> Result<Self, PositionError> {
        if !Self::PLAYERS.contains(&players) {
            return Err(PositionError::Players { players });
        }
        if !SeatSet::all(players).contains(to_move) {
            return Err(PositionError::NobodyToMove);
        }
        let mut board = Board::EMPTY;
        for &(name, letter) in pieces {
            let spot =
                Spot::find(name).ok_or_else(|| PositionError::NoSuchCell { name: name.into() })?;
            if board.owner(spot).is_some() {
                return Err(PositionError::CellTwice { name: name.into() });
            }
            let seat = Seat::all(players)
                .find(|seat| LETTERS[seat.index()].eq_ignore_ascii_case(&letter))
                .ok_or(PositionError::NotALetter { letter })?;
            board.put(spot, seat);
        }
        Ok(Self { board, to_move, ..Self::start(&Options::new(), players) })
    }
}
