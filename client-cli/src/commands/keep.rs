//! Records of games, to keep.

use std::{fs, path::Path};

use adamant_rules::record;
use anyhow::Context as _;

use crate::{
    args::{ExportArgs, ExportFormat, Global},
    exit::ExitStatus,
    output::Output,
    session::{Session, Who},
    transcript::Transcript,
};

/// Writes a game's record.
pub(super) async fn export(
    global: &Global,
    args: &ExportArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let mut session = Session::open(global, Who::Anyone, output).await?;
    let transcript = Transcript::fetch(&mut session, &args.game).await?;
    session.close().await;
    // The record is checked in either case: a damaged one is not worth keeping.
    let table = transcript.table(None)?.context("the game has not begun")?;
    let text = match args.format {
        ExportFormat::Text => record::write(&table),
        ExportFormat::Journal => journal(&transcript)?,
    };
    match &args.output {
        Some(path) => {
            write(path, &text)?;
            output.say(format_args!("{} is in {}.", args.game, path.display()));
        }
        None => output.line(text.trim_end_matches('\n'))?,
    }
    Ok(ExitStatus::Success)
}

fn journal(transcript: &Transcript) -> anyhow::Result<String> {
    let mut text = String::new();
    for record in &transcript.records {
        text.push_str(std::str::from_utf8(record).context("records are text")?);
        text.push('\n');
    }
    Ok(text)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}
