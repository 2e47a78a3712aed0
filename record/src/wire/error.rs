//! Why an event of the wire is none of the rules.

use adamant_protocol::{Word, ids::RulesName};

/// Why a record cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum WireError {
    /// The game is not one that is known, or its rules have changed since.
    #[error("rules {0} are not known here")]
    UnknownRules(RulesName),
    /// A seat that no table has, or a wrong number of them.
    #[error("the seats are not those of this table")]
    Seats,
    /// A move that cannot be read.
    #[error("the move cannot be read: {0}")]
    Move(String),
    /// The board is not the one that is gone back to.
    #[error("the position is not the one before the move that was taken back")]
    Position,
    /// The game's first record must say what is played.
    #[error("a record begins with what was agreed")]
    NotCreated,
    /// An event kind that this version does not know.
    #[error("events of kind {0:?} are not known here")]
    UnknownKind(Box<str>),
    /// A word in an event that this version does not know.
    #[error("the word {0:?} is not known here")]
    UnknownWord(Word),
}
