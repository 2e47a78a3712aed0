//! `adamant`: play, watch and export games from a terminal. Prints errors and sets the exit status.

mod cli;
mod commands;
mod credentials;
mod drawing;
mod failure;
mod messages;
mod output;
mod play;
mod proposal;
mod session;
mod settings;
mod spelling;

use std::process::ExitCode;

use crate::{cli::Cli, failure::ExitStatus, output::Output, settings::Settings};

fn main() -> ExitCode {
    let mut cli = Cli::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    let settings = Settings::read().map(|settings| cli.global.settings = settings);
    let is_dumb = settings::is_dumb_terminal();
    let output = Output::new(cli.global.json, cli.global.color(), is_dumb);
    cli.global.output = output;
    let status = match settings.and_then(|()| commands::run(&cli)) {
        Ok(status) => status,
        Err(error) if failure::is_broken_pipe(&error) => ExitStatus::Success,
        Err(error) => report_error(&error, &cli, output),
    };
    status.into()
}

/// Prints an error once: as text on stderr or, with `--json`, as an object on stdout. Local
/// commands print JSON errors of their own.
fn report_error(error: &anyhow::Error, cli: &Cli, output: Output) -> ExitStatus {
    let elsewhere = session::other_logins(&cli.global, error);
    let printed = output.json && !cli.command.is_local() && {
        let object = failure::json(error, elsewhere.as_deref());
        // If stdout is closed, the text on stderr remains.
        output.line(object).is_ok()
    };
    if !printed {
        let elsewhere = elsewhere.map(|text| format!("\n{text}")).unwrap_or_default();
        output::to_stderr(format_args!("adamant: {}{elsewhere}", failure::text(error)));
    }
    failure::status(error)
}
