//! The text record of a game: what a person types, mails or keeps. A challenge line as pbmserv has
//! it, then one move a line. Here is what a record consists of; reading, replaying and writing it
//! have files of their own. The chained record of stored events is not this crate's.

mod plain;
mod replay;
mod text_record;
mod write;

pub use plain::plain;
pub use replay::{ReplayError, ReplayStep, TextReplay};
pub use text_record::{
    LineKind, NAME_LETTERS_MAX, RECORD_BYTES_MAX, RECORD_LINES_MAX, RecordLine, TextRecord,
    TextRecordError, TextRecordErrorKind,
};
pub use write::write;
