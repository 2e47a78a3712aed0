//! `adamant puzzles`: plays puzzles, finds new ones in games, and proves those of a file.

mod check;
mod mine;
mod play;

use std::path::Path;

use adamant_rules::Kind;
use clap::Subcommand;
use rust_embed::RustEmbed;

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

/// The puzzles of the page: a file of each game, with a puzzle in each line.
#[derive(RustEmbed)]
#[folder = "../web/src/learn/puzzles/"]
struct Files;

/// A file of puzzles.
struct PuzzleFile {
    name: String,
    text: String,
}

impl PuzzleFile {
    /// The puzzles of a game that come with the program.
    fn embedded(kind: Kind) -> Self {
        let name = format!("{}.jsonl", kind.name());
        let data = Files::get(&name).map(|file| file.data).unwrap_or_default();
        Self { name, text: String::from_utf8_lossy(&data).into_owned() }
    }

    fn new(path: &Path, text: String) -> Self {
        Self { name: path.display().to_string(), text }
    }

    /// Its lines with their numbers.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        lines.filter(|(_, line)| !line.trim().is_empty())
    }
}
