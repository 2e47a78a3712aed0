//! `adamant puzzles play`: puzzles one after the other, by lines: a move, or a word.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use adamant_engine::puzzles::{GRADE_MAX, Goal, Puzzle};
use adamant_rules::{Cell, Kind, Move, Position, game::Mark};
use clap::Args;
use rand::RngExt as _;

use super::files::PuzzleFile;
use crate::{
    drawing,
    failure::{CommandResult, ExitStatus, UsageError},
    output::Output,
    proposal::read_game,
};

#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    /// The game; all of them if none is named
    game: Option<String>,
    /// Only puzzles of this difficulty, from 1 to 5
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=i64::from(GRADE_MAX)))]
    grade: Option<u8>,
    /// Begin with the Nth of them, and not with any
    #[arg(long, value_name = "N")]
    from: Option<usize>,
}

/// What can be typed besides moves.
const WORDS: &str = "Type a move, or: hint, solution, next, quit.";

/// Shows puzzles until the end of the input.
pub(super) fn play(args: &PlayArgs, output: Output) -> CommandResult {
    let kinds = match &args.game {
        Some(game) => vec![read_game(game, &[])?.0],
        None => Kind::ALL.to_vec(),
    };
    if output.json {
        return Err(UsageError("puzzles are played by people: leave --json out".to_owned()).into());
    }
    let mut puzzles = Vec::new();
    for kind in kinds {
        for (_, line) in PuzzleFile::embedded(kind).lines() {
            let puzzle: Puzzle = serde_json::from_str(line)?;
            if args.grade.is_none_or(|grade| grade == puzzle.grade) {
                puzzles.push(puzzle);
            }
        }
    }
    if puzzles.is_empty() {
        return Err(UsageError("there are no such puzzles".to_owned()).into());
    }
    puzzles.sort_by_key(|puzzle| puzzle.grade);
    let first = match args.from {
        Some(number) if (1..=puzzles.len()).contains(&number) => number - 1,
        Some(_) => {
            let count = puzzles.len();
            return Err(UsageError(format!("there are {count} such puzzles")).into());
        }
        None => rand::rng().random_range(0..puzzles.len()),
    };
    output.line(WORDS)?;
    let mut solved = 0;
    for (index, puzzle) in puzzles.iter().enumerate().cycle().skip(first).take(puzzles.len()) {
        let heading = format!("Puzzle {} of {}", index + 1, puzzles.len());
        match Attempt::new(puzzle, output)?.play(&heading)? {
            Left::Solved => solved += 1,
            Left::Next => {}
            Left::Quit => break,
        }
    }
    output.line(format_args!("{solved} solved."))?;
    Ok(ExitStatus::Success)
}

/// How a puzzle was left.
enum Left {
    Solved,
    Next,
    Quit,
}

/// What a move comes to.
enum Verdict {
    Solved,
    /// It is right so far.
    Right,
    Wrong,
}

/// A puzzle that somebody tries.
struct Attempt<'a> {
    puzzle: &'a Puzzle,
    line: Vec<&'a str>,
    output: Output,
    position: Position,
    /// How many moves of the line stand on the board.
    made: usize,
    hints: u32,
}

impl<'a> Attempt<'a> {
    fn new(puzzle: &'a Puzzle, output: Output) -> anyhow::Result<Self> {
        let line = puzzle.solution.split_whitespace().collect();
        Ok(Self { puzzle, line, output, position: puzzle.position()?, made: 0, hints: 0 })
    }

    fn play(mut self, heading: &str) -> anyhow::Result<Left> {
        let game = self.position.kind().name();
        let grade = self.puzzle.grade;
        self.output.line(format_args!("\n{heading}: {game}, difficulty {grade} of {GRADE_MAX}"))?;
        self.show(&[])?;
        while let Some(typed) = read_line()? {
            match typed.as_str() {
                "" => {}
                "quit" => return Ok(Left::Quit),
                "next" => return Ok(Left::Next),
                "solution" => {
                    self.output.line(format_args!("The solution: {}", self.puzzle.solution))?;
                    return Ok(Left::Next);
                }
                "hint" => self.hint()?,
                notation => {
                    if self.try_move(notation)? {
                        return Ok(Left::Solved);
                    }
                }
            }
        }
        Ok(Left::Quit)
    }

