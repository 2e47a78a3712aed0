//! `adamant puzzles mine`: searches the positions of records, and of games that bots play on from
//! them, for puzzles.

use std::{collections::HashSet, path::Path};

use adamant_engine::choice::choose_after;
use adamant_rules::{Position, record::TextRecord};
use indicatif::{ProgressBar, ProgressStyle};
use rand::{SeedableRng as _, rngs::StdRng};

use super::{
    entry::{PuzzleEntry, Start, is_third, play},
    puzzle,
};
use crate::{
    args::PuzzlesMineArgs,
    drawing,
    exit::ExitStatus,
    local::{replay::print_bad_move, source},
    output::{self, Output},
};

/// Maximum number of plies that bots play in a game.
const PLIES_MAX: usize = 400;

/// A position in which the game goes on, with the moves to it.
type Reached = (Vec<String>, Position);

/// A search for puzzles.
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
