//! `adamant`: play, watch and keep games from a terminal. Tells errors and sets the exit status.

mod args;
mod board;
mod columns;
mod commands;
mod exit;
mod failure;
mod local;
mod output;
mod play;
mod proposal;
mod secrets;
mod session;
mod store;
mod time_control;
mod transcript;
mod words;

use std::process::ExitCode;

use crate::{args::Cli, exit::ExitStatus, output::Output};

fn main() -> ExitCode {
    let cli = Cli::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    let output = Output::new(cli.global.json, cli.global.color);
    let status = match commands::run(&cli, output) {
        Ok(status) => status,
        Err(error) if failure::is_broken_pipe(&error) => ExitStatus::Success,
        Err(error) => tell_failure(&error, output),
    };
    status.into()
}

/// Tells what went wrong: in words on stderr and, where the server said no and JSON is wanted, in
/// the server's own words among the data.
fn tell_failure(error: &anyhow::Error, output: Output) -> ExitStatus {
    if output.json
        && let Some(failed) = failure::refusal(error)
        && output.reply(failed.clone()).is_err()
    {
        // Who does not read the data may still read this.
        output::tell("adamant: nothing can be written to standard output");
    }
    output::tell(format_args!("adamant: {}", failure::sentence(error)));
    failure::status(error)
}
