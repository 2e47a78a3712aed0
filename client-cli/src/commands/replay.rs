//! Text records of games: replayed, and their legal moves counted.

use std::{
    fs::File,
    io::{self, BufWriter, IsTerminal as _, Read, Write},
    path::{Path, PathBuf},
};

use adamant_protocol::{GameId, event::EndReason, values::Named};
use adamant_record::wire;
use adamant_rules::{
    Consequence, Position, Seat,
    game::MoveCount,
    record::{
        RECORD_BYTES_MAX, ReplayError, ReplayStep, TextRecord, TextRecordError, TextRecordErrorKind,
    },
    table::Outcome,
};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::{
    drawing,
    failure::{CommandResult, ExitStatus},
    messages::{self, Names},
    output::{self, Output, progress_bar},
};

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The text record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    /// Ignore the repetition rule, which belongs to the server and not to the games
    #[arg(long)]
    pub(crate) no_repetition: bool,
}

/// Number of lines from which a progress bar is shown.
const LONG_RECORD_LINES: usize = 1_000;

/// Replays a text record and prints the board after each ply.
pub(crate) fn replay(args: &ReplayArgs, output: Output) -> CommandResult {
    let record = match read_record(&args.file) {
        Ok(record) => record,
        Err(error) => return Ok(report_source(&error)),
    };
    let mut out = BufWriter::new(output.writer());
    let status = print_replay(&record, !args.no_repetition, output, &mut out)?;
    out.flush()?;
    Ok(status)
}

fn print_replay(
    record: &TextRecord,
    repetition: bool,
    output: Output,
    out: &mut impl Write,
) -> io::Result<ExitStatus> {
    let progress = progress(record);
    let mut players = record.setup.seats.clone();
    if !output.json {
        writeln!(out, "{}", messages::game(&record.setup))?;
    }
    for (index, step) in record.replay(repetition).enumerate() {
        progress.inc(1);
        match step {
            Ok(step) if output.json => print_json(index, &step, out)?,
            Ok(step) => {
                let names = Names::new(&players, &step.position);
                print_text(index, &step, &names, output.color, out)?;
                if step.notation == "swap" {
                    let (one, other) = (Seat::FIRST, Seat::FIRST.next(players.len()));
                    players.swap(one, other);
                }
            }
            Err(bad) => {
                progress.finish_and_clear();
                out.flush()?;
                return print_bad_move(&bad, output, out);
            }
        }
    }
    progress.finish_and_clear();
    Ok(ExitStatus::Success)
}

/// Prints the illegal move of a record: as JSON on stdout, or as text on stderr.
pub(super) fn print_bad_move(
    bad: &ReplayError,
    output: Output,
    out: &mut impl Write,
) -> io::Result<ExitStatus> {
    if output.json {
        write_json(out, &ErrorLine::new(bad))?;
    } else {
        let ReplayError { ply, notation, why } = bad;
        output::to_stderr(format_args!("adamant: ply {ply}, {notation}: {why}"));
    }
    Ok(ExitStatus::Failed)
}

/// Returns a progress bar on stderr; hidden if boards scroll through the same terminal.
fn progress(record: &TextRecord) -> ProgressBar {
    if record.lines.len() < LONG_RECORD_LINES || io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    progress_bar(record.lines.len() as u64, "{wide_bar} {pos}/{len} plies")
}

fn print_text(
    index: usize,
    step: &ReplayStep,
    names: &Names,
    color: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let ReplayStep { ply, position, notation, .. } = step;
    if index > 0 {
        writeln!(out)?;
        match step.seat {
            Some(seat) => {
                let captures = messages::captures(position, &step.captures);
                writeln!(out, "{ply}. {}: {notation}{captures}", names.of(seat))?;
            }
            None => writeln!(out, "{ply}. {notation}")?,
        }
    }
    for &seat in &step.removed {
        writeln!(out, "{} leaves the game.", names.of(seat))?;
    }
    writeln!(out)?;
    let marks = drawing::marks(position, notation, &step.captures);
    write!(out, "{}", drawing::text(&position.draw(&marks), color))?;
    match (&step.outcome, step.to_move) {
        (Some(outcome), _) => writeln!(out, "\n{}", names.outcome(outcome)),
        (None, Some(seat)) => writeln!(out, "\n{} to move.", names.of(seat)),
        (None, None) => Ok(()),
    }
}

/// The start of a record.
#[derive(Serialize)]
struct StartLine {
    ply: u32,
    position: Named<Box<str>>,
    to_move: Option<char>,
}

/// A ply of a record.
#[derive(Serialize)]
struct PlyLine<'a> {
    ply: u32,
    seat: Option<char>,
    #[serde(rename = "move")]
    notation: &'a str,
    captures: Vec<CaptureEntry>,
    removed: Vec<char>,
    position: Named<Box<str>>,
    to_move: Option<char>,
    result: Option<ResultEntry>,
}

#[derive(Serialize)]
struct CaptureEntry {
    cell: String,
    seat: char,
    pieces: String,
}

#[derive(Serialize)]
struct ResultEntry {
    winners: Vec<char>,
    reason: EndReason,
}

/// An illegal move of a record.
#[derive(Serialize)]
struct ErrorLine<'a> {
    ply: u32,
    error: ErrorEntry<'a>,
}

#[derive(Serialize)]
struct ErrorEntry<'a> {
    code: &'static str,
    #[serde(rename = "move")]
    notation: &'a str,
    why: &'a str,
}

