//! The levels of bots as an engine on standard input and output.

use std::io;

use adamant_engine::{
    choice::Level,
    protocol::{ServeSettings, serve},
    search::{self, BenchLine, Settings},
};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::{
    failure::ExitStatus,
    output::{Output, format_table},
};

/// Arguments of `engine`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct EngineArgs {
    /// What to do instead of serving a host.
    #[command(subcommand)]
    pub(crate) command: Option<EngineCommand>,
    /// How it chooses moves: random, greedy, hard-0.1 or search
    #[arg(long, default_value_t = Level::Search)]
    pub(crate) level: Level,
    /// The most nodes of a thought, whatever the host says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// The seed: the same seed and nodes play the same moves
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

/// Commands of `engine`.
#[derive(Debug, Subcommand)]
pub(crate) enum EngineCommand {
    /// Search fixed positions with fixed nodes: the total is the signature of the search
    Bench,
}

/// Runs the engine until `quit` or the end of the input.
pub(crate) fn engine(args: &EngineArgs, output: Output) -> anyhow::Result<ExitStatus> {
    let EngineArgs { command, level, nodes, seed } = args;
    if let Some(EngineCommand::Bench) = command {
        return bench(output);
    }
    let search = Settings { seed: *seed, ..Settings::default() };
    let settings = ServeSettings { level: *level, nodes: *nodes, search };
    serve(io::BufReader::new(io::stdin()), io::stdout().lock(), settings)?;
    Ok(ExitStatus::Success)
}

/// The output of `engine bench --json`, a line for each game and one for all.
#[derive(Serialize)]
struct BenchEntry {
    game: String,
    positions: usize,
    nodes: u64,
    time_ms: u64,
    nps: u64,
    signature: String,
}

impl BenchEntry {
    fn of(game: String, lines: &[BenchLine]) -> Self {
        let nodes: u64 = lines.iter().map(|line| line.nodes).sum();
        let micros = lines.iter().map(|line| line.time.as_micros()).sum::<u128>().max(1);
        let small = |number: u128| u64::try_from(number).unwrap_or(u64::MAX);
        let joined = lines.iter().fold(0_u32, |all, line| all.rotate_left(5) ^ line.signature);
        Self {
            game,
            positions: lines.iter().map(|line| line.positions).sum(),
            nodes,
            time_ms: small(micros / 1000),
            nps: small(u128::from(nodes) * 1_000_000 / micros),
            signature: format!("{joined:08x}"),
        }
    }
}

fn bench(output: Output) -> anyhow::Result<ExitStatus> {
    let lines = search::bench();
    let name = |line: &BenchLine| format!("{} {}", line.game, line.options).trim().to_owned();
    let each = lines.iter().map(|line| BenchEntry::of(name(line), std::slice::from_ref(line)));
    let entries: Vec<_> = each.chain([BenchEntry::of("all".to_owned(), &lines)]).collect();
    if output.json {
        entries.iter().try_for_each(|entry| output.entry(entry))?;
        return Ok(ExitStatus::Success);
    }
    let heading = ["GAME", "POSITIONS", "NODES", "TIME", "NODES/S", "SIGNATURE"];
    let row = |entry: &BenchEntry| {
        let BenchEntry { game, positions, nodes, time_ms, nps, signature } = entry;
        let time = format!("{time_ms} ms");
        let numbers = [positions.to_string(), nodes.to_string(), time, nps.to_string()];
        let [positions, nodes, time, nps] = numbers;
        [game.clone(), positions, nodes, time, nps, signature.clone()]
    };
    output.line(format_table(heading, &entries.iter().map(row).collect::<Vec<_>>()))?;
    Ok(ExitStatus::Success)
}
