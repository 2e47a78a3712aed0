//! What the server's search thinks of a finished game.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{GameId, RequestId},
    words::{constructor, words},
};

words! {
    /// How far the analysis of a game is.
    pub enum AnalysisState {
        /// Others come first.
        Queued = "queued",
        /// Its positions are being searched.
        Running = "running",
        /// It is complete.
        Done = "done",
    }

    /// How much of the chance to win a move lost.
    pub enum MoveVerdict {
        /// Less than a tenth.
        Good = "good",
        /// At least a tenth.
        Inaccuracy = "inaccuracy",
        /// At least a fifth.
        Mistake = "mistake",
        /// At least three tenths.
        Blunder = "blunder",
    }
}

/// The analysis of a finished game of two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Analysis {
    /// The request that this answers.
    pub re: RequestId,
    /// The game.
    pub game: GameId,
    /// How far it is.
    pub state: AnalysisState,
    /// How many others come first, while it is queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead: Option<u32>,
    /// How many positions are searched, while it is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<u32>,
    /// How many positions the game has, from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<u32>,
    /// The moves without skips, each with what is thought of it, once it is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<AnalysedMove>,
    /// The accuracy of the players who made a move, once it is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accuracy: Vec<SeatAccuracy>,
    /// The plies of the moves that lost the most, at most three, once it is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turning_points: Vec<u32>,
}

constructor!(Analysis {
    re: RequestId, game: GameId, state: AnalysisState;
    ahead, searched, positions, moves, accuracy, turning_points
});

/// How accurately the player moved who has a seat at the end of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SeatAccuracy {
    /// The seat.
    pub seat: u8,
    /// 100 if no move lost any chance to win.
    #[cfg_attr(feature = "schema", schemars(range(max = 100)))]
    pub percent: u8,
}

constructor!(SeatAccuracy { seat: u8, percent: u8 });

/// A move of an analysed game. Values are for the seat that made it: 1000 is a certain win, -1000 a
/// certain loss, 0 is even.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct AnalysedMove {
    /// Its ply.
    pub ply: u32,
    /// The seat that made it.
    pub seat: u8,
    /// The move.
    #[serde(rename = "move")]
    pub notation: Box<str>,
    /// The value of the move.
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = -1000, "maximum" = 1000)))]
    pub value: i32,
    /// Whether that value is proven.
    pub exact: bool,
    /// The best move in its place, and how the game would go on.
    pub best: Vec<Box<str>>,
    /// The value of the best move.
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = -1000, "maximum" = 1000)))]
    pub best_value: i32,
    /// Whether that value is proven.
    pub best_exact: bool,
    /// The plies from the best move to the end of the game, where these are proven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
    /// How much of the chance to win it lost.
    pub verdict: MoveVerdict,
    /// In how many moves of the seat a certain win was missed by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed_win: Option<u32>,
}

constructor!(AnalysedMove {
    ply: u32,
    seat: u8,
    notation: Box<str>,
    value: i32,
    best: Vec<Box<str>>,
    best_value: i32,
    verdict: MoveVerdict;
    exact, best_exact, distance, missed_win
});
