//! `adamant puzzles`: plays puzzles, finds new ones in games, and proves those of a file.

mod check;
mod files;
mod mine;
mod play;

use clap::Subcommand;

use self::{check::CheckArgs, mine::MineArgs, play::PlayArgs};
use crate::{
    failure::CommandResult,
    output::Output,
    spelling::{MINE_HELP, PLAY_HELP},
};

#[derive(Debug, Subcommand)]
pub(crate) enum PuzzlesCommand {
    /// Solve the puzzles of the page in the terminal
    #[command(after_help = PLAY_HELP)]
    Play(PlayArgs),
    /// Find wins that few moves begin, in games of bots or in records
    #[command(after_help = MINE_HELP)]
    Mine(MineArgs),
    /// Prove puzzles by trying every move
    #[command(after_help = "Examples: adamant puzzles check --all\n          \
                            adamant puzzles check found.jsonl")]
    Check(CheckArgs),
}

/// Runs a command about puzzles.
pub(crate) fn puzzles(command: &PuzzlesCommand, output: Output) -> CommandResult {
    match command {
        PuzzlesCommand::Play(args) => play::play(args, output),
        PuzzlesCommand::Mine(args) => mine::mine(args, output),
        PuzzlesCommand::Check(args) => check::check(args, output),
    }
}
