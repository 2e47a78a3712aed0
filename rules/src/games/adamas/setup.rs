//! Positions set up directly, for tests and tools.

use super::{
    board::{Board, PIECES_MAX},
    game::{Adamas, LETTERS},
};
use crate::{
    game::Game,
    options::{OptionError, Options},
    seat::{Seat, SeatSet},
};

/// Why a position cannot be set up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PositionError {
    /// Too few or too many players.
    #[error("Adamas is not for {players} players")]
    Players {
        /// As asked.
        players: usize,
    },
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
    /// Not one letter, the same for every piece, of a seat at this table.
    #[error("{pieces:?} is not a stack: write one seat's letter for each piece")]
    NotAStack {
        /// As given.
        pieces: Box<str>,
    },
    /// More pieces of one colour than there can be.
    #[error("no colour has more than {max} pieces")]
    TooManyPieces {
        /// The most.
        max: u8,
    },
    /// The seat to move is not in the game.
    #[error("the seat to move has no pieces")]
    NothingToMove,
}

impl Adamas {
    /// A position with these stacks, each a cell's name and a letter per piece. A seat without
    /// pieces has left the game, except at the opening.
    pub fn from_setup(
        options: &Options,
        players: usize,
        stacks: &[(&str, &str)],
        to_move: Seat,
        opening: bool,
    ) -> Result<Self, PositionError> {
        if !Self::PLAYERS.contains(&players) {
            return Err(PositionError::Players { players });
        }
        let options = Self::complete(options, players)?;
        let mut position = Self::start(&options, players);
        let mut board = Board::empty(position.board.hexagon());
        for &(name, pieces) in stacks {
            let spot = board
                .hexagon()
                .find(name)
                .ok_or_else(|| PositionError::NoSuchCell { name: name.into() })?;
            if !board[spot].is_empty() {
                return Err(PositionError::CellTwice { name: name.into() });
            }
            let (seat, height) = read_stack(pieces, players)?;
            if usize::from(board.pieces(seat)) + height > usize::from(PIECES_MAX) {
                return Err(PositionError::TooManyPieces { max: PIECES_MAX });
            }
            let height = u8::try_from(height).expect("compared with PIECES_MAX above");
            board.land(spot, seat, height);
        }
        let in_game = |&seat: &Seat| opening || board.pieces(seat) > 0;
        position.seats_in = Seat::all(players).filter(in_game).collect::<SeatSet>();
        if !position.seats_in.contains(to_move) {
            return Err(PositionError::NothingToMove);
        }
        position.board = board;
        position.to_move = to_move;
        position.opening = opening;
        Ok(position)
    }
}

fn read_stack(pieces: &str, players: usize) -> Result<(Seat, usize), PositionError> {
    Seat::all(players)
        .find(|seat| {
            let letter = LETTERS[seat.index()];
            !pieces.is_empty() && pieces.chars().all(|piece| piece.eq_ignore_ascii_case(&letter))
        })
        .map(|seat| (seat, pieces.len()))
        .ok_or_else(|| PositionError::NotAStack { pieces: pieces.into() })
}
