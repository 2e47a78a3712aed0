//! Arguments of the commands about puzzles.

use std::path::PathBuf;

use adamant_engine::choice::Level;
use clap::{Args, Subcommand};

/// Commands of `puzzles`.
#[derive(Debug, Subcommand)]
pub(crate) enum PuzzlesCommand {
    /// Find positions with exactly one right move in records, or in games of bots
    #[command(
        after_help = "With --play the bots play on from the end of each record, which may be a challenge line alone.\n\
                            With --json each puzzle is a line for a file of puzzles.\n\
                            Examples: adamant puzzles mine game.txt\n          \
                            echo 'diam challenge ann bob' | adamant puzzles mine - --play 20 --json"
    )]
    Mine(PuzzlesMineArgs),
    /// Prove every puzzle of a file by exhaustive search
    #[command(after_help = "Example: adamant puzzles check web/src/learn/puzzles.json")]
    Check {
        /// The file: a JSON array, or an object per line; - is standard input
        #[arg(default_value = "-")]
        file: PathBuf,
    },
}

/// Arguments of `puzzles mine`.
#[derive(Debug, Args)]
pub(crate) struct PuzzlesMineArgs {
    /// The text records of two players; - is standard input
    #[arg(required = true)]
    pub(crate) records: Vec<PathBuf>,
    /// Let bots play N games on from the end of each record
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) play: u32,
    /// The level of the bots: random, greedy or search
    #[arg(long, default_value = "greedy")]
    pub(crate) level: Level,
    /// The seed of the bots: the same seed plays the same games
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Search only the last N positions of each game
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub(crate) last: usize,
    /// Skip positions with fewer legal moves than N
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub(crate) choices: usize,
    /// Give a position up after N moves of search
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    pub(crate) effort: u64,
}
