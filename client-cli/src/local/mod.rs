//! Commands that need no server: records are replayed and verified and moves counted here.

mod count;
mod perft;
mod replay;
mod source;
mod verify;

pub(crate) use count::count;
pub(crate) use replay::replay;
pub(crate) use verify::verify;

use crate::{exit::ExitStatus, local::source::SourceError, output};

/// Tells why a record cannot be read.
fn unreadable(error: &SourceError) -> ExitStatus {
    output::tell(format_args!("adamant: {error}"));
    ExitStatus::Usage
}
