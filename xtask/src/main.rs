//! `cargo xtask`: one door to everything that is done with this repository.
//!
//! `commands/` has the commands, `tidy/` the rules about the source tree that no lint holds.
//! `cargo test` runs the rules of `tidy/` as unit tests.

mod commands;
mod run;
mod suite;
mod tidy;
mod tools;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

use commands::Only;

/// Commands of this repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs everything that must hold before a change lands. `.ci/run` is the same.
    Ci,
    /// Runs the tests that a change can break, and installs what they need; with `--all` their long
    /// form, with `--share` what `ci` adds of it, and with arguments `cargo test --workspace`.
    Test(commands::TestArgs),
    /// Runs the simulation with other seeds.
    Sim {
        /// How many seeds, or a range such as `17..18`.
        #[arg(default_value = "200")]
        seeds: String,
    },
    /// Kills the server again and again under load, with `--bots` also bots and engines, or with
    /// `--clients` while bots of all clients play by the clock, and checks that nothing is lost.
    Kills(commands::KillsArgs),
    /// Plays games between several nodes while nodes and databases are killed and paused, and
    /// checks that nothing is lost.
    Contest(commands::ContestArgs),
    /// Runs the fuzzers. Needs cargo-fuzz.
    Fuzz {
        /// The target; all of them, one after the other, if none is named.
        target: Option<String>,
        /// How long each target runs.
        #[arg(long, value_name = "N", default_value_t = 60)]
        seconds: u32,
    },
    /// Measures: micro benchmarks, then load on the release build of the server; with arguments,
    /// `adamant-bench`.
    Bench {
        /// Short micro benchmarks alone.
        #[arg(long)]
        quick: bool,
        /// Arguments for `adamant-bench`; given any, micro benchmarks do not run.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, conflicts_with = "quick")]
        args: Vec<String>,
    },
    /// Writes the types of the clients and the page from the protocol's schema.
    Types {
        /// Compares only, and fails if they differ.
        #[arg(long)]
        check: bool,
    },
    /// Writes the tables of the documents from the definitions of what they list.
    Docs {
        /// Compares only, and fails if they differ.
        #[arg(long)]
        check: bool,
    },
    /// Runs the tests of the web client, or with `--measure` measures what it costs.
    Web {
        /// Measures what the web client costs instead.
        #[arg(long)]
        measure: bool,
    },
    /// Runs the tests of the Python client.
    Python,
    /// Runs the tests of the TypeScript client.
    Typescript,
    /// Packs the crates that other projects use, and plays with a bot built from the packages.
    Crates,
    /// Plays matches against the level `hard-0.1`, each with as many games as are missing.
    Strength(commands::StrengthArgs),
    /// Looks for positions with a proven win, saving move or short ending, and counts how many of
    /// them the engine finds.
    Tactics(commands::TacticsArgs),
    /// Takes the pictures of README.md in a browser, or of every view of the page.
    Pictures {
        /// Takes pictures of every view at three sizes, light and dark, into this folder instead.
        #[arg(value_name = "DIR")]
        all: Option<PathBuf>,
    },
    /// Builds a release, as RELEASING.md describes it.
    Release {
        /// Checks and builds, and takes a tree with changes and a version without notes.
        #[arg(long)]
        dry_run: bool,
    },
    /// Installs the package in a fresh Debian, and goes through what an operator does, by the
    /// commands of the documents. Needs root.
    Drill(commands::DrillArgs),
    /// Checks the rules about the source tree that no lint holds.
    Tidy,
    /// Runs several nodes on this machine until Ctrl-C: three PostgreSQL servers, their promoter,
    /// the nodes, and HAProxy in front.
    Cluster {
        /// How many nodes.
        #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=9))]
        nodes: u16,
        /// The port of HAProxy on 127.0.0.1. The nodes take the next ones.
        #[arg(long, value_name = "PORT", default_value_t = 7777)]
        port: u16,
        /// Runs the release build of the server.
        #[arg(long)]
        release: bool,
        /// Prints addresses and process ids as one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Installs what the tests need.
    Setup,
}

fn main() -> ExitCode {
    let done = match Args::parse().command {
        Command::Ci => commands::ci(),
        Command::Test(args) => commands::test(&args),
        Command::Sim { seeds } => commands::sim(&seeds),
        Command::Kills(args) => commands::kills(&args),
        Command::Contest(args) => commands::contest(&args),
        Command::Fuzz { target, seconds } => commands::fuzz(target.as_deref(), seconds),
        Command::Bench { quick, args } => commands::bench(quick, &args),
        Command::Types { check } => commands::types(check),
        Command::Docs { check } => commands::docs(check),
        Command::Web { measure: true } => commands::measure(),
        Command::Web { measure: false } => Only::Page.run(),
        Command::Python => Only::Python.run(),
        Command::Typescript => Only::TypeScript.run(),
        Command::Crates => Only::Crates.run(),
        Command::Strength(args) => commands::strength(&args),
        Command::Tactics(args) => commands::tactics(&args),
        Command::Pictures { all } => commands::pictures(all.as_deref()),
        Command::Release { dry_run } => commands::release(dry_run),
        Command::Drill(args) => commands::drill(&args),
        Command::Tidy => tidy::tidy(),
        Command::Cluster { nodes, port, release, json } => {
            commands::cluster(&commands::ClusterOptions { nodes, port, release, json })
        }
        Command::Setup => commands::setup(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            run::note(&format!("\nerror: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