impl<'a> ErrorLine<'a> {
    fn new(bad: &'a ReplayError) -> Self {
        let error = ErrorEntry { code: "illegal_move", notation: &bad.notation, why: &bad.why };
        Self { ply: bad.ply, error }
    }
}

fn print_json(index: usize, step: &ReplayStep, out: &mut impl Write) -> io::Result<()> {
    let position = &step.position;
    let letter = |seat: Seat| position.letter(seat);
    let board = wire::position(position);
    let to_move = step.to_move.map(letter);
    if index == 0 {
        return write_json(out, &StartLine { ply: step.ply, position: board, to_move });
    }
    let captured = step.captures.iter().map(|&capture| CaptureEntry {
        cell: position.cell_name(capture.cell).to_string(),
        seat: letter(capture.seat),
        pieces: messages::pieces(position, capture),
    });
    write_json(
        out,
        &PlyLine {
            ply: step.ply,
            seat: step.seat.map(letter),
            notation: &step.notation,
            captures: captured.collect(),
            removed: step.removed.iter().copied().map(letter).collect(),
            position: board,
            to_move,
            result: step.outcome.as_ref().and_then(|outcome| ended(outcome, position)),
        },
    )
}

fn ended(outcome: &Outcome, position: &Position) -> Option<ResultEntry> {
    match outcome {
        Outcome::Ended { winners, reason, .. } => Some(ResultEntry {
            winners: winners.iter().map(|seat| position.letter(seat)).collect(),
            reason: wire::Mirror::to_wire(*reason),
        }),
        Outcome::Aborted { .. } => None,
    }
}

/// The game on the server that an argument names, if no file has its name.
pub(super) fn game_on_server(source: &Path) -> Option<GameId> {
    let is_record = source == Path::new("-") || source.exists();
    if is_record { None } else { source.to_str()?.parse().ok() }
}

/// Writes one JSON object and ends the line.
pub(super) fn write_json(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    writeln!(out)
}

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
pub(crate) fn count(args: &CountArgs, output: Output) -> CommandResult {
    let record = match read_record(&args.record) {
        Ok(record) => record,
        Err(error) => return Ok(report_source(&error)),
    };
    let mut out = anstream::stdout().lock();
    Ok(match step_at(&record, None) {
        Ok(step) => {
            let step = step.expect("a record has a last step");
            print_counts(&step, args.depth, output, &mut out)?
        }
        Err(bad) => print_bad_move(&bad, output, &mut out)?,
    })
}

/// Returns the step of a ply, or the last one; `None` if there is no such ply. Ignores the
/// repetition rule, which belongs to the server and not to the game.
pub(super) fn step_at(
    record: &TextRecord,
    ply: Option<u32>,
) -> Result<Option<ReplayStep>, ReplayError> {
    let mut last = None;
    for step in record.replay(false) {
        let step = step?;
        let is_wanted = Some(step.ply) == ply;
        if is_wanted || ply.is_none() {
            last = Some(step);
        }
        if is_wanted {
            break;
        }
    }
    Ok(last)
}

fn print_counts(
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

/// Why a record cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {fault}{hint}")]
pub(super) struct SourceError {
    name: String,
    /// What is wrong with it.
    fault: Fault,
    /// A hint, or an empty text.
    hint: &'static str,
}

/// What is wrong with a record.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("line {line}, column {column}: this is not text")]
    NotText { line: usize, column: usize },
    #[error(transparent)]
    Record(#[from] TextRecordError),
}

/// Prints why a record cannot be read.
pub(super) fn report_source(error: &SourceError) -> ExitStatus {
    output::to_stderr(format_args!("adamant: {error}"));
    ExitStatus::Usage
}

/// Reads the record in a file; `-` is standard input.
pub(super) fn read_record(path: &Path) -> Result<TextRecord, SourceError> {
    let is_stdin = path == Path::new("-");
    if is_stdin && io::stdin().is_terminal() {
        output::to_stderr("Type the record and end it with Ctrl-D on an empty line.");
    }
    let text = if is_stdin {
        read_text(io::stdin().lock())
    } else {
        File::open(path).map_err(Fault::Io).and_then(read_text)
    };
    let mut hint = "";
    let record = text.and_then(|text| {
        if text.starts_with('{') {
            hint = "\nThis looks like a journal record, with one event per line; `adamant verify` reads those.";
        }
        Ok(TextRecord::parse(&text)?)
    });
    record.map_err(|fault| SourceError {
        name: if is_stdin { "standard input".to_owned() } else { path.display().to_string() },
        fault,
        hint,
    })
}

fn read_text(source: impl Read) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    // One byte more than allowed shows that the record is too long.
    source.take(RECORD_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > RECORD_BYTES_MAX {
        let what = TextRecordErrorKind::TooLong;
        return Err(TextRecordError { line: 1, column: 1, what }.into());
    }
    if let Some(text) = utf16(&bytes) {
        return Ok(text);
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
        let (line, column) = place_after(&before);
        Fault::NotText { line, column }
    })
}

/// Returns a text in the encoding of Windows; `None` if it has no mark of byte order.
fn utf16(bytes: &[u8]) -> Option<String> {
    let unit = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let (pairs, _) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    Some(String::from_utf16_lossy(&units))
}

/// Returns line and column, from 1, of the character after a text.
fn place_after(text: &str) -> (usize, usize) {
    let line = text.matches('\n').count() + 1;
    let column = text.rsplit('\n').next().unwrap_or(text).chars().count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use adamant_rules::{Act, Table};

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
