//! `adamant puzzles`: finds puzzles in games, and proves the puzzles of a file.

mod check;
mod entry;
mod mine;
mod proof;
mod puzzle;
#[cfg(test)]
mod tests;

use crate::{args::PuzzlesCommand, exit::ExitStatus, output::Output};

/// Runs a command about puzzles.
pub(crate) fn puzzles(command: &PuzzlesCommand, output: Output) -> anyhow::Result<ExitStatus> {
    match command {
        PuzzlesCommand::Mine(args) => mine::mine(args, output),
        PuzzlesCommand::Check { file } => check::check(file, output),
    }
}
