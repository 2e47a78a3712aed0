//! `adamant verify`: verifies an exported record line by line, without a server.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read as _},
    path::Path,
};

use adamant_protocol::ids::PublicKey;
use adamant_record::{DownloadChain, Verified, Verifier, VerifyError, wire};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::download;
use crate::{
    args::VerifyArgs,
    exit::ExitStatus,
    messages::{self, Names},
    output::{self, Output},
};

/// Maximum length of a line in bytes. The events of the largest games stay far below it.
const LINE_BYTES_MAX: u64 = 1024 * 1024;

/// Number of lines from which a progress bar is shown.
const LONG_RECORD_LINES: u64 = 1_000;

/// The result of verifying a file.
enum Verification {
    /// The record is valid.
    Valid(Box<Verified>),
    /// The file is a valid download, up to these lines.
    ValidDownload(DownloadChain),
    /// The file is invalid, first in this line.
    Invalid { line: u64, why: String },
    /// The file is not a record.
    NotARecord(&'static str),
}

/// Verifies a record. With keys it must be signed with one of them.
pub(crate) fn verify(
    args: &VerifyArgs,
    keys: Option<&[PublicKey]>,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let (name, found) = if args.file == Path::new("-") {
        ("standard input".to_owned(), read(io::stdin().lock(), keys))
    } else {
        let found = File::open(&args.file).and_then(|file| read(BufReader::new(file), keys));
        (args.file.display().to_string(), found)
    };
    let status = match found {
        Ok(Verification::Valid(verified)) if args.require_signature && verified.key.is_none() => {
            let (line, why) = (verified.seq, "the record is not signed");
            if output.json {
                output.line(json!({ "ok": false, "line": line, "why": why }))?;
            }
            output::to_stderr(format_args!("adamant: {name}, line {line}: {why}"));
            ExitStatus::Failed
        }
        Ok(Verification::Valid(verified)) => {
            print_verified(&verified, keys.is_some(), output)?;
            ExitStatus::Success
        }
        Ok(Verification::ValidDownload(at)) => {
            return download::verify_signature(args, &at, keys, output);
        }
        Ok(Verification::Invalid { line, why }) => {
            if output.json {
                output.line(json!({ "ok": false, "line": line, "why": why }))?;
            }
            output::to_stderr(format_args!("adamant: {name}, line {line}: {why}"));
            ExitStatus::Failed
        }
        Ok(Verification::NotARecord(why)) => {
            output::to_stderr(format_args!("adamant: {name}: {why}"));
            ExitStatus::Usage
        }
        Err(error) => {
            output::to_stderr(format_args!("adamant: {name}: {error}"));
            ExitStatus::Usage
        }
    };
    Ok(status)
}

fn read(mut source: impl BufRead, keys: Option<&[PublicKey]>) -> io::Result<Verification> {
    if download::is_line_of_download(source.fill_buf()?) {
        let mut at = DownloadChain::default();
        return Ok(match download::push_all(&mut at, source)? {
            None => Verification::ValidDownload(at),
            Some(why) => Verification::Invalid { line: at.games + 1, why },
        });
    }
    let mut record = Verifier::new();
    let mut text = Vec::new();
    let mut line = 0;
    let progress = ProgressBar::hidden();
    loop {
        text.clear();
        // One byte more than allowed shows that the line is too long.
        let read = source.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut text)?;
        if read == 0 {
            break;
        }
        line += 1;
        if text.last() == Some(&b'\n') {
            text.pop();
        }
        if text.len() as u64 > LINE_BYTES_MAX {
            return Ok(Verification::NotARecord("a line is longer than in any record"));
        }
        // An event stream saved over HTTP has empty lines as heartbeats.
        if text.is_empty() {
            continue;
        }
        if line == 1 && text.first() != Some(&b'{') {
            return Ok(Verification::NotARecord(
                "this is not a journal record, with one event per line; `adamant replay` reads text records",
            ));
        }
        if let Err(error) = record.line(&text) {
            progress.finish_and_clear();
            return Ok(Verification::Invalid { line, why: error.to_string() });
        }
        if line == LONG_RECORD_LINES {
            let style = ProgressStyle::with_template("{spinner} {pos} records verified");
            progress.set_style(style.expect("the template is well formed"));
            // Drawn on stderr, and only if that is a terminal.
            progress.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        }
        progress.set_position(line);
    }
    progress.finish_and_clear();
    Ok(match record.finish(keys) {
        Ok(verified) => Verification::Valid(Box::new(verified)),
        Err(VerifyError::Empty) => Verification::NotARecord("there is no record"),
        Err(error) => Verification::Invalid { line, why: error.to_string() },
    })
}

/// Prints what was verified, and what was not.
fn print_verified(verified: &Verified, key_is_known: bool, output: Output) -> io::Result<()> {
    let Verified { game, seq, chain, table, key } = verified;
    if output.json {
        return output.line(json!({
            "ok": true,
            "game": game,
            "rules": wire::rules(table.setup().kind),
            "seq": seq,
            "chain": chain,
            "result": table.outcome().map(wire::result),
            "key": key,
            "key_is_known": key_is_known,
        }));
    }
    let names = Names::new(table.players(), table.position());
    let outcome = match table.outcome() {
        Some(outcome) => names.outcome(outcome),
        None => "The game is live.".to_owned(),
    };
    output.line(format_args!("{game}: {}", messages::game(table.setup())))?;
    output.line(format_args!("All {seq} events are valid. {outcome}"))?;
    match key {
        Some(key) if key_is_known => output.line(format_args!("Signed with key {key}.")),
        Some(key) => output.line(format_args!(
            "Signed with key {key}. Its owner has not been checked: --key and --server do that."
        )),
        None => {
            output.line("The record is not signed: its players and its end are not vouched for.")
        }
    }
}
