//! The levels of bots as an engine on standard input and output.

use std::io;

use adamant_engine::choice::{Level, NODE_BUDGET};
use adamant_engine::protocol::{ServeSettings, serve};
use clap::Args;

use crate::failure::ExitStatus;

/// Arguments of `engine`.
#[derive(Debug, Args)]
pub(crate) struct EngineArgs {
    /// How it chooses moves: random, greedy or search
    #[arg(long, default_value_t = Level::Greedy)]
    pub(crate) level: Level,
    /// The most moves that a search evaluates
    #[arg(long, value_name = "N", default_value_t = NODE_BUDGET)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: u64,
    /// The seed: the same seed plays the same moves
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

/// Runs the engine until `quit` or the end of the input.
pub(crate) fn engine(args: &EngineArgs) -> anyhow::Result<ExitStatus> {
    let EngineArgs { level, nodes, seed } = *args;
    let settings = ServeSettings { level, nodes, seed };
    serve(io::stdin().lock(), io::stdout().lock(), settings)?;
    Ok(ExitStatus::Success)
}
