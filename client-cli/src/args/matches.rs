//! Arguments of `match`.

use std::path::PathBuf;

use adamant_engine::tournament::{Format, stats::SprtBounds};
use adamant_protocol::{UserName, values::TimeControl};
use clap::{Args, ValueEnum};

use super::bot::read_ms;
use crate::time_control::read_clock;

/// Arguments of `match`.
#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    /// The game
    #[arg(long, value_name = "GAME", required_unless_present = "config")]
    pub(crate) game: Option<String>,
    /// An option of the game, with its dash: -size=4
    #[arg(long = "option", hide = true, value_name = "WORD", allow_hyphen_values = true)]
    pub(crate) options: Vec<String>,
    /// The number of players of a game
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) players: u8,
    /// The command of an engine; give this once for each engine
    #[arg(long, value_name = "COMMAND")]
    pub(crate) engine: Vec<String>,
    /// The name of an engine, in the order of the engines; without it, what the engine says
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Vec<UserName>,
    /// Who meets whom if there are more engines than players: all meet all, or the first meets
    /// the others
    #[arg(long, value_enum, default_value_t = FormatName::RoundRobin)]
    pub(crate) format: FormatName,
    /// The games of each pairing
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) games: u32,
    /// Read options and engines from this file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// What engines may use for a move.
    #[command(flatten)]
    pub(crate) budgets: BudgetArgs,
    /// How games begin.
    #[command(flatten)]
    pub(crate) openings: OpeningArgs,
    /// Stop as soon as the test decides, as in elo0=0,elo1=10,alpha=0.05,beta=0.05
    #[arg(long, value_name = "TEST")]
    pub(crate) sprt: Option<SprtBounds>,
    /// Play N games at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) concurrency: usize,
    /// Store results and records in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with the match in that folder
    #[arg(long, requires = "out")]
    pub(crate) resume: bool,
    /// Print what engines write to standard error
    #[arg(long)]
    pub(crate) verbose: bool,
}

/// What engines may use for a move.
#[derive(Debug, Args)]
#[command(next_help_heading = "Budgets")]
pub(crate) struct BudgetArgs {
    /// Let engines look at N positions for a move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Let engines think this long for a move, such as 500ms
    #[arg(long, value_name = "TIME", value_parser = read_ms)]
    pub(crate) movetime: Option<u64>,
    /// The clock of each game: none, 1m+1s, 5s/move or 1m+5x10s
    #[arg(long, default_value = "none", value_parser = read_clock)]
    pub(crate) clock: TimeControl,
    /// Draw a game after N plies
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub(crate) max_plies: u32,
    /// Let an engine lose if it does not answer for this long, where nothing else limits its time
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = read_ms)]
    pub(crate) hang_timeout: u64,
}

/// How games begin.
#[derive(Debug, Args)]
#[command(next_help_heading = "Openings")]
pub(crate) struct OpeningArgs {
    /// Begin games with the openings of this book, a line each
    #[arg(long, value_name = "FILE", conflicts_with = "opening_plies")]
    pub(crate) openings: Option<PathBuf>,
    /// Begin games with N random plies
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) opening_plies: u32,
    /// The seed of random openings: the same seed draws the same openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Who meets whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// All meet all.
    RoundRobin,
    /// The first engine meets the others.
    Gauntlet,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::RoundRobin => Self::RoundRobin,
            FormatName::Gauntlet => Self::Gauntlet,
        }
    }
}
