//! `adamant`: play, watch and keep games from a terminal. Tells errors and sets the exit status.

mod args;
mod color;
mod columns;
mod commands;
mod credentials;
mod drawing;
mod exit;
mod failure;
mod local;
mod messages;
mod notation;
mod output;
mod pager;
mod play;
mod proposal;
mod secrets;
mod session;
mod settings;
mod time_control;
mod transcript;

use std::process::ExitCode;

use crate::{args::Cli, exit::ExitStatus, output::Output, settings::Settings};

fn main() -> ExitCode {
    let mut cli = Cli::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    let settings = Settings::read().map(|settings| cli.global.settings = settings);
    let output = Output::new(cli.global.json, cli.global.color());
    let status = match settings.and_then(|()| commands::run(&cli, output)) {
        Ok(status) => status,
        Err(error) if failure::is_broken_pipe(&error) => ExitStatus::Success,
        Err(error) => report_error(&error, &cli, output),
    };
    status.into()
}

/// Tells what went wrong, once: in words on stderr or, where JSON is wanted, as an object among the
/// data. The commands that need no server have words of their own for that.
fn report_error(error: &anyhow::Error, cli: &Cli, output: Output) -> ExitStatus {
    let elsewhere = session::other_logins(&cli.global, error);
    let told = output.json && !cli.command.is_local() && {
        let object = failure::json(error, elsewhere.as_deref());
        // Who does not read the data may still read the words.
        output.line(object).is_ok()
    };
    if !told {
        let elsewhere = elsewhere.map(|text| format!("\n{text}")).unwrap_or_default();
        output::to_stderr(format_args!("adamant: {}{elsewhere}", failure::text(error)));
    }
    failure::status(error)
}
