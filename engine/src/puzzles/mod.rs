//! Puzzles: positions of two players in which few moves reach the goal, each with its proof.
//!
//! - [`Puzzle`] is a line of a file of puzzles; [`Puzzle::prove`] tries every move in the rules.
//! - [`mine`] finds new ones in games.

pub mod mine;

use std::collections::HashSet;

use adamant_protocol::{
    ids::RulesName,
    values::{Named, OptionValue, Options},
};
use adamant_record::wire::{self, WireError};
use adamant_rules::{
    IllegalMove, Kind, Move, Position,
    game::MoveCount,
    options::OptionError,
    proof::{Prover, TooLong, listed},
};
use serde::{Deserialize, Serialize};

/// The players of a puzzle.
pub const PLAYERS: usize = 2;

/// The most moves of the solver in a win.
pub const MOVES_MAX: u32 = 3;

/// The hardest grade; the easiest is 1.
pub const GRADE_MAX: u8 = 5;

/// Hexadecimal digits in the id of a puzzle.
const ID_DIGITS: usize = 8;

/// A puzzle, as a line of JSON. Several moves are written with spaces between them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Puzzle {
    /// The game and digits of the position's hash.
    pub id: String,
    /// The game with the version of its rules.
    pub rules: RulesName,
    /// The options that were chosen; the others have their defaults.
    pub options: Named<OptionValue>,
    /// The moves from the start to the position.
    pub moves: String,
    /// What the seat to move has to reach.
    pub goal: Goal,
    /// The plies to the win against the best defence, or to the loss after a wrong move.
    pub plies: u32,
    /// How many moves are legal.
    pub choices: usize,
    /// The solution. For a win it goes on with the longest defence, the only move that wins in time
    /// after it, and so on, to a move that ends the game.
    pub solution: String,
    /// The other first moves that win as fast.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub also: String,
    /// How hard it is, from 1 to [`GRADE_MAX`]. It is measured, not proven.
    pub grade: u8,
    /// Replies to wrong moves; some puzzles have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refutations: Vec<Refutation>,
}

/// What the seat to move has to reach.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// To win within the puzzle's plies, whatever the other seat plays.
    Win,
    /// Not to lose: after each other move the other seat wins within the puzzle's plies.
    Save,
}

/// A reply to wrong moves. The first of a puzzle answers all that no other lists.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refutation {
    /// The move of the other seat.
    pub reply: String,
    /// The moves that it refutes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
}

