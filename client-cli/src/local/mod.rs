//! Commands that need no server: records are replayed and moves counted here.

mod count;
mod perft;
mod replay;
mod source;

use std::io;

pub(crate) use count::count;
pub(crate) use replay::replay;

use crate::{exit::ExitStatus, local::source::SourceError, output};

/// Tells why a record cannot be read.
fn unreadable(error: &SourceError) -> ExitStatus {
    output::tell(format_args!("adamant: {error}"));
    ExitStatus::Usage
}

/// Whoever reads our output may stop early, as `head` does: that is no failure of ours.
fn unless_closed(done: io::Result<ExitStatus>) -> anyhow::Result<ExitStatus> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitStatus::Success),
        done => Ok(done?),
    }
}
