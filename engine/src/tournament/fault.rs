//! What an engine may do wrong in a game. It loses the game for it.

use std::fmt;

use crate::protocol::EngineError;
use serde::{Deserialize, Serialize};

use crate::tournament::limits::FAULT_TEXT_MAX;

/// A kind of fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Its process cannot be started, or has ended.
    Crashed,
    /// It made a move that the rules refuse.
    IllegalMove,
    /// It used more time than it had.
    TimedOut,
    /// It hangs: it did not answer where nothing else limits its time, or was never ready.
    NoAnswer,
    /// Its lines break the protocol.
    Protocol,
    /// It said that it cannot go on.
    Error,
}

impl FaultKind {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crashed => "crashed",
            Self::IllegalMove => "illegal_move",
            Self::TimedOut => "timed_out",
            Self::NoAnswer => "no_answer",
            Self::Protocol => "protocol",
            Self::Error => "error",
        }
    }

    /// Returns the kind of an error. `is_timed` says whether a clock or a time for the move ran.
    pub(crate) const fn of(error: &EngineError, is_timed: bool) -> Self {
        match error {
            EngineError::Command(_)
            | EngineError::Spawn(_)
            | EngineError::Ended(_)
            | EngineError::Closed => Self::Crashed,
            EngineError::LineTooLong | EngineError::NotReading | EngineError::TooManyQuestions => {
                Self::Protocol
            }
            EngineError::NoAnswer if is_timed => Self::TimedOut,
            EngineError::NotReady(_) | EngineError::NoAnswer => Self::NoAnswer,
            EngineError::Refused(_) => Self::Error,
            EngineError::IllegalMove { .. } => Self::IllegalMove,
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A fault of an engine in a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// The engine.
    pub engine: String,
    /// How many plies had been played.
    pub ply: u32,
    /// What it did.
    pub kind: FaultKind,
    /// The same in words.
    pub text: String,
}

impl Fault {
    /// Describes a fault. The text becomes one short line.
    pub(crate) fn new(engine: &str, ply: u32, kind: FaultKind, text: &str) -> Self {
        let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
        let text = text.chars().map(plain).take(FAULT_TEXT_MAX).collect();
        Self { engine: engine.to_owned(), ply, kind, text }
    }
}
