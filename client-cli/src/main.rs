//! `adamant`: play, watch and keep games from a terminal. Picks the command and tells its errors.

mod args;
mod board;
mod exit;
mod local;
mod output;
mod play;
mod session;
mod words;

use std::process::ExitCode;

use clap::Parser as _;

use crate::{
    args::{Cli, Command},
    exit::ExitStatus,
    output::Output,
};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let output = Output::new(cli.global.json, cli.global.color);
    let done = match &cli.command {
        Command::Replay(args) => local::replay(args, output),
        Command::Count(args) => local::count(args, output),
    };
    match done {
        Ok(status) => status.into(),
        Err(error) => {
            output::tell(format_args!("adamant: {error:#}"));
            ExitStatus::Failed.into()
        }
    }
}
