//! Positions with something to find, each with its proof: taken from games that chance and the
//! rules' own measure of progress have played.

use std::{
    collections::HashMap,
    fs::{self, OpenOptions},
    io::Write as _,
    path::Path,
};

use adamant_rules::{
    Kind, Move, Options, Position, Seat,
    game::MoveCount,
    proof::{Proof, Prover, TooLong, gain, listed},
};
use anyhow::{Context as _, Result};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use serde::{Deserialize, Serialize};

use crate::run::note;

/// The longest game.
const PLIES_MAX: usize = 160;

/// Moves among which the players choose, and how often of a hundred by chance alone.
const CHOICE: usize = 12;
const BY_CHANCE: u32 = 20;

/// Moves that a proof may make while positions are looked for.
const BUDGET: u64 = 200_000;

/// Moves of a position in which there could be something to find, at the most.
const MOVES_MAX: u128 = 1_500;

/// The most pieces of an ending, and the most moves to its end.
const PIECES_MAX: usize = 5;
const ENDING_MAX: u32 = 8;

/// Games in a row without a new position, after which no more are looked for.
const DRY_MAX: u64 = 400;

/// A game with what is looked for in it.
pub(super) struct Row {
    pub(super) game: &'static str,
    pub(super) tasks: &'static [Task],
}

impl Row {
    pub(super) fn kind(&self) -> Kind {
        Kind::from_name(self.game).expect("the rows name games")
    }

    pub(super) fn start(&self) -> Position {
        self.kind().open(&Options::new(), 2).expect("two can play every game")
    }
}

/// What there is to find.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Task {
    /// A win in two moves.
    WinInTwo,
    /// A win in three moves.
    WinInThree,
    /// A move after which the other seat cannot win at once.
    SaveFromOne,
    /// A move after which the other seat has no win in two.
    SaveFromTwo,
    /// The shortest win with few pieces.
    Ending,
}

impl Task {
    pub(super) const ALL: [Self; 5] =
        [Self::WinInTwo, Self::WinInThree, Self::SaveFromOne, Self::SaveFromTwo, Self::Ending];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::WinInTwo => "win in two",
            Self::WinInThree => "win in three",
            Self::SaveFromOne => "save from one",
            Self::SaveFromTwo => "save from two",
            Self::Ending => "ending",
        }
    }
}

/// A position with its task.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Tactic {
    pub(super) task: Task,
    /// The game that it is from.
    pub(super) number: u64,
    /// The steps to the position, as engines read them.
    pub(super) steps: Vec<String>,
    /// Moves to the win, or from which it saves.
    pub(super) moves: u32,
    /// One move that does it.
    pub(super) solution: String,
}

impl Tactic {
    /// The position.
    pub(super) fn position(&self, row: &Row) -> Result<Position> {
        let mut position = row.start();
        for step in self.steps.iter().filter(|step| *step != PASS) {
            let mv = position.parse_move(step)?;
            position.validate(&mv)?;
            position.apply(&mv);
            position.settle();
        }
        Ok(position)
    }
}

/// The step that says that the seat to move was passed over.
pub(super) const PASS: &str = "pass";

/// Looks for as many positions of each task as are missing in a file, and returns all of them.
pub(super) fn collect(row: &Row, seed: u64, wanted: usize, file: &Path) -> Result<Vec<Tactic>> {
    let mut tactics = Vec::new();
    let mut next = 0;
    let text = if file.exists() { fs::read_to_string(file)? } else { String::new() };
    // An interrupted run may have cut the last line.
    let whole = text.rfind('\n').map_or(0, |last| last + 1);
    for line in text[..whole].lines() {
        let tactic: Tactic = serde_json::from_str(line).context("a line of positions")?;
        next = tactic.number + 1;
        tactics.push(tactic);
    }
    let mut found = OpenOptions::new().create(true).append(true).open(file)?;
    found.set_len(whole as u64)?;
    let mut dry = 0;
    loop {
        let mut missing: HashMap<Task, usize> =
            row.tasks.iter().map(|&task| (task, wanted)).collect();
        for tactic in &tactics {
            missing.entry(tactic.task).and_modify(|left| *left = left.saturating_sub(1));
        }
        missing.retain(|_, left| *left > 0);
        if missing.is_empty() {
            break;
        }
        if dry == DRY_MAX {
            note(&format!("{}: {missing:?} were not found in {next} games", row.game));
            break;
        }
        let looked_for: Vec<_> =
            Task::ALL.into_iter().filter(|t| missing.contains_key(t)).collect();
        let new = of_game(row, seed, next, &looked_for);
        dry = if new.is_empty() { dry + 1 } else { 0 };
        for tactic in new {
            writeln!(found, "{}", serde_json::to_string(&tactic)?)?;
            tactics.push(tactic);
        }
        next += 1;
    }
    // Those of an earlier run that wanted more.
    let mut left: HashMap<Task, usize> = row.tasks.iter().map(|&task| (task, wanted)).collect();
    tactics.retain(|tactic| {
        left.get_mut(&tactic.task).is_some_and(|left| {
            let is_wanted = *left > 0;
            *left = left.saturating_sub(1);
            is_wanted
        })
    });
    Ok(tactics)
}

