//! `adamant analyse`: what the search thinks of each move of a text record.

use std::{
    io::{self, BufWriter, Write},
    num::{NonZeroU64, NonZeroUsize},
    path::PathBuf,
    thread,
};

use adamant_engine::{
    analysis::{self, Analysis, AnalysisError, Effort, Judged, Verdict},
    search::SCORE_MAX,
};
use adamant_rules::{BySeat, Player, record::TextRecord};
use clap::Args;
use serde::Serialize;

use super::replay::{print_bad_move, read_record, report_source, write_json};
use crate::{
    drawing,
    failure::{CommandResult, ExitStatus},
    messages,
    output::{self, Output, progress_bar},
};

#[derive(Debug, Args)]
pub(crate) struct AnalyseArgs {
    /// The text record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    /// Look at N positions for each move; without it, four times as many as a bot
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<NonZeroU64>,
    /// Search N positions of the game at once; without it, one a core
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// The most threads: more than cores gain nothing.
const THREADS_MAX: usize = 256;

/// The moves of a best line that are printed for people.
const LINE_MOVES: usize = 6;

/// Analyses a text record and prints what the search thinks of each move.
pub(crate) fn analyse(args: &AnalyseArgs, output: Output) -> CommandResult {
    let record = match read_record(&args.file) {
        Ok(record) => record,
        Err(error) => return Ok(report_source(&error)),
    };
    let threads = args.threads.or_else(|| thread::available_parallelism().ok());
    let effort = Effort {
        nodes: args.nodes.map(NonZeroU64::get),
        threads: threads.map_or(1, NonZeroUsize::get).min(THREADS_MAX),
    };
    let bar = progress_bar(0, "{wide_bar} {pos}/{len} positions, {eta} to go");
    let found = analysis::analyse(&record, effort, &|positions| {
        bar.set_length(positions as u64);
        bar.inc(1);
    });
    bar.finish_and_clear();
    let mut out = BufWriter::new(output.writer());
    match found {
        Ok(found) if output.json => print_json(&found, &mut out)?,
        Ok(found) => print_text(&record, &found, output, &mut out)?,
        Err(AnalysisError::Replay(bad)) => return Ok(print_bad_move(&bad, output, &mut out)?),
        Err(error @ AnalysisError::Players(_)) => {
            output::to_stderr(format_args!("adamant: {error}"));
            return Ok(ExitStatus::Failed);
        }
    }
    out.flush()?;
    Ok(ExitStatus::Success)
}

/// A move of the game.
#[derive(Serialize)]
struct MoveLine<'a> {
    ply: u32,
    seat: char,
    player: usize,
    #[serde(rename = "move")]
    notation: &'a str,
    value: i32,
    exact: bool,
    best: &'a [String],
    best_value: i32,
    best_exact: bool,
    distance: Option<u32>,
    loss: f64,
    verdict: &'static str,
    missed_win: Option<u32>,
}

/// The whole game.
#[derive(Serialize)]
struct SummaryLine {
    accuracy: [Option<f64>; 2],
    turning_points: Vec<u32>,
}

fn print_json(found: &Analysis, out: &mut impl Write) -> io::Result<()> {
    for judged in &found.moves {
        let line = MoveLine {
            ply: judged.ply,
            seat: judged.position.letter(judged.position.to_move()),
            player: judged.player,
            notation: &judged.played,
            value: judged.value,
            exact: judged.exact,
            best: &judged.best.moves,
            best_value: judged.best.value,
            best_exact: judged.best.exact,
            distance: judged.best.distance,
            loss: judged.loss,
            verdict: judged.verdict.name(),
            missed_win: judged.missed_win,
        };
        write_json(out, &line)?;
    }
    let plies = found.turning_points.iter().map(|&index| found.moves[index].ply);
    write_json(out, &SummaryLine { accuracy: found.accuracy, turning_points: plies.collect() })
}

