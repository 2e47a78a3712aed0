//! `adamant puzzles mine`.

use std::{
    collections::HashSet,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use adamant_engine::puzzles::{
    PLAYERS, Puzzle,
    mine::{Bounds, Miner, Reached},
};
use adamant_rules::{
    Kind, Options,
    record::{ReplayError, TextRecord},
};
use anyhow::Context as _;
use clap::Args;
use indicatif::ProgressBar;

use super::super::replay::{print_bad_move, read_record, report_source};
use crate::{
    drawing,
    failure::{CommandResult, ExitStatus, UsageError},
    output::{self, Output, progress_bar},
    proposal::read_game,
};

#[derive(Debug, Args)]
pub(crate) struct MineArgs {
    /// The game that bots play
    #[arg(required_unless_present = "record")]
    game: Option<String>,
    /// An option of the game, with its dash: -size=4
    #[arg(long = "option", hide = true, value_name = "WORD", allow_hyphen_values = true)]
    options: Vec<String>,
    /// Search text records of two players instead; - is standard input
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["game", "options"])]
    record: Vec<PathBuf>,
    /// Stop at N puzzles
    #[arg(long, value_name = "N", default_value_t = 10)]
    count: usize,
    /// The seed of the bots: the same seed plays the same games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Append the puzzles to a file. Those in it are not found again
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Let a game be at most N plies long
    #[arg(long, value_name = "N", default_value_t = 160)]
    plies: usize,
    /// Search only the last N positions of each game
    #[arg(long, value_name = "N", default_value_t = 12)]
    last: usize,
    /// Give a position up after N moves of search
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    effort: u64,
}

/// How the line of a puzzle begins.
const BEGINS: &str = "{\"id\":";

/// Games in a row without a new puzzle, after which no more are played.
const DRY_MAX: u32 = 2_000;

/// Prints the puzzles of games, or appends them to a file.
pub(super) fn mine(args: &MineArgs, output: Output) -> CommandResult {
    let game = args.game.as_ref().map(|game| read_game(game, &args.options)).transpose()?;
    let mut found = Found::open(args, output)?;
    if let Some((kind, options)) = game {
        found.play(kind, options)?;
    }
    for path in args.record.iter().take_while(|_| args.count > 0) {
        let status = found.record(path)?;
        if !matches!(status, ExitStatus::Success) {
            return Ok(status);
        }
    }
    found.progress.finish_and_clear();
    output.message(format_args!("{} puzzles found.", found.count));
    Ok(ExitStatus::Success)
}

/// What was found, and where it goes.
struct Found<'a> {
    args: &'a MineArgs,
    output: Output,
    progress: ProgressBar,
    file: Option<File>,
    /// The ids of all puzzles, with those that were in the file.
    ids: HashSet<String>,
    /// How many are new.
    count: usize,
}

impl<'a> Found<'a> {
    fn open(args: &'a MineArgs, output: Output) -> anyhow::Result<Self> {
        let template = "{wide_bar} {pos}/{len} puzzles, {msg}, {eta} to go";
        let progress = progress_bar(args.count as u64, template);
        let mut found = Self { args, output, progress, file: None, ids: HashSet::new(), count: 0 };
        let Some(path) = &args.out else { return Ok(found) };
        let shown = || path.display().to_string();
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(shown),
        };
        let read = |line: &str| serde_json::from_str::<Puzzle>(line);
        let whole = text.rfind('\n').map_or(0, |last| last + 1);
        let (lines, last) = text.split_at(whole);
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            found.ids.insert(read(line).with_context(shown)?.id);
        }
        let mut file =
            OpenOptions::new().create(true).append(true).open(path).with_context(shown)?;
        match read(last) {
            _ if last.is_empty() => {}
            Ok(puzzle) => {
                found.ids.insert(puzzle.id);
                writeln!(file)?;
            }
            // An interrupted run has cut it.
            Err(error) if error.is_eof() && last.starts_with(BEGINS) => {
                file.set_len(whole as u64)?;
            }
            Err(error) => return Err(error).with_context(shown),
        }
        found.file = Some(file);
        Ok(found)
    }

    fn miner(&self, kind: Kind, options: Options) -> Result<Miner, UsageError> {
        let MineArgs { plies, last, effort, .. } = *self.args;
        let bounds = Bounds { plies, last, effort };
        Miner::new(kind, options, bounds).map_err(|error| UsageError(error.to_string()))
    }

    fn is_complete(&self) -> bool {
        self.count >= self.args.count
    }

    /// Lets bots play games until there are enough puzzles. A file that has some is continued with
    /// other games.
    fn play(&mut self, kind: Kind, options: Options) -> anyhow::Result<()> {
        let miner = self.miner(kind, options)?;
        let first = self.args.seed.rotate_left(32).wrapping_add((self.ids.len() as u64) << 16);
        let (mut games, mut dry) = (0, 0);
        while !self.is_complete() && dry < DRY_MAX {
            let puzzle = miner.mine(first.wrapping_add(games));
            games += 1;
            self.progress.set_message(format!("{games} games"));
            dry = if self.add(puzzle)? { 0 } else { dry + 1 };
        }
        Ok(())
    }

    fn record(&mut self, path: &Path) -> CommandResult {
        let record = match read_record(path) {
            Ok(record) => record,
            Err(error) => return Ok(report_source(&error)),
        };
        let setup = &record.setup;
        if setup.seats.len() != PLAYERS {
            output::to_stderr(format_args!("adamant: {}: puzzles are for two", path.display()));
            return Ok(ExitStatus::Usage);
        }
        let game = match positions(&record) {
            Ok(game) => game,
            Err(bad) => return Ok(print_bad_move(&bad, self.output, &mut self.output.writer())?),
        };
        if !self.is_complete() {
            let puzzle = self.miner(setup.kind, setup.options.clone())?.search(&game);
            self.add(puzzle)?;
        }
        Ok(ExitStatus::Success)
    }

    /// Adds a puzzle, and returns whether it is new.
    fn add(&mut self, puzzle: Option<Puzzle>) -> anyhow::Result<bool> {
        let Some(puzzle) = puzzle else { return Ok(false) };
        if !self.ids.insert(puzzle.id.clone()) {
            return Ok(false);
        }
        self.count += 1;
        self.progress.inc(1);
        if let Some(file) = &mut self.file {
            writeln!(file, "{}", serde_json::to_string(&puzzle)?)?;
        } else if self.output.json {
            self.progress.suspend(|| self.output.entry(&puzzle))?;
        } else {
            self.progress.suspend(|| self.print(&puzzle))?;
        }
        Ok(true)
    }

    fn print(&self, puzzle: &Puzzle) -> anyhow::Result<()> {
        let position = puzzle.position()?;
        let board = drawing::text(&position.draw(&[]), self.output.color);
        let letter = position.letter(position.to_move());
        let Puzzle { id, grade, choices, solution, .. } = puzzle;
        let moves = puzzle.own_moves();
        self.output.line(format_args!(
            "{board}{letter} to move. {id}: win in {moves}, grade {grade}, {choices} moves: \
             {solution}\n"
        ))?;
        Ok(())
    }
}

/// Returns the positions of a record up to its end, or to the first line that is not a move.
fn positions(record: &TextRecord) -> Result<Vec<Reached>, ReplayError> {
    let mut reached = Vec::new();
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
        reached.push(Reached { moves: moves.clone(), position: step.position });
    }
    Ok(reached)
}
