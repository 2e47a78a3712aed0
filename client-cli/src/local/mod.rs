//! Commands that need no server: replay, verify, count, puzzles, the engine and matches.

mod count;
mod download;
mod engine;
mod matches;
mod perft;
mod puzzles;
mod replay;
mod source;
mod verify;

pub(crate) use count::count;
pub(crate) use download::{
    DOWNLOAD_LINE_BYTES_MAX, check as check_signature, may_begin_line, push as push_line,
    signature_path,
};
pub(crate) use engine::engine;
pub(crate) use matches::play_match;
pub(crate) use puzzles::puzzles;
pub(crate) use replay::replay;
pub(crate) use verify::verify;
