//! `adamant verify`: an exported record checked line by line, with no server at hand.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read as _},
    path::Path,
};

use adamant_protocol::ids::PublicKey;
use adamant_record::{Verified, Verifier, VerifyError, wire};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::{
    args::VerifyArgs,
    exit::ExitStatus,
    messages::{self, Names},
    output::{self, Output},
};

/// The longest line that is read, in bytes. The events of the largest games stay far below it; what
/// is longer is no record, and not worth the memory.
const LINE_BYTES_MAX: u64 = 1024 * 1024;

/// Lines from which on the progress is shown.
const LONG_RECORD_LINES: u64 = 1_000;

/// What came of reading a file.
enum Verification {
    /// A record that is right.
    Valid(Box<Verified>),
    /// One that is wrong, first in this line.
    Invalid { line: u64, error: VerifyError },
    /// Something that is no record.
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
        Ok(Verification::Invalid { line, error }) => {
            if output.json {
                output.line(json!({ "ok": false, "line": line, "why": error.to_string() }))?;
            }
            output::to_stderr(format_args!("adamant: {name}, line {line}: {error}"));
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
    let mut record = Verifier::new();
    let mut text = Vec::new();
    let mut line = 0;
    let progress = ProgressBar::hidden();
    loop {
        text.clear();
        // One byte too many is enough to know that there are too many.
        let read = source.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut text)?;
        if read == 0 {
            break;
        }
        line += 1;
        if text.last() == Some(&b'\n') {
            text.pop();
        }
        if text.len() as u64 > LINE_BYTES_MAX {
            return Ok(Verification::NotARecord("a line is longer than any record's"));
        }
        // A log that was followed over HTTP has empty lines, which say that the server is there.
        if text.is_empty() {
            continue;
        }
        if line == 1 && text.first() != Some(&b'{') {
            return Ok(Verification::NotARecord(
                "this is not a journal, one event a line; `adamant replay` reads text records",
            ));
        }
        if let Err(error) = record.line(&text) {
            progress.finish_and_clear();
            return Ok(Verification::Invalid { line, error });
        }
        if line == LONG_RECORD_LINES {
            let style = ProgressStyle::with_template("{spinner} {pos} records verified");
            progress.set_style(style.expect("the template is well formed"));
            // It shows on stderr and only if that is a terminal.
            progress.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        }
        progress.set_position(line);
    }
    progress.finish_and_clear();
    Ok(match record.finish(keys) {
        Ok(verified) => Verification::Valid(Box::new(verified)),
        Err(VerifyError::Empty) => Verification::NotARecord("there is no record"),
        Err(error) => Verification::Invalid { line, error },
    })
}

/// Says what was verified, and what was not.
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
        None => "It goes on.".to_owned(),
    };
    output.line(format_args!("{game}: {}", messages::game(table.setup())))?;
    output.line(format_args!("{seq} records hold. {outcome}"))?;
    match key {
        Some(key) if key_is_known => output.line(format_args!("Signed with key {key}.")),
        Some(key) => output.line(format_args!(
            "Signed with key {key}. Whose it is has not been checked: --key and --server do that."
        )),
        None => output.line("It is not signed: nobody vouches for who played it, or for its end."),
    }
}
