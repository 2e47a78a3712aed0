//! The crash tests with other numbers of kills.

use anyhow::Result;
use clap::Args;

use crate::run::{cargo, run};

/// How often the server is killed by default.
const SERVER_KILLS: usize = 500;

/// How many bots, engines and servers are killed by default.
const BOT_KILLS: usize = 100;

/// What is killed, and how often.
#[derive(Debug, Args)]
pub(crate) struct KillsArgs {
    /// How many kills; default: 500, with --bots 100.
    kills: Option<usize>,
    /// Kills bots, their engines and the server, as many of each, while bots play with clocks.
    #[arg(long)]
    bots: bool,
    /// The seed of the victims and moments, as printed.
    #[arg(long, requires = "bots")]
    seed: Option<u64>,
}

/// Kills programs this many times, and checks that nothing is lost or doubled.
pub(crate) fn kills(args: &KillsArgs) -> Result<()> {
    let (test, variable, chosen) = if args.bots {
        let kills = args.kills.unwrap_or(BOT_KILLS);
        let seed = args.seed.map(|seed| format!(" {seed}")).unwrap_or_default();
        ("bot_kills::kills::kills_lose", "ADAMANT_BOT_KILLS", format!("{kills}{seed}"))
    } else {
        let kills = args.kills.unwrap_or(SERVER_KILLS);
        ("random_kills::kills_lose", "ADAMANT_KILLS", kills.to_string())
    };
    // The whole workspace, whose programs the test starts.
    run(&mut cargo(&["test", "--workspace", "--locked", "--no-run"]))?;
    let crash = ["test", "--workspace", "--locked", "--test", "it", test];
    run(cargo(&crash).args(["--", "--nocapture"]).env(variable, chosen))
}