/// What is wrong with a puzzle.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It is of a game, or a version of its rules, that there is not.
    #[error(transparent)]
    Rules(#[from] WireError),
    /// It has other options than its game.
    #[error(transparent)]
    Options(#[from] OptionError),
    /// A move is illegal.
    #[error("{0}: {1}")]
    Move(String, IllegalMove),
    /// A move ends the game too early, or gives the turn to a seat that is not its.
    #[error("{0} ends the game, or passes a seat over")]
    Interrupted(String),
    /// A position on the way comes for the third time.
    #[error("{0} repeats a position for the third time")]
    Repeats(String),
    /// The options let moves be legal that no list contains.
    #[error("not all moves can be listed")]
    NotCounted,
    /// The proof is too long.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// A field has another value than the position gives it.
    #[error("{0} is {1}")]
    Field(&'static str, String),
    /// The game can be won faster.
    #[error("{0} wins faster")]
    Faster(Move),
    /// Other moves reach the goal than the puzzle names.
    #[error("the goal is reached by: {0}")]
    Solutions(String),
    /// A reply of the solution is not the longest defence.
    #[error("{0} is not the longest defence")]
    Defence(String),
    /// The last move of the solution does not win.
    #[error("{0} does not win")]
    NotWon(String),
    /// A reply does not refute a move.
    #[error("{reply} does not refute {mv}")]
    NotRefuted {
        /// The reply.
        reply: String,
        /// The wrong move.
        mv: String,
    },
}

/// The id of a position's puzzle.
fn id(position: &Position) -> String {
    let digest = format!("{:016x}", position.hash());
    format!("{}-{}", position.kind().name(), &digest[..ID_DIGITS])
}

/// Makes a move with its consequences. Returns whether the other seat is to move then.
fn pass_on(position: &mut Position, mv: &Move) -> bool {
    let seat = position.to_move();
    position.apply(mv);
    position.settle().is_none() && position.to_move() != seat
}

/// Reads a move that the rules allow.
fn read(position: &Position, notation: &str) -> Result<Move, Fault> {
    let illegal = |why| Fault::Move(notation.to_owned(), why);
    let mv = position.parse_move(notation).map_err(illegal)?;
    position.validate(&mv).map_err(illegal)?;
    Ok(mv)
}

impl Puzzle {
    /// The game.
    ///
    /// # Errors
    ///
    /// If there is no such game, or not this version of its rules.
    pub fn kind(&self) -> Result<Kind, Fault> {
        Ok(wire::kind(&self.rules)?)
    }

    /// How many moves of its own the solver has, or after a wrong move the other seat.
    pub const fn own_moves(&self) -> u32 {
        self.plies.div_ceil(2)
    }

    /// The first moves that solve it.
    pub fn solutions(&self) -> impl Iterator<Item = &str> {
        self.solution.split_whitespace().take(1).chain(self.also.split_whitespace())
    }

    /// Returns the reply that refutes a wrong first move, if the puzzle names it.
    pub fn refutation(&self, mv: &str) -> Option<&str> {
        let (first, others) = self.refutations.split_first()?;
        let listed = others.iter().find(|each| each.moves.iter().any(|listed| listed == mv));
        Some(&listed.unwrap_or(first).reply)
    }

    /// Plays the moves to the position.
    ///
    /// # Errors
    ///
    /// If a move is illegal, ends the game or repeats a position for the third time.
    pub fn position(&self) -> Result<Position, Fault> {
        let kind = self.kind()?;
        let options = wire::given_options(kind, &Options::Named(self.options.clone()))?;
        let mut position = kind.open(&options, PLAYERS)?;
        let mut hashes = vec![position.hash()];
        for notation in self.moves.split_whitespace() {
            let mv = read(&position, notation)?;
            position.apply(&mv);
            if position.settle().is_some() {
                return Err(Fault::Interrupted(notation.to_owned()));
            }
            hashes.push(position.hash());
            if hashes.iter().filter(|&&hash| hash == position.hash()).count() >= 3 {
                return Err(Fault::Repeats(notation.to_owned()));
            }
        }
        Ok(position)
    }

    /// Proves the puzzle by trying every move, at most `moves_max` in all. Nothing that the miner
    /// has found out is taken for granted.
    ///
    /// # Errors
    ///
    /// If it is wrong, or the proof is too long.
    pub fn prove(&self, moves_max: u64) -> Result<(), Fault> {
        let position = self.position()?;
        if matches!(position.count_moves(), MoveCount::NotCounted(_)) {
            return Err(Fault::NotCounted);
        }
        let moves = listed(&position)?;
        if self.id != id(&position) {
            return Err(Fault::Field("the id", id(&position)));
        }
        if self.choices != moves.len() {
            return Err(Fault::Field("the number of choices", moves.len().to_string()));
        }
        if !(1..=GRADE_MAX).contains(&self.grade) {
            return Err(Fault::Field("the grade", format!("at most {GRADE_MAX}")));
        }
        if self.plies.is_multiple_of(2) || self.own_moves() > MOVES_MAX {
            return Err(Fault::Field("the number of plies", "odd and at most 5".to_owned()));
        }
        let mut prover = Prover::new(moves_max);
        let mut right = HashSet::new();
        for mv in &moves {
            let is_right = match self.goal {
                Goal::Win => prover.wins_by(&position, mv, self.own_moves())?,
                Goal::Save => prover.saves(&position, mv, self.own_moves())?,
            };
            if is_right {
                right.insert(mv.to_string());
            }
        }
        if right != self.solutions().map(ToOwned::to_owned).collect() {
            return Err(Fault::Solutions(right.into_iter().collect::<Vec<_>>().join(" ")));
        }
        if self.goal == Goal::Win {
            self.prove_line(&mut prover, position.clone())?;
        }
        self.prove_refutations(&mut prover, &position, &moves)
    }

    /// Proves that the win takes its time, and that the line is the only one after the first move.
    fn prove_line(&self, prover: &mut Prover, mut position: Position) -> Result<(), Fault> {
        let line: Vec<&str> = self.solution.split_whitespace().collect();
        if line.len() != self.plies as usize {
            return Err(Fault::Field("the length of the solution", self.plies.to_string()));
        }
        let seat = position.to_move();
        for (index, &notation) in line.iter().enumerate() {
            let left = self.own_moves() - u32::try_from(index).unwrap_or(u32::MAX).div_ceil(2);
            let mv = read(&position, notation)?;
            if index % 2 == 0 {
                if let Some(faster) = prover.winning_move(&position, left - 1)? {
                    return Err(match index.checked_sub(1) {
                        Some(reply) => Fault::Defence(line[reply].to_owned()),
                        None => Fault::Faster(faster),
                    });
                }
                // The first moves are compared before, and any win ends the game.
                if index > 0 && left > 1 {
                    let wins = prover.winning_moves(&position, left)?;
                    if wins != [mv.clone()] {
                        return Err(Fault::Solutions(written(&wins)));
                    }
                }
            }
            if index + 1 < line.len() && !pass_on(&mut position, &mv) {
                return Err(Fault::Interrupted(notation.to_owned()));
            }
            if index + 1 == line.len() {
                position.apply(&mv);
                let winner = position.settle().and_then(|(winners, _)| winners.single());
                if winner != Some(seat) {
                    return Err(Fault::NotWon(notation.to_owned()));
                }
            }
        }
        Ok(())
    }

    /// Proves that each wrong move which a reply can answer has the reply that refutes it.
    fn prove_refutations(
        &self,
        prover: &mut Prover,
        position: &Position,
        moves: &[Move],
    ) -> Result<(), Fault> {
        let right: HashSet<&str> = self.solutions().collect();
        for wrong in moves.iter().filter(|mv| !right.contains(&*mv.to_string())) {
            let mut after = position.clone();
            if !pass_on(&mut after, wrong) {
                continue;
            }
            let mv = wrong.to_string();
            let Some(reply) = self.refutation(&mv) else { return Ok(()) };
            let reply = read(&after, reply)?;
            let refutes = match self.goal {
                Goal::Win => prover.saves(&after, &reply, self.own_moves() - 1)?,
                Goal::Save => prover.wins_by(&after, &reply, self.own_moves())?,
            };
            if !refutes {
                return Err(Fault::NotRefuted { reply: reply.to_string(), mv });
            }
        }
        Ok(())
    }
}

fn written(moves: &[Move]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
