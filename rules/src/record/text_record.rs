//! What a text record consists of, and why one cannot be read.

use crate::{event::Setup, options::OptionError, seat::Seat, table::SetupError};

/// Bytes of a record, at the most. A move takes some ten bytes, so this is a very long game.
pub const RECORD_BYTES_MAX: usize = 1 << 20;

/// Lines of a record with something on them, at the most.
pub const RECORD_LINES_MAX: usize = 20_000;

/// Letters of a name, at the most: more than accounts may have, for records from elsewhere.
pub const NAME_LETTERS_MAX: usize = 32;

/// A game as written down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextRecord {
    /// What the challenge line says. There are no clocks, and the game is not rated.
    pub setup: Setup,
    /// What the other lines say, without blank ones and comments.
    pub lines: Vec<RecordLine>,
}

/// A line of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordLine {
    /// Its number, from 1.
    pub line: u32,
    /// Where on it the move begins, in characters from 1.
    pub column: u32,
    /// What it says.
    pub kind: LineKind,
}

/// What a line of a record says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LineKind {
    /// A move of the seat whose turn it is; only the referee knows whether it is one.
    Move(Box<str>),
    /// The seat whose turn it is gives up.
    Resign,
    /// A seat gives up, whosever turn it is.
    SeatResign(Seat),
    /// A seat was skipped.
    Pass,
    /// The players change seats.
    Swap,
    /// All who were left agreed to a draw.
    Draw,
}

/// Why a record cannot be read, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct TextRecordError {
    /// The line, from 1.
    pub line: u32,
    /// The place on it, in characters from 1.
    pub column: u32,
    /// What is wrong there.
    pub what: TextRecordErrorKind,
}

/// Why a record cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TextRecordErrorKind {
    /// More bytes than a record may have.
    #[error("a record has at most {RECORD_BYTES_MAX} bytes")]
    TooLong,
    /// More lines than a record may have.
    #[error("a record has at most {RECORD_LINES_MAX} lines")]
    TooManyLines,
    /// No line but blank ones and comments.
    #[error("the record is empty; it begins with GAME challenge [OPTIONS] NAME NAME [NAME]")]
    Empty,
    /// The first line is not a challenge.
    #[error("a record begins with GAME challenge [OPTIONS] NAME NAME [NAME]")]
    NotAChallenge,
    /// A game that is not played here.
    #[error("there is no game of the name {name}")]
    UnknownGame {
        /// As written, cut to a reasonable length.
        name: Box<str>,
    },
    /// A name that no player can have.
    #[error(
        "{name} is not a player's name: at most {NAME_LETTERS_MAX} of A-Z, a-z, 0-9, _ and -, \
         the first of them a letter or digit"
    )]
    BadName {
        /// As written, cut to a reasonable length.
        name: Box<str>,
    },
    /// An option or the number of players.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// All in all, no game can begin like this.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A ply number before nothing.
    #[error("a move is missing after the ply number")]
    MoveMissing,
    /// A ply number that is not the line's.
    #[error("the ply number here is {ply}, not {given}")]
    WrongPly {
        /// As written.
        given: u32,
        /// As counted.
        ply: u32,
    },
    /// A seat's letter that is not one.
    #[error("{word} is not the letter of a seat in this game")]
    NoSuchSeat {
        /// As written, cut to a reasonable length.
        word: Box<str>,
    },
    /// More on a line than one move.
    #[error("a line has one move, which is written without spaces")]
    TooManyWords,
}
