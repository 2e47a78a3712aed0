//! What the engine finds in positions with a proven win, a saving move or a short ending.

mod positions;

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use adamant_rules::{
    Position,
    proof::{Proof, Prover, TooLong, listed},
};
use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use serde::Serialize;

use self::positions::{PASS, Row, Tactic, Task, collect};
use super::strength::{Engine, release_program};
use crate::run::{note, print, target};

/// Arguments of `tactics`.
#[derive(Debug, Args)]
pub(crate) struct TacticsArgs {
    /// The game; all of them if none is named.
    game: Option<String>,
    /// How many positions of each game.
    #[arg(long, value_name = "N", default_value_t = 100)]
    positions: usize,
    /// What chance depends on: another seed finds other positions.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The time of each move in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 100)]
    movetime: u64,
    /// Counts nodes instead, so that results hold on a busy machine.
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Prints a line of JSON for each task.
    #[arg(long)]
    json: bool,
    /// Asks this program instead of the release build.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

const FOUR: &[Task] = &[Task::WinInTwo, Task::WinInThree, Task::SaveFromOne, Task::SaveFromTwo];

/// The games.
fn rows() -> [Row; 4] {
    [
        Row { game: "diam", tasks: FOUR },
        Row { game: "stymie", tasks: FOUR },
        Row { game: "hexma", tasks: FOUR },
        Row { game: "adamas", tasks: &Task::ALL },
    ]
}

/// Moves that a proof may make to judge an answer.
const JUDGED: u64 = 40_000_000;

/// How a task went.
#[derive(Default, Serialize)]
struct Tally {
    positions: usize,
    solved: usize,
    /// Answers that no proof has decided in its time. They count as not solved.
    undecided: usize,
}

/// A line of `--json`.
#[derive(Serialize)]
struct Entry<'a> {
    game: &'a str,
    task: Task,
    limit: &'a str,
    #[serde(flatten)]
    tally: &'a Tally,
}

/// Looks for positions, from where the last run stopped, and asks the engine about all of them.
pub(crate) fn tactics(args: &TacticsArgs) -> Result<()> {
    let is_wanted = |row: &Row| args.game.as_ref().is_none_or(|name| name == row.game);
    let rows: Vec<_> = rows().into_iter().filter(is_wanted).collect();
    ensure!(!rows.is_empty(), "there is no such game");
    let program = release_program(args.program.as_deref())?;
    let folder = target().join("strength/tactics");
    fs::create_dir_all(&folder)?;
    for row in rows {
        let file = folder.join(format!("{}-{}.jsonl", row.game, args.seed));
        let each = args.positions.div_ceil(row.tasks.len());
        note(&format!("{}: positions in {}", row.game, file.display()));
        let tactics = collect(&row, args.seed, each, &file)?;
        ask(&row, &tactics, &program, args, &folder)?;
    }
    Ok(())
}

fn ask(
    row: &Row,
    tactics: &[Tactic],
    program: &Path,
    args: &TacticsArgs,
    folder: &Path,
) -> Result<()> {
    let limit = match args.nodes {
        Some(nodes) => format!("nodes {nodes}"),
        None => format!("movetime {}", args.movetime),
    };
    let mut engine = Engine::start(program)?;
    let missed = folder.join(format!("{}-missed.jsonl", row.game));
    let mut missed_file = fs::File::create(&missed)?;
    for &task in row.tasks {
        let mut tally = Tally::default();
        for tactic in tactics.iter().filter(|tactic| tactic.task == task) {
            tally.positions += 1;
            let (answer, is_solved) = solve(row, tactic, &mut engine, &limit)?;
            match is_solved {
                Ok(true) => tally.solved += 1,
                Ok(false) => {
                    let line = serde_json::json!({ "answer": answer, "tactic": tactic });
                    writeln!(missed_file, "{line}")?;
                }
                Err(TooLong) => tally.undecided += 1,
            }
        }
        if args.json {
            let entry = Entry { game: row.game, task, limit: &limit, tally: &tally };
            print(&serde_json::to_string(&entry)?);
        } else {
            let Tally { positions, solved, undecided } = tally;
            let rate = 100.0 * share(solved, positions);
            let game = row.game;
            let undecided = match undecided {
                0 => String::new(),
                some => format!(", {some} answers undecided"),
            };
            let name = task.name();
            print(&format!("{game} {name}: {solved} of {positions} ({rate:.0} %){undecided}"));
        }
    }
    note(&format!("{}: what was missed is in {}", row.game, missed.display()));
    Ok(())
}

/// A share of a number that may be none.
fn share(part: usize, of: usize) -> f64 {
    let number = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    number(part) / number(of.max(1))
}

/// Asks for a move, in an ending for all of them, and judges the answer by a proof.
fn solve(
    row: &Row,
    tactic: &Tactic,
    engine: &mut Engine,
    limit: &str,
) -> Result<(String, Proof<bool>)> {
    let mut position = tactic.position(row)?;
    let mut steps = tactic.steps.clone();
    let mut prover = Prover::new(JUDGED);
    let mut left = tactic.moves;
    loop {
        let seat = position.to_move();
        let answer = engine.choose(row.kind(), seat.index(), &steps, limit)?;
        let mv = position.parse_move(&answer).context("the answer of the engine")?;
        if position.validate(&mv).is_err() {
            bail!("{}: the engine has answered {answer}, which is not legal", row.game);
        }
        prover.allow(JUDGED);
        let is_good = match tactic.task {
            Task::SaveFromOne | Task::SaveFromTwo => prover.saves(&position, &mv, left),
            Task::WinInTwo | Task::WinInThree | Task::Ending => {
                if steps.len() == tactic.steps.len() && answer == tactic.solution {
                    Ok(true)
                } else {
                    prover.wins_by(&position, &mv, left)
                }
            }
        };
        if tactic.task != Task::Ending || !matches!(is_good, Ok(true)) {
            return Ok((answer, is_good));
        }
        position.apply(&mv);
        steps.push(answer.clone());
        if position.settle().is_some() {
            return Ok((answer, Ok(true)));
        }
        left -= 1;
        if position.to_move() == seat {
            steps.push(PASS.to_owned());
            continue;
        }
        match longest_defence(&mut prover, &position, left) {
            Ok(Some((reply, next))) => {
                steps.push(reply);
                let passed = next.to_move() != seat;
                position = next;
                if passed {
                    bail!("{}: an ending in which the winner is passed over", row.game);
                }
            }
            // Every reply ends the game at once.
            Ok(None) => return Ok((answer, Ok(true))),
            Err(TooLong) => return Ok((answer, Err(TooLong))),
        }
    }
}

/// The reply after which the other seat needs the most moves, and the position after it.
fn longest_defence(
    prover: &mut Prover,
    position: &Position,
    most: u32,
) -> Proof<Option<(String, Position)>> {
    let mut longest: Option<(u32, String, Position)> = None;
    for mv in listed(position)? {
        let mut next = position.clone();
        next.apply(&mv);
        if next.settle().is_some() {
            continue;
        }
        let distance = prover.distance(&next, most)?.unwrap_or(most + 1);
        if longest.as_ref().is_none_or(|(known, ..)| distance > *known) {
            longest = Some((distance, mv.to_string(), next));
        }
    }
    Ok(longest.map(|(_, reply, next)| (reply, next)))
}
