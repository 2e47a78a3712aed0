//! Commands that need no server: replay, verify, count, puzzles and the engine.

mod count;
mod engine;
mod perft;
mod puzzles;
mod replay;
mod source;
mod verify;

pub(crate) use count::count;
pub(crate) use engine::engine;
pub(crate) use puzzles::puzzles;
pub(crate) use replay::replay;
pub(crate) use verify::verify;
