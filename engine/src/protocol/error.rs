//! What can be wrong with an engine.

use std::{io, process::ExitStatus, time::Duration};

/// Why an engine gives no move.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The command line is empty or its quotes are not closed.
    #[error("the engine's command cannot be read: {0}")]
    Command(&'static str),
    /// The program cannot be started.
    #[error("the engine cannot be started: {0}")]
    Spawn(io::Error),
    /// The process ended.
    #[error("the engine ended: {0}")]
    Ended(ExitStatus),
    /// The engine closed its output, or a pipe broke.
    #[error("the engine's pipe is closed")]
    Closed,
    /// A line is longer than allowed.
    #[error("the engine wrote a line of more than {} bytes", crate::protocol::limits::LINE_BYTES_MAX)]
    LineTooLong,
    /// The engine does not read what is sent to it.
    #[error("the engine does not read its input")]
    NotReading,
    /// It did not say `ready` in time.
    #[error("the engine did not say `ready` within {} seconds", .0.as_secs())]
    NotReady(Duration),
    /// It says that it cannot go on.
    #[error("the engine says: {0}")]
    Refused(String),
    /// It did not answer in time, not even after `stop`.
    #[error("the engine gave no move in time")]
    NoAnswer,
    /// It made a move that the rules refuse.
    #[error("the engine's move {notation} is illegal: {why}")]
    IllegalMove {
        /// The move as written.
        notation: String,
        /// The reason.
        why: String,
    },
    /// It asked more questions about one position than allowed.
    #[error("the engine asked more than {} questions", crate::protocol::limits::QUESTIONS_PER_THOUGHT_MAX)]
    TooManyQuestions,
}
