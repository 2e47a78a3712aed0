//! `adamant count`: the number of legal moves, or of sequences of moves, after a record.

use std::io::{self, Write};

use adamant_rules::record::{ReplayError, ReplayStep, TextRecord};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::{
    perft::{CountError, perft},
    replay::{print_bad_move, write_json},
    source,
};
use crate::{
    args::CountArgs,
    exit::ExitStatus,
    output::{self, Output},
};

/// The output of `count --json`.
#[derive(Serialize)]
struct CountLine {
    ply: u32,
    depth: u32,
    // JSON numbers have no limit, and serde_json writes all digits.
    count: u128,
}

/// Prints the number of legal moves after a text record.
pub(crate) fn count(args: &CountArgs, output: Output) -> anyhow::Result<ExitStatus> {
    let record = match source::read(&args.record) {
        Ok(record) => record,
        Err(error) => return Ok(source::report(&error)),
    };
    let mut out = anstream::stdout().lock();
    Ok(match last_step(&record) {
        Ok(step) => print(&step, args.depth, output, &mut out)?,
        Err(bad) => print_bad_move(&bad, output, &mut out)?,
    })
}

/// Returns the last step of the record. Ignores the repetition rule, which belongs to the server
/// and not to the game.
fn last_step(record: &TextRecord) -> Result<ReplayStep, ReplayError> {
    let mut steps = record.replay(false);
    let start = steps.next().expect("the first step is the start")?;
    steps.try_fold(start, |_, step| step)
}

fn print(
    step: &ReplayStep,
    depth: u32,
    output: Output,
    out: &mut impl Write,
) -> io::Result<ExitStatus> {
    match number(step, depth) {
        Ok(count) if output.json => write_json(out, &CountLine { ply: step.ply, depth, count })?,
        Ok(count) => writeln!(out, "{count}")?,
        Err(uncounted) => {
            output::to_stderr(format_args!("adamant: {uncounted}"));
            return Ok(ExitStatus::Failed);
        }
    }
    Ok(ExitStatus::Success)
}

fn number(step: &ReplayStep, depth: u32) -> Result<u128, CountError> {
    if step.to_move.is_none() {
        return Ok(0);
    }
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} first moves, {eta} to go");
    // Drawn on stderr, and only if that is a terminal.
    let bar = ProgressBar::no_length().with_style(style.expect("the template is well formed"));
    let count = perft(&step.position, depth, &mut |moves| {
        bar.set_length(moves as u64);
        bar.inc(1);
    });
    bar.finish_and_clear();
    count
}
