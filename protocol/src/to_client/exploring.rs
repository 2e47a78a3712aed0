//! The answer to an analysis.

use serde::{Deserialize, Serialize};

use super::game::GameResult;
use crate::{
    constructors::constructor,
    ids::{RequestId, RulesName},
    sketch::{FirstSteps, Outlook},
    values::{Capture, Named, OptionValue},
};

/// The position after tried moves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Explored {
    /// The request that this answers.
    pub re: RequestId,
    /// The kind of game.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// How many play it.
    pub players: u8,
    /// The number of moves and skips before the position.
    pub ply: u32,
    /// The seat to move; `null` if the game would be over.
    pub to_move: Option<u8>,
    /// The tried moves, canonical.
    pub moves: Vec<Box<str>>,
    /// The board.
    pub position: Named<Box<str>>,
    /// Cells with pieces that another seat could capture, were it that seat's turn; absent in games
    /// without captures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threatened: Option<Vec<Box<str>>>,
    /// The pieces that the last move captured.
    pub captures: Vec<Capture>,
    /// For each seat, a letter for each piece that it has yet to bring onto the board; absent if no
    /// seat has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<Vec<Box<str>>>,
    /// The result; `null` if the game would go on.
    pub result: Option<GameResult>,
    /// The cells by which the game would be won.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub winning: Vec<Box<str>>,
    /// The first steps of the next move, if the request asks for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<FirstSteps>,
    /// The completions of the sketch with the board, if the request has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<Outlook>,
    /// The opinion of one of the server's bots, if the request asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opinion: Option<Opinion>,
}

/// What one of the server's bots thinks of a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Opinion {
    /// The move that it would make.
    pub best: Box<str>,
    /// Its value for the side to move: 1000 is a certain win, -1000 a certain loss, 0 is even.
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = -1000, "maximum" = 1000)))]
    pub score: i32,
    /// How many moves it has looked ahead.
    pub depth: u32,
}

constructor!(Opinion { best: Box<str>, score: i32, depth: u32 });
