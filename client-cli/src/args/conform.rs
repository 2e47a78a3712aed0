//! Arguments of `conform`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `conform`.
#[derive(Debug, Args)]
pub(crate) struct ConformArgs {
    /// Torment the client with the seeds 1 to N
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "seed")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) seeds: u64,
    /// Torment it with this seed alone, such as that of a failure
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,
    /// Games for each seed
    #[arg(long, value_name = "N", default_value_t = 4)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=200))]
    pub(crate) games: u64,
    /// Run N seeds at once
    #[arg(long, value_name = "N", default_value_t = 4)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=64))]
    pub(crate) jobs: u64,
    /// Wait as long as on real networks; a seed then takes minutes
    #[arg(long)]
    pub(crate) slow: bool,
    /// The server's program, if it is neither beside this one nor in PATH
    #[arg(long, value_name = "FILE")]
    pub(crate) server_program: Option<PathBuf>,
    /// Write what the client prints to DIR/seed-N.log
    #[arg(long, value_name = "DIR")]
    pub(crate) logs: Option<PathBuf>,
    /// Write the report to a file, too
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write the result as a picture (SVG)
    #[arg(long, value_name = "FILE")]
    pub(crate) badge: Option<PathBuf>,
    /// The client's command; {url}, {token} and {seed} stand for their values
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}
