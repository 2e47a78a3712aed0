//! `adamant replay`: replays a record ply by ply, as text with the board or as JSON.

use std::{
    io::{self, BufWriter, IsTerminal as _, Write},
    path::PathBuf,
};

use adamant_protocol::{event::EndReason, values::Named};
use adamant_record::wire;
use adamant_rules::{
    Position, Seat,
    record::{ReplayError, ReplayStep, TextRecord},
    table::Outcome,
};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::source;
use crate::{
    drawing,
    failure::ExitStatus,
    messages::{self, Names},
    output::{self, Output},
};

/// Arguments of `replay`.
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
pub(crate) fn replay(args: &ReplayArgs, output: Output) -> anyhow::Result<ExitStatus> {
    let record = match source::read(&args.file) {
        Ok(record) => record,
        Err(error) => return Ok(source::report(&error)),
    };
    let mut out = BufWriter::new(output.writer());
    let status = print(&record, !args.no_repetition, output, &mut out)?;
    out.flush()?;
    Ok(status)
}

fn print(
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
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} plies");
    ProgressBar::new(record.lines.len() as u64)
        .with_style(style.expect("the template is well formed"))
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

/// Writes one JSON object and ends the line.
pub(super) fn write_json(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    writeln!(out)
}
