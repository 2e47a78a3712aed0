//! Rules of the games, manual pages and shell completions.

use std::{fs, path::Path};

use adamant_rules::Kind;
use anyhow::Context as _;

use super::complete;
use crate::{
    args::{
        Cli,
        command::{CompletionsArgs, ManArgs, RulesArgs},
    },
    failure::ExitStatus,
    output::Output,
    proposal::{option_list, unknown_kind},
};

/// Prints the rules of a game and its options.
pub(super) fn rules(args: &RulesArgs, output: Output) -> anyhow::Result<ExitStatus> {
    let kind = Kind::from_name(&args.game).ok_or_else(|| unknown_kind(&args.game))?;
    let options: Vec<_> = kind
        .option_specs()
        .iter()
        .map(|spec| serde_json::json!({"name": spec.name, "about": spec.about}))
        .collect();
    if output.json {
        output.line(serde_json::json!({
            "game": kind.name(), "version": kind.version(), "page": kind.rules_summary(), "options": options
        }))?;
    } else {
        output.line(kind.rules_summary())?;
        if !options.is_empty() {
            output.line(format_args!("\n{}", option_list(kind)))?;
        }
    }
    Ok(ExitStatus::Success)
}

/// Prints a completion script for a shell.
pub(super) fn completions(args: &CompletionsArgs, output: Output) -> anyhow::Result<ExitStatus> {
    if let Some(script) = complete::script(args.shell) {
        output.line(script)?;
    } else {
        let mut script = Vec::new();
        clap_complete::generate(args.shell, &mut Cli::program(), "adamant", &mut script);
        output.line(String::from_utf8_lossy(&script).trim_end())?;
    }
    Ok(ExitStatus::Success)
}

/// Writes the manual pages of the program and each command, or prints the program's page.
pub(super) fn man(args: &ManArgs, output: Output) -> anyhow::Result<ExitStatus> {
    let command = Cli::program();
    let Some(folder) = &args.out else {
        output.line(String::from_utf8_lossy(&page(&command)?).trim_end())?;
        return Ok(ExitStatus::Success);
    };
    fs::create_dir_all(folder).with_context(|| cannot_write(folder))?;
    let name = command.get_name().to_owned();
    write(folder, &name, &command)?;
    let mut written = 1;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let full = format!("{name}-{}", sub.get_name());
        let called = format!("{name} {}", sub.get_name());
        write(folder, &full, &sub.clone().bin_name(called).display_name(&full))?;
        written += 1;
    }
    output.message(format_args!("{written} manual pages written to {}.", folder.display()));
    Ok(ExitStatus::Success)
}

fn page(command: &clap::Command) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    Ok(text)
}

fn write(folder: &Path, name: &str, command: &clap::Command) -> anyhow::Result<()> {
    let path = folder.join(format!("{name}.1"));
    fs::write(&path, page(command)?).with_context(|| cannot_write(&path))
}

fn cannot_write(path: &Path) -> String {
    format!("{} cannot be written", path.display())
}
