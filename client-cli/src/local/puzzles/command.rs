//! The commands `adamant puzzles mine`, which finds puzzles, and `check`, which proves them anew.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use adamant_engine::choice::{Level, choose_after};
use adamant_rules::{Position, record::TextRecord};
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use rand::{SeedableRng as _, rngs::StdRng};
use serde_json::json;

use super::{
    proof::SearchError,
    puzzle::{self, BadEntry, PuzzleEntry, Start, is_third, play},
};
use crate::{
    args::spelling::MINE_HELP,
    drawing,
    failure::ExitStatus,
    local::{replay::print_bad_move, source},
    output::{self, Output},
};

/// Commands of `puzzles`.
#[derive(Debug, Subcommand)]
pub(crate) enum PuzzlesCommand {
    /// Find positions with exactly one right move in records, or in games of bots
    #[command(after_help = MINE_HELP)]
    Mine(PuzzlesMineArgs),
    /// Prove every puzzle of a file by exhaustive search
    #[command(after_help = "Example: adamant puzzles check web/src/learn/puzzles.json")]
    Check {
        /// The file: a JSON array, or an object per line; - is standard input
        #[arg(default_value = "-")]
        file: PathBuf,
    },
}

/// Runs a command about puzzles.
pub(crate) fn puzzles(command: &PuzzlesCommand, output: Output) -> anyhow::Result<ExitStatus> {
    match command {
        PuzzlesCommand::Mine(args) => mine(args, output),
        PuzzlesCommand::Check { file } => check_file(file, output),
    }
}

/// Arguments of `puzzles mine`.
#[derive(Debug, Args)]
pub(crate) struct PuzzlesMineArgs {
    /// The text records of two players; - is standard input
    #[arg(required = true)]
    pub(crate) records: Vec<PathBuf>,
    /// Let bots play N games on from the end of each record
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) play: u32,
    /// The level of the bots: random, greedy or search
    #[arg(long, default_value = "greedy")]
    pub(crate) level: Level,
    /// The seed of the bots: the same seed plays the same games
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Search only the last N positions of each game
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub(crate) last: usize,
    /// Skip positions with fewer legal moves than N
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub(crate) choices: usize,
    /// Give a position up after N moves of search
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    pub(crate) effort: u64,
}

/// Maximum number of plies that bots play in a game.
const PLIES_MAX: usize = 400;

/// A position in which the game goes on, with the moves to it.
type Reached = (Vec<String>, Position);

struct Mine<'a> {
    args: &'a PuzzlesMineArgs,
    output: Output,
    progress: ProgressBar,
    /// The ids of the puzzles found.
    found: HashSet<String>,
    /// Number of positions that were too large.
    given_up: u64,
}

/// Prints the puzzles of records and of games that bots play.
pub(super) fn mine(args: &PuzzlesMineArgs, output: Output) -> anyhow::Result<ExitStatus> {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} games, {msg}, {eta} to go");
    // Drawn on stderr, and only if that is a terminal.
    let progress = ProgressBar::new(args.records.len() as u64 * u64::from(args.play + 1))
        .with_style(style.expect("the template is well formed"));
    let mut mine = Mine { args, output, progress, found: HashSet::new(), given_up: 0 };
    for path in &args.records {
        let status = mine.record(path)?;
        if !matches!(status, ExitStatus::Success) {
            return Ok(status);
        }
    }
    mine.progress.finish_and_clear();
    if mine.given_up > 0 {
        let count = mine.given_up;
        output.message(format_args!("{count} positions were too large to search exhaustively."));
    }
    output.message(format_args!("{} puzzles found.", mine.found.len()));
    Ok(ExitStatus::Success)
}

impl Mine<'_> {
    fn record(&mut self, path: &Path) -> anyhow::Result<ExitStatus> {
        let record = match source::read(path) {
            Ok(record) => record,
            Err(error) => return Ok(source::report(&error)),
        };
        let setup = &record.setup;
        if setup.seats.len() != 2 {
            output::to_stderr(format_args!("adamant: {}: puzzles are for two", path.display()));
            return Ok(ExitStatus::Usage);
        }
        let start = Start { kind: setup.kind, options: setup.options.clone() };
        let game = match positions(&record) {
            Ok(game) => game,
            Err(bad) => return Ok(print_bad_move(&bad, self.output, &mut self.output.writer())?),
        };
        let names: Vec<&str> = setup.seats.iter().map(|player| &*player.user).collect();
        self.search(&start, &game, &names.join(" - "))?;
        if let Some(last) = game.last() {
            for number in 0..u64::from(self.args.play) {
                let seed = self.args.seed.wrapping_add(number);
                let game = played_on(last, self.args, seed);
                self.search(&start, &game, &format!("bots, {}, seed {seed}", self.args.level))?;
            }
        }
        Ok(ExitStatus::Success)
    }

    fn search(&mut self, start: &Start, game: &[Reached], source: &str) -> anyhow::Result<()> {
        for (moves, position) in game.iter().rev().take(self.args.last) {
            let puzzle = match puzzle::find(position, self.args.effort) {
                Ok(Some(puzzle)) if puzzle.choices >= self.args.choices => puzzle,
                Ok(_) => continue,
                Err(_) => {
                    self.given_up += 1;
                    continue;
                }
            };
            let entry =
                PuzzleEntry::new(start, moves.clone(), position, &puzzle, source.to_owned());
            if self.found.insert(entry.id.clone()) {
                self.print(&entry, position)?;
            }
        }
        self.progress.inc(1);
        self.progress.set_message(format!("{} puzzles", self.found.len()));
        Ok(())
    }

    fn print(&self, entry: &PuzzleEntry, position: &Position) -> anyhow::Result<()> {
        if self.output.json {
            return self.output.entry(entry);
        }
        let board = drawing::text(&position.draw(&[]), self.output.color);
        let letter = position.letter(position.to_move());
        self.output.line(format_args!("{board}{letter} to move. {}\n", entry.summary()))?;
        Ok(())
    }
}

/// Returns the positions of a record up to its end, or to the first line that is not a move.
fn positions(record: &TextRecord) -> Result<Vec<Reached>, adamant_rules::record::ReplayError> {
    let mut reached: Vec<Reached> = Vec::new();
    let mut moves = Vec::new();
    for step in record.replay(true) {
        let step = step?;
        match step.notation.as_str() {
            "resign" | "draw" => break,
            // The rules skip again by themselves.
            "" | "pass" => {}
            notation => moves.push(notation.to_owned()),
        }
        if step.to_move.is_none() {
            break;
        }
        reached.push((moves.clone(), step.position));
    }
    Ok(reached)
}

/// Lets bots play a game from a position.
fn played_on((moves, position): &Reached, args: &PuzzlesMineArgs, seed: u64) -> Vec<Reached> {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut moves, mut position) = (moves.clone(), position.clone());
    let (mut hashes, mut game) = (vec![position.hash()], Vec::new());
    while game.len() < PLIES_MAX {
        let Some(mv) = choose_after(&hashes, &position, args.level, &mut rng) else { break };
        moves.push(mv.to_string());
        if !play(&mut position, &mv) || is_third(&mut hashes, &position) {
            break;
        }
        game.push((moves.clone(), position.clone()));
    }
    game
}

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
pub(super) fn check_file(path: &Path, output: Output) -> anyhow::Result<ExitStatus> {
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
