//! Commands that need no server: records are replayed and verified and moves counted here.

mod count;
mod perft;
mod replay;
mod source;
mod verify;

pub(crate) use count::count;
pub(crate) use replay::replay;
pub(crate) use verify::verify;