    /// Draws the board, and says what is asked.
    fn show(&self, marks: &[(Cell, Mark)]) -> anyhow::Result<()> {
        let board = drawing::text(&self.position.draw(marks), self.output.color);
        let letter = self.position.letter(self.position.to_move());
        let left = self.line.len().saturating_sub(self.made).div_ceil(2);
        let task = match (self.puzzle.goal, left) {
            (Goal::Save, _) => "only one move does not lose".to_owned(),
            (Goal::Win, 1) => "win with this move".to_owned(),
            (Goal::Win, left) => format!("win in {left} moves"),
        };
        self.output.line(format_args!("{board}{letter} to move: {task}."))?;
        Ok(())
    }

    /// Names a cell of the move, then the move.
    fn hint(&mut self) -> anyhow::Result<()> {
        let notation = self.line[self.made];
        self.hints += 1;
        let mv = self.position.parse_move(notation)?;
        match self.position.affected_cells(&mv).first() {
            Some(&(cell, _)) if self.hints == 1 => {
                let name = self.position.cell_name(cell);
                self.output.line(format_args!("Look at {name}."))?;
            }
            _ => self.output.line(format_args!("Play {notation}."))?,
        }
        Ok(())
    }

    /// Tries a move. Returns whether it solves the puzzle.
    fn try_move(&mut self, notation: &str) -> anyhow::Result<bool> {
        let read = self.position.parse_move(notation);
        let mv = match read.and_then(|mv| self.position.validate(&mv).map(|_| mv)) {
            Ok(mv) => mv,
            Err(why) => {
                self.output.line(why)?;
                return Ok(false);
            }
        };
        let mut after = self.position.clone();
        after.apply(&mv);
        let end = after.settle();
        let winner = end.and_then(|(winners, _)| winners.single());
        match self.judge(&mv, winner == Some(self.position.to_move())) {
            Verdict::Solved => {
                self.output.line("Solved!")?;
                return Ok(true);
            }
            Verdict::Right => {
                let reply = self.line[self.made + 1];
                self.output.line(format_args!("Right! The other side plays {reply}."))?;
                let answer = after.parse_move(reply)?;
                let marks = after.affected_cells(&answer);
                after.apply(&answer);
                after.settle();
                self.position = after;
                (self.made, self.hints) = (self.made + 2, 0);
                self.show(&marks)?;
            }
            Verdict::Wrong => match self.puzzle.refutation(&mv.to_string()) {
                Some(reply) if self.made == 0 && end.is_none() => {
                    self.output.line(format_args!("{mv} is refuted by {reply}. Try again."))?;
                }
                _ => self.output.line(format_args!("{mv} is not enough. Try again."))?,
            },
        }
        Ok(false)
    }

    fn judge(&self, mv: &Move, is_won: bool) -> Verdict {
        let mv = mv.to_string();
        // A first move that wins as fast has other replies than the solution.
        let is_other = self.made == 0 && self.puzzle.also.split_whitespace().any(|also| also == mv);
        if is_won || is_other {
            Verdict::Solved
        } else if self.line[self.made] != mv {
            Verdict::Wrong
        } else if self.made + 1 == self.line.len() {
            Verdict::Solved
        } else {
            Verdict::Right
        }
    }
}

/// Reads what is typed; none at the end of the input.
fn read_line() -> io::Result<Option<String>> {
    if io::stdin().is_terminal() {
        let mut stdout = io::stdout().lock();
        stdout.write_all(b"> ")?;
        stdout.flush()?;
    }
    let mut typed = String::new();
    let length = io::stdin().lock().read_line(&mut typed)?;
    Ok((length > 0).then(|| typed.trim().to_owned()))
}
