//! `adamant puzzles check`: proves the puzzles of a file anew and compares.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::{
    entry::{BadEntry, PuzzleEntry},
    proof::SearchError,
    puzzle,
};
use crate::{
    exit::ExitStatus,
    output::{self, Output},
};

/// Maximum length of a file of puzzles in bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Maximum number of moves that the proof of one puzzle makes.
const EFFORT_MAX: u64 = 200_000_000;

/// What is wrong with a puzzle.
#[derive(Debug, thiserror::Error)]
enum PuzzleFault {
    #[error("its moves do not lead to a position: {0}")]
    Moves(#[from] BadEntry),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error("no single move is right")]
    NoPuzzle,
    #[error("the search finds {0}")]
    Differs(String),
}

/// Proves every puzzle of a file.
pub(super) fn check(path: &Path, output: Output) -> anyhow::Result<ExitStatus> {
    let entries = match read(path) {
        Ok(entries) => entries,
        Err(error) => {
            output::to_stderr(format_args!("adamant: {}: {error}", path.display()));
            return Ok(ExitStatus::Usage);
        }
    };
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} puzzles, {eta} to go");
    // Drawn on stderr, and only if that is a terminal.
    let progress = ProgressBar::new(entries.len() as u64)
        .with_style(style.expect("the template is well formed"));
    let mut wrong = 0;
    for entry in &entries {
        if let Err(fault) = prove(entry) {
            wrong += 1;
            let why = fault.to_string();
            if output.json {
                output.line(json!({ "ok": false, "id": entry.id, "why": why }))?;
            } else {
                progress.suspend(|| {
                    output::to_stderr(format_args!("adamant: {}: {why}", entry.id));
                });
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    if wrong > 0 {
        return Ok(ExitStatus::Failed);
    }
    let count = entries.len();
    if output.json {
        output.line(json!({ "ok": true, "puzzles": count }))?;
    } else {
        output.line(format_args!("All {count} puzzles have exactly one solution."))?;
    }
    Ok(ExitStatus::Success)
}

fn prove(entry: &PuzzleEntry) -> Result<(), PuzzleFault> {
    let (start, position) = entry.position()?;
    let puzzle = puzzle::find(&position, EFFORT_MAX)?.ok_or(PuzzleFault::NoPuzzle)?;
    let found = entry.as_found(&start, &position, &puzzle);
    if found == *entry {
        Ok(())
    } else {
        let found = serde_json::to_string(&found).expect("an entry has a text");
        Err(PuzzleFault::Differs(found))
    }
}

/// Reads an array, or an object per line.
fn read(path: &Path) -> io::Result<Vec<PuzzleEntry>> {
    let mut text = String::new();
    let limit = FILE_BYTES_MAX + 1;
    if path == Path::new("-") {
        io::stdin().lock().take(limit).read_to_string(&mut text)?;
    } else {
        File::open(path)?.take(limit).read_to_string(&mut text)?;
    }
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(io::Error::other(format!("a file has at most {FILE_BYTES_MAX} bytes")));
    }
    if text.trim_start().starts_with('[') {
        Ok(serde_json::from_str(&text)?)
    } else {
        Ok(serde_json::Deserializer::from_str(&text).into_iter().collect::<Result<_, _>>()?)
    }
}
