//! Commands that need no server: records are replayed and moves counted here.

use crate::{
    args::{CountArgs, ReplayArgs},
    exit::ExitStatus,
    output::Output,
};

/// Plays a text record and prints the board after each ply.
pub(crate) fn replay(_args: &ReplayArgs, _output: Output) -> anyhow::Result<ExitStatus> {
    anyhow::bail!("replay is not there yet")
}

/// Prints the number of legal moves after a text record.
pub(crate) fn count(_args: &CountArgs, _output: Output) -> anyhow::Result<ExitStatus> {
    anyhow::bail!("count is not there yet")
}
