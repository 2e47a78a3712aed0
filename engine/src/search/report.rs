//! What a thought answers: moves, their values, and what finding them took.

use std::time::Duration;

use adamant_rules::Move;

/// The score of a certain win.
pub const SCORE_MAX: i32 = 1000;

/// A move at the root and how the search expects the game to go on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    /// The moves in canonical notation, at least one.
    pub moves: Vec<String>,
    /// The value for the seat to move, from -[`SCORE_MAX`] to [`SCORE_MAX`].
    pub value: i32,
    /// Whether the value is proven: by the end of the game or a complete proof.
    pub exact: bool,
    /// Moves to the end of the game, where it is proven.
    pub distance: Option<u32>,
}

/// What a thought has found, at its end or so far.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// The best move; `None` if the seat to move has none.
    pub best: Option<Move>,
    /// The best moves with their continuations, the best first.
    pub lines: Vec<Line>,
    /// The value of the best move for the seat to move, from -[`SCORE_MAX`] to [`SCORE_MAX`].
    pub value: i32,
    /// Whether the value is proven.
    pub exact: bool,
    /// The moves that all lines were looked ahead.
    pub depth: u32,
    /// The moves that the longest line was looked ahead.
    pub seldepth: u32,
    /// The share of the tables in use, in thousandths.
    pub hashfull: u32,
    /// The nodes.
    pub nodes: u64,
    /// The time.
    pub time: Duration,
}
