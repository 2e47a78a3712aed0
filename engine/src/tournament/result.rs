//! The result of a game: a line of a results file.

use std::{fmt, time::Duration};

use adamant_protocol::GameId;
use serde::{Deserialize, Serialize};

use super::limits::FAULT_TEXT_MAX;
use crate::protocol::EngineError;

/// The result of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameResult {
    /// The number of the game, from 1.
    pub game: u32,
    /// The number of its opening, from 1.
    pub opening: usize,
    /// The engines in the order of the seats at the start.
    pub seats: Vec<String>,
    /// The winner, or all who share a draw.
    pub winners: Vec<String>,
    /// How the game ended: a reason of the record, a fault, or `max_plies`.
    pub reason: String,
    /// Moves and skips.
    pub plies: u32,
    /// What engines did wrong, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// The chain of the last event of the record, which seals it.
    pub chain: String,
    /// What each engine used, in the order of the seats. It differs from run to run and stands in a
    /// file of its own.
    #[serde(skip)]
    pub usage: Vec<Usage>,
}

/// What an engine used for its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Its moves.
    pub moves: u64,
    /// The time of all of them in microseconds.
    pub micros: u64,
    /// The longest time of one.
    pub micros_max: u64,
    /// The moves of which it has told the nodes.
    pub counted: u64,
    /// The nodes of these.
    pub nodes: u64,
    /// The most of one.
    pub nodes_max: u64,
}

impl Usage {
    /// Counts a move.
    pub(crate) fn count(&mut self, time: Duration, nodes: Option<u64>) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let nodes_max = nodes.unwrap_or(0);
        let counted = u64::from(nodes.is_some());
        let one =
            Self { moves: 1, micros, micros_max: micros, counted, nodes: nodes_max, nodes_max };
        self.add(one);
    }

    /// Adds what was used in another game.
    pub(crate) fn add(&mut self, other: Self) {
        self.moves += other.moves;
        self.micros = self.micros.saturating_add(other.micros);
        self.micros_max = self.micros_max.max(other.micros_max);
        self.counted += other.counted;
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.nodes_max = self.nodes_max.max(other.nodes_max);
    }
}

impl GameResult {
    /// The number of the game, from 0.
    pub(crate) const fn index(&self) -> u32 {
        self.game.saturating_sub(1)
    }

    /// What an engine won in it: 1, a part of a shared game, or 0.
    pub fn share(&self, engine: &str) -> f64 {
        if self.winners.iter().any(|winner| winner == engine) {
            1.0 / f64::from(u32::try_from(self.winners.len()).unwrap_or(u32::MAX))
        } else {
            0.0
        }
    }
}

/// Returns the id of a game's record, which is also the name of its files.
pub(crate) fn game_id(number: u32) -> GameId {
    format!("game-{number:06}").parse().expect("it has less than 16 letters and digits")
}

#[derive(Debug)]
pub(crate) struct PlayedGame {
    pub(crate) result: GameResult,
    /// The journal record, an event a line.
    pub(crate) journal: Vec<u8>,
    /// The text record.
    pub(crate) text: String,
}

/// A kind of fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Its process ended, or could not be started.
    Crashed,
    /// It made a move that the rules refuse.
    IllegalMove,
    /// Its flag fell, or it exceeded `--movetime`.
    TimedOut,
    /// It did not answer within `--hang-timeout`, or was never ready.
    NoAnswer,
    /// A line was too long, it asked too many questions, or it did not read its input.
    Protocol,
    /// It said `error`.
    Error,
}

impl FaultKind {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crashed => "crashed",
            Self::IllegalMove => "illegal_move",
            Self::TimedOut => "timed_out",
            Self::NoAnswer => "no_answer",
            Self::Protocol => "protocol",
            Self::Error => "error",
        }
    }

    /// Returns the kind of an error. `is_timed` says whether a clock or a time for the move ran.
    pub(crate) const fn of(error: &EngineError, is_timed: bool) -> Self {
        match error {
            EngineError::Command(_)
            | EngineError::Spawn(_)
            | EngineError::Ended(_)
            | EngineError::Closed => Self::Crashed,
            EngineError::LineTooLong | EngineError::NotReading | EngineError::TooManyQuestions => {
                Self::Protocol
            }
            EngineError::NoAnswer if is_timed => Self::TimedOut,
            EngineError::NotReady(_) | EngineError::NoAnswer => Self::NoAnswer,
            EngineError::Refused(_) => Self::Error,
            EngineError::IllegalMove { .. } => Self::IllegalMove,
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A fault of an engine in a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// The engine.
    pub engine: String,
    /// How many plies had been played.
    pub ply: u32,
    /// What it did.
    pub kind: FaultKind,
    /// The same in words.
    pub text: String,
}

impl Fault {
    /// Describes a fault. The text becomes one short line.
    pub(crate) fn new(engine: &str, ply: u32, kind: FaultKind, text: &str) -> Self {
        let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
        let text = text.chars().map(plain).take(FAULT_TEXT_MAX).collect();
        Self { engine: engine.to_owned(), ply, kind, text }
    }
}
