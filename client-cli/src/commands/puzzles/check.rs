//! `adamant puzzles check`.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use adamant_engine::puzzles::{Fault, Puzzle};
use adamant_rules::Kind;
use clap::Args;
use serde_json::json;

use super::files::PuzzleFile;
use crate::{
    failure::{CommandResult, ExitStatus},
    output::{self, Output, progress_bar},
};

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// A file with a puzzle in each line; - is standard input
    #[arg(default_value = "-", conflicts_with = "all")]
    file: PathBuf,
    /// Prove the puzzles that come with the program
    #[arg(long)]
    all: bool,
}

/// Maximum length of a file of puzzles in bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Maximum number of moves that the proof of one puzzle makes.
const EFFORT_MAX: u64 = 200_000_000;

/// Why a line is no proven puzzle.
#[derive(Debug, thiserror::Error)]
enum LineError {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Wrong(#[from] Fault),
}

/// Proves every puzzle of a file, or of all games.
pub(super) fn check(args: &CheckArgs, output: Output) -> CommandResult {
    let files = if args.all {
        Kind::ALL.iter().map(|&kind| PuzzleFile::embedded(kind)).collect()
    } else {
        match read(&args.file) {
            Ok(text) => vec![PuzzleFile::new(&args.file, text)],
            Err(error) => {
                let file = args.file.display();
                output::to_stderr(format_args!("adamant: {file}: {error}"));
                return Ok(ExitStatus::Usage);
            }
        }
    };
    let lines = || files.iter().flat_map(|file| file.lines().map(move |line| (file, line)));
    let count = lines().count();
    if count == 0 {
        output.message("There are no puzzles in this file.");
        return Ok(ExitStatus::Failed);
    }
    let template = "{wide_bar} {pos}/{len} puzzles, {eta} to go";
    let progress = progress_bar(count as u64, template);
    let mut wrong = 0;
    for (PuzzleFile { name, .. }, (number, line)) in lines() {
        if let Err(error) = prove(line) {
            wrong += 1;
            let why = error.to_string();
            if output.json {
                output.line(json!({ "ok": false, "file": name, "line": number, "why": why }))?;
            } else {
                progress.suspend(|| {
                    output::to_stderr(format_args!("adamant: {name}:{number}: {why}"));
                });
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    if wrong > 0 {
        output.message(format_args!("{wrong} of {count} puzzles are wrong."));
        return Ok(ExitStatus::Failed);
    }
    if output.json {
        output.line(json!({ "ok": true, "puzzles": count }))?;
    } else {
        output.line(format_args!("All {count} puzzles are proven."))?;
    }
    Ok(ExitStatus::Success)
}

fn prove(line: &str) -> Result<(), LineError> {
    let puzzle: Puzzle = serde_json::from_str(line)?;
    Ok(puzzle.prove(EFFORT_MAX)?)
}

fn read(path: &Path) -> io::Result<String> {
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
    Ok(text)
}
