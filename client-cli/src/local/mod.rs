//! Commands that need no server: replay, verify and count.

mod count;
mod perft;
mod replay;
mod source;
mod verify;

pub(crate) use count::count;
pub(crate) use replay::replay;
pub(crate) use verify::verify;