fn print_text(
    record: &TextRecord,
    found: &Analysis,
    output: Output,
    out: &mut impl Write,
) -> io::Result<()> {
    let players = &record.setup.seats;
    writeln!(out, "{}", messages::game(&record.setup))?;
    for judged in &found.moves {
        print_move(judged, players, out)?;
    }
    let first = name(players, 0);
    if !found.moves.is_empty() {
        writeln!(out, "\nThe chances of {first} after each move:\n{}", graph(&found.moves))?;
    }
    for (player, accuracy) in found.accuracy.iter().enumerate() {
        if let Some(accuracy) = accuracy {
            writeln!(out, "Accuracy of {}: {accuracy:.0} %.", name(players, player))?;
        }
    }
    for &index in &found.turning_points {
        print_turning_point(&found.moves[index], players, output, out)?;
    }
    Ok(())
}

fn name(players: &BySeat<Player>, player: usize) -> &str {
    players.iter().nth(player).map_or("", |player| &player.user)
}

fn print_move(judged: &Judged, players: &BySeat<Player>, out: &mut impl Write) -> io::Result<()> {
    let Judged { ply, position, player, played, value, exact, .. } = judged;
    let letter = position.letter(position.to_move());
    let who = format!("{letter} {}", name(players, *player));
    write!(out, "{ply:>3}. {who}: {played}, {}", said(*value, *exact, None))?;
    if judged.verdict > Verdict::Good {
        write!(out, "; {} that loses {:.0} %", judged.verdict.name(), 100.0 * judged.loss)?;
    }
    match judged.missed_win {
        Some(1) => write!(out, "; a win was missed")?,
        Some(moves) => write!(out, "; a win in {moves} moves was missed")?,
        None => {}
    }
    if judged.verdict > Verdict::Good || judged.missed_win.is_some() {
        write!(out, "; better {}", line(judged))?;
    }
    writeln!(out)
}

/// The best line and its value.
fn line(judged: &Judged) -> String {
    let best = &judged.best;
    let moves = &best.moves[..best.moves.len().min(LINE_MOVES)];
    format!("{}, {}", moves.join(" "), said(best.value, best.exact, best.distance))
}

/// A value in words.
fn said(value: i32, exact: bool, distance: Option<u32>) -> String {
    let plies = distance.map_or_else(String::new, |plies| format!(" in {plies} plies"));
    match value {
        SCORE_MAX if exact => format!("wins{plies}"),
        0 if exact => "a draw".to_owned(),
        _ if exact && value == -SCORE_MAX => format!("loses{plies}"),
        _ => format!("{} %", percentage(value)),
    }
}

/// The chance to win that a value stands for.
const fn percentage(value: i32) -> i32 {
    (value + SCORE_MAX) * 100 / (2 * SCORE_MAX)
}

/// The chances of the player who began, as a column for each move.
fn graph(moves: &[Judged]) -> String {
    const COLUMNS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let column = |judged: &Judged| {
        let value = if judged.player == 0 { judged.value } else { -judged.value };
        let height = usize::try_from(percentage(value)).unwrap_or(0) * COLUMNS.len() / 101;
        COLUMNS[height.min(COLUMNS.len() - 1)]
    };
    moves.iter().map(column).collect()
}

fn print_turning_point(
    judged: &Judged,
    players: &BySeat<Player>,
    output: Output,
    out: &mut impl Write,
) -> io::Result<()> {
    let letter = judged.position.letter(judged.position.to_move());
    let (ply, player) = (judged.ply, name(players, judged.player));
    writeln!(out, "\nTurning point, ply {ply}: {letter} {player} played {}.", judged.played)?;
    writeln!(out, "Better was {}:\n", line(judged))?;
    let best = judged.best.moves.first().map_or("", String::as_str);
    let marks = drawing::marks(&judged.position, best, &[]);
    write!(out, "{}", drawing::text(&judged.position.draw(&marks), output.color))
}
