//! `adamant count`: the number of legal moves, or of sequences of moves, after a record.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use adamant_rules::{
    Consequence, Position,
    game::MoveCount,
    record::{ReplayError, ReplayStep, TextRecord},
};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::{
    replay::{print_bad_move, write_json},
    source,
};
use crate::{
    failure::ExitStatus,
    output::{self, Output},
};

/// Arguments of `count`.
#[derive(Debug, Args)]
pub(crate) struct CountArgs {
    /// The text record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) record: PathBuf,
    /// Count sequences of N moves instead of single moves
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: u32,
}

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

/// Maximum number of moves of a position that are made one by one: their list is held in memory.
const MOVES_LISTED_MAX: usize = 4_000_000;

/// Why sequences cannot be counted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CountError {
    /// The options of the game make counting meaningless.
    #[error("{0}")]
    NotCountable(&'static str),
    /// A position on the way has too many moves to make each.
    #[error(
        "a position on the way has {0} moves, and at most {MOVES_LISTED_MAX} can be made one by one"
    )]
    TooMany(u128),
    /// The number does not fit.
    #[error("there are more than {max} sequences", max = u128::MAX)]
    Overflow,
}

/// Counts the sequences of `depth` moves from a position. Calls `progress` after each first move,
/// with the number of first moves.
pub(super) fn perft(
    position: &Position,
    depth: u32,
    progress: &mut dyn FnMut(usize),
) -> Result<u128, CountError> {
    let count = match position.count_moves() {
        MoveCount::Exactly(count) => count,
        MoveCount::NotCounted(why) => return Err(CountError::NotCountable(why)),
    };
    if depth == 1 {
        return Ok(count);
    }
    if count > MOVES_LISTED_MAX as u128 {
        return Err(CountError::TooMany(count));
    }
    let moves = position.legal_moves(MOVES_LISTED_MAX);
    let mut total: u128 = 0;
    for play in &moves {
        let mut next = position.clone();
        next.apply(play);
        if apply_consequences(&mut next) {
            let below = perft(&next, depth - 1, &mut |_| {})?;
            total = total.checked_add(below).ok_or(CountError::Overflow)?;
        }
        progress(moves.len());
    }
    Ok(total)
}

/// Applies the consequences that the rules demand before the next move. Returns whether the game
/// goes on.
fn apply_consequences(position: &mut Position) -> bool {
    while let Some(consequence) = position.pending() {
        match consequence {
            Consequence::End { .. } => return false,
            Consequence::Remove(seat, _) => position.remove(seat),
            Consequence::Skip(_) => position.skip(),
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use adamant_rules::{Act, Table, record::TextRecord};

    use super::*;

    /// Makes every sequence at a table, which applies the consequences itself.
    fn one_by_one(table: &Table, depth: u32) -> u128 {
        let Some(seat) = table.to_move() else { return 0 };
        let moves = table.position().legal_moves(usize::MAX);
        if depth == 1 {
            return moves.len() as u128;
        }
        let below = moves.iter().map(|play| {
            let act =
                Act::Move { seat, turn: table.turn(), notation: &play.to_string(), lag_ms: 0 };
            let mut next = table.clone();
            for event in &table.decide(&act, 0).unwrap() {
                next.apply(event).unwrap();
            }
            one_by_one(&next, depth - 1)
        });
        below.sum()
    }

    #[test]
    fn perft_equals_the_count_of_every_sequence() {
        for challenge in [
            "adamas challenge -size=2 -pieces=2 ann bob",
            "adamas challenge -size=2 -pieces=2 ann bob cy",
            "adamas challenge -size=2 -pieces=3 ann bob",
        ] {
            let record = TextRecord::parse(challenge).unwrap();
            let begun = Table::begin(record.setup, 0).unwrap();
            let mut table = Table::new(&begun[0]).unwrap().without_repetition();
            table.apply(&begun[1]).unwrap();
            let mut firsts = 0;
            for depth in 1..=4 {
                let count = perft(table.position(), depth, &mut |_| firsts += 1);
                assert_eq!(count, Ok(one_by_one(&table, depth)), "{challenge}, depth {depth}");
            }
            let moves = table.position().legal_moves(usize::MAX).len();
            assert_eq!(firsts, 3 * moves, "progress is reported for each first move");
        }
    }
}
