//! Picks the command about puzzles.

use super::{check, mine};
use crate::{args::PuzzlesCommand, exit::ExitStatus, output::Output};

/// Runs a command about puzzles.
pub(crate) fn puzzles(command: &PuzzlesCommand, output: Output) -> anyhow::Result<ExitStatus> {
    match command {
        PuzzlesCommand::Mine(args) => mine::mine(args, output),
        PuzzlesCommand::Check { file } => check::check(file, output),
    }
}
