//! The lines of the protocol, as values. Each is a command and its words, separated by blanks.
//!
//! A line that a side does not know is no error of the other: versions may add lines and words.

mod clock;
mod from_engine;
mod step;
mod to_engine;
mod words;

pub use clock::ClockLine;
pub use from_engine::{BestMove, EngineOption, FromEngine, Info, PlayedGame};
pub use step::Step;
pub use to_engine::{Board, Limits, NewGame, ToEngine};
pub use words::LineError;
