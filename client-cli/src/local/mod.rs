//! Commands that need no server: replay, verify, count, puzzles, the engine and matches.

pub(crate) mod count;
pub(crate) mod engine;
pub(crate) mod matches;
pub(crate) mod puzzles;
pub(crate) mod replay;
pub(crate) mod source;
pub(crate) mod verify;

pub(crate) use count::count;
pub(crate) use engine::engine;
pub(crate) use matches::play_match;
pub(crate) use puzzles::puzzles;
pub(crate) use replay::replay;
pub(crate) use verify::{
    DOWNLOAD_LINE_BYTES_MAX, check_signature, may_begin_line, push_line, signature_path, verify,
};
