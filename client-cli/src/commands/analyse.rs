//! `adamant analyse`: what the search thinks of each move of a text record, or of a finished game on
//! the server, whose search it asks.

use std::{
    io::{self, BufWriter, Write},
    num::{NonZeroU64, NonZeroUsize},
    path::PathBuf,
    thread,
    time::Duration,
};

use adamant_engine::{
    analysis::{self, Analyser, Analysis, AnalysisError, Effort, Judged, Told, Verdict},
    search::{Line, SCORE_MAX},
};
use adamant_protocol::{
    GameId, from_client,
    to_client::{self, AnalysedMove, AnalysisState},
};
use adamant_rules::{
    BySeat, Player,
    record::{self, TextRecord},
};
use anyhow::Context as _;
use clap::Args;
use serde::Serialize;

use super::{
    records::Transcript,
    replay::{game_on_server, print_bad_move, read_record, report_source, write_json},
};
use crate::{
    drawing,
    failure::{CommandResult, ExitStatus, UsageError},
    messages,
    output::{self, Output, progress_bar},
    session::{ActAs, Session, ask},
    settings::Global,
};

#[derive(Debug, Args)]
pub(crate) struct AnalyseArgs {
    /// A text record, or the id of a finished game on the server; - is standard input
    #[arg(default_value = "-", value_name = "FILE|GAME")]
    pub(crate) source: PathBuf,
    /// Look at N positions for each move; without it, four times as many as a bot
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<NonZeroU64>,
    /// Search N positions of a record at once; without it, one a core
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

impl AnalyseArgs {
    /// The game on the server, if no file has its name.
    pub(crate) fn game(&self) -> Option<GameId> {
        game_on_server(&self.source)
    }
}

/// The most threads: more than cores gain nothing.
const THREADS_MAX: usize = 256;

/// The moves of a best line that are printed for people.
const LINE_MOVES: usize = 6;

/// Time between two looks at how far the server is.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// Analyses a record or a game and prints what the search thinks of each move.
pub(crate) async fn analyse(global: &Global, args: &AnalyseArgs) -> CommandResult {
    match args.game() {
        Some(game) if args.nodes.is_some() || args.threads.is_some() => {
            let why = format!(
                "there is no file {game}; a game on the server is analysed without --nodes and \
                 --threads"
            );
            Err(UsageError(why).into())
        }
        Some(game) => analyse_on_server(global, game).await,
        None => analyse_record(args, global.output),
    }
}

/// Lets the server analyse one of its games.
async fn analyse_on_server(global: &Global, game: GameId) -> CommandResult {
    let mut session = Session::open(global, ActAs::UserOrAnonymous).await?;
    let found = wait_for_server(&session, &game).await?;
    let transcript = Transcript::fetch(&mut session, &game).await?;
    session.close().await;
    let table = transcript.table(None)?.context("the game has not begun")?;
    let record = TextRecord::parse(&record::write(&table))?;
    let analyser = Analyser::new(&record, None)?;
    let judged = |mv: AnalysedMove| {
        let ply = mv.ply;
        let judged = analyser.told(ply, told_by_server(mv));
        judged.with_context(|| format!("the server judges ply {ply}, and the game has none"))
    };
    let moves = found.moves.into_iter().map(judged).collect::<anyhow::Result<_>>()?;
    let mut out = BufWriter::new(global.output.writer());
    print(&record, &analyser.finish(moves), global.output, &mut out)?;
    out.flush()?;
    Ok(ExitStatus::Success)
}

/// Asks the server again and again until it has analysed the game.
async fn wait_for_server(
    session: &Session,
    game: &GameId,
) -> anyhow::Result<Box<to_client::Analysis>> {
    let bar = progress_bar(0, "{wide_bar} {pos}/{len} positions {msg}");
    loop {
        let analyse = |id| from_client::Analyse { id, game: game.clone() };
        let analysis = ask!(session, Analysis, analyse);
        if analysis.state == AnalysisState::Done {
            bar.finish_and_clear();
            return Ok(analysis);
        }
        let ahead = analysis.ahead.filter(|&ahead| ahead > 0);
        bar.set_message(ahead.map_or_else(String::new, |ahead| format!("({ahead} games first)")));
        bar.set_length(analysis.positions.unwrap_or_default().into());
        bar.set_position(analysis.searched.unwrap_or_default().into());
        tokio::time::sleep(ASK_EVERY).await;
    }
}

/// What the server says of a move.
fn told_by_server(mv: AnalysedMove) -> Told {
    let best = Line {
        moves: mv.best.into_iter().map(Into::into).collect(),
        value: mv.best_value,
        exact: mv.best_exact,
        distance: mv.distance,
    };
    Told { best, value: mv.value, exact: mv.exact, missed_win: mv.missed_win }
}

fn analyse_record(args: &AnalyseArgs, output: Output) -> CommandResult {
    let record = match read_record(&args.source) {
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
        Ok(found) => print(&record, &found, output, &mut out)?,
        Err(AnalysisError::Replay(bad)) => return Ok(print_bad_move(&bad, output, &mut out)?),
        Err(error @ AnalysisError::Players(_)) => {
            output::to_stderr(format_args!("adamant: {error}"));
            return Ok(ExitStatus::Failed);
        }
    }
    out.flush()?;
    Ok(ExitStatus::Success)
}

fn print(
    record: &TextRecord,
    found: &Analysis,
    output: Output,
    out: &mut impl Write,
) -> io::Result<()> {
    if output.json { print_json(found, out) } else { print_text(record, found, output, out) }
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
            loss: (judged.loss * 1_000.0).round() / 1_000.0,
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
