//! The result of a game: a line of a results file.

use adamant_protocol::GameId;
use serde::{Deserialize, Serialize};

use crate::tournament::fault::Fault;

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

/// A game that has been played.
#[derive(Debug)]
pub(crate) struct PlayedGame {
    /// Its result.
    pub(crate) result: GameResult,
    /// The journal record, an event a line.
    pub(crate) journal: Vec<u8>,
    /// The text record.
    pub(crate) text: String,
}
