//! The command line as clap reads it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Play, watch and keep games of strategy from a terminal.
#[derive(Debug, Parser)]
#[command(name = "adamant", version, propagate_version = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// What every command understands.
    #[command(flatten)]
    pub(crate) global: Global,
}

/// What every command understands.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Print JSON, one object a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On terminals that can.
    Auto,
    /// Even into a pipe.
    Always,
    /// Not at all.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play a text record and print the board after each ply
    Replay(ReplayArgs),
    /// Count the legal moves after a text record
    Count(CountArgs),
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The text record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    /// Leave out the repetition rule, which belongs to this server and not to the games
    #[arg(long)]
    pub(crate) no_repetition: bool,
}

/// Arguments of `count`.
#[derive(Debug, Args)]
pub(crate) struct CountArgs {
    /// The text record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) record: PathBuf,
    /// Count the sequences of this many moves instead of single moves
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: u32,
}
