//! Arguments of `engine`.

use adamant_engine::choice::{Level, NODE_BUDGET};
use clap::Args;

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
