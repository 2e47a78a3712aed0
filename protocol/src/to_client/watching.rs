//! Looking at many games, or at many boards of one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lobby::GameEntry;
use crate::{
    ids::{GameId, PositionHash, RequestId, RulesName},
    values::{Capture, Named},
};

/// A board that a game went through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlyPosition {
    /// After so many moves and skips.
    pub ply: u32,
    /// Who moved, or could not; absent before the first move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// The move in canonical notation; a skip is `pass`.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<Box<str>>,
    /// What it captured.
    pub captures: Vec<Capture>,
    /// The board after it, and after what followed from it.
    pub position: Named<Box<str>>,
    /// Cells with pieces that another seat could capture, were it that seat's turn; absent in games
    /// without captures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threatened: Option<Vec<Box<str>>>,
    /// Whose turn it was then; `null` if the game was over.
    pub to_move: Option<u8>,
    /// The clocks after it; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
}

/// The boards that a game went through, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PositionList {
    /// The request it answers.
    pub re: RequestId,
    /// Which game.
    pub game: GameId,
    /// The boards.
    pub positions: Vec<PlyPosition>,
    /// Whether there are later ones: ask again from behind the last.
    pub more: bool,
}

/// The game that is featured of its kind. Without `re` it has just changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Featured {
    /// The request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// Of which kind.
    pub rules: RulesName,
    /// Which; `null` if none is being played.
    pub game: Option<GameId>,
    /// What lists say of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<GameEntry>,
}

/// A game with its board, small enough for a page of many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiveGame {
    /// What lists say of it.
    pub entry: GameEntry,
    /// The last event that this contains.
    pub seq: u64,
    /// The board: cell name to pieces, bottom piece first.
    pub position: Named<Box<str>>,
    /// The position's hash.
    pub hash: PositionHash,
    /// The last move; `pass` for a skip, absent before the first.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub last_move: Option<Box<str>>,
}

/// The games that are being played, or how they changed. A game that is added again replaces itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiveChange {
    /// The request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// Whether these are all there are: what was known before is to be forgotten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub full: bool,
    /// Games that are new or have changed, the latest change first.
    pub add: Vec<LiveGame>,
    /// Games that are shown no longer.
    pub remove: Vec<GameId>,
    /// Whether the next `live` without `re` goes on with this one: they are too many for a frame.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}
