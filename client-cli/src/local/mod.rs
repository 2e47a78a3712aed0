//! Commands that need no server: replay, verify, count and puzzles.

mod count;
mod perft;
mod puzzles;
mod replay;
mod source;
mod verify;

pub(crate) use count::count;
pub(crate) use puzzles::puzzles;
pub(crate) use replay::replay;
pub(crate) use verify::verify;