/// Plays a game, and takes at most one position of each task out of it.
fn of_game(row: &Row, seed: u64, number: u64, tasks: &[Task]) -> Vec<Tactic> {
    let mut rng = StdRng::seed_from_u64(seed.rotate_left(32) ^ number);
    let mut tasks = tasks.to_vec();
    let (mut position, mut steps) = (row.start(), Vec::new());
    let (mut found, mut visited) = (Vec::new(), vec![position.hash()]);
    for _ in 0..PLIES_MAX {
        tasks.retain(|&task| match examine(&position, task) {
            Ok(Some((moves, mv))) => {
                let (steps, solution) = (steps.clone(), mv.to_string());
                found.push(Tactic { task, number, steps, moves, solution });
                false
            }
            Ok(None) | Err(TooLong) => true,
        });
        let mut pick = |below: usize| rng.random_range(0..below);
        let mut moves = position.sample_moves(CHOICE, &mut pick);
        if rng.random_ratio(BY_CHANCE, 100) {
            moves.truncate(1);
        }
        let Some(mv) = moves.into_iter().max_by_key(|mv| gain(&position, mv)) else { break };
        let seat = position.to_move();
        steps.push(mv.to_string());
        position.apply(&mv);
        // A game with repetitions could end by them.
        let is_over = position.settle().is_some() || visited.contains(&position.hash());
        if is_over || tasks.is_empty() {
            break;
        }
        visited.push(position.hash());
        if position.to_move() == seat {
            steps.push(PASS.to_owned());
        }
    }
    found
}

/// What there is to find in a position, if it is what a task is about, and proven.
fn examine(position: &Position, task: Task) -> Proof<Option<(u32, Move)>> {
    let mut prover = Prover::new(BUDGET);
    let has_many = |count| matches!(count, MoveCount::Exactly(count) if count > MOVES_MAX);
    if has_many(position.count_moves()) {
        return Ok(None);
    }
    match task {
        Task::WinInTwo => win(&mut prover, position, 2),
        Task::WinInThree => win(&mut prover, position, 3),
        Task::SaveFromOne => save(&mut prover, position, 1),
        Task::SaveFromTwo => save(&mut prover, position, 2),
        Task::Ending => {
            let pieces: usize = position.stacks().iter().map(|(_, stack)| stack.len()).sum();
            if pieces > PIECES_MAX {
                return Ok(None);
            }
            prover.allow(10 * BUDGET);
            for moves in 1..=ENDING_MAX {
                if let Some(mv) = prover.winning_move(position, moves)? {
                    return Ok((moves > 3).then_some((moves, mv)));
                }
            }
            Ok(None)
        }
    }
}

/// A win in this number of moves that has no shorter one.
fn win(prover: &mut Prover, position: &Position, moves: u32) -> Proof<Option<(u32, Move)>> {
    if position.moves_needed(position.to_move()) > moves
        || prover.winning_move(position, moves - 1)?.is_some()
    {
        return Ok(None);
    }
    Ok(prover.winning_move(position, moves)?.map(|mv| (moves, mv)))
}

/// A threat to win in this number of moves that a third of the moves or fewer stop.
fn save(prover: &mut Prover, position: &Position, moves: u32) -> Proof<Option<(u32, Move)>> {
    let seat = position.to_move();
    let Some(other) = Seat::all(position.players()).find(|&other| other != seat) else {
        return Ok(None);
    };
    if position.moves_needed(other) > moves || prover.winning_move(position, 1)?.is_some() {
        return Ok(None);
    }
    let mut passed = position.clone();
    passed.skip();
    if passed.settle().is_some()
        || passed.to_move() != other
        || prover.winning_move(&passed, moves - 1)?.is_some()
        || prover.winning_move(&passed, moves)?.is_none()
    {
        return Ok(None);
    }
    prover.allow(BUDGET);
    let list = listed(position)?;
    let (all, mut savers) = (list.len(), Vec::new());
    for mv in list {
        if prover.saves(position, &mv, moves)? {
            savers.push(mv);
            if savers.len() * 3 > all {
                return Ok(None);
            }
        }
    }
    Ok(savers.into_iter().next().map(|mv| (moves, mv)))
}
