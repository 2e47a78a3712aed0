//! Messages to spectators: live games, the featured game, and positions by ply.

use serde::{Deserialize, Serialize};

use super::lobby::GameEntry;
use crate::{
    ids::{GameId, PositionHash, RequestId, RulesName},
    values::{Capture, Named},
    words::constructor,
};

/// A position of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PlyPosition {
    /// The number of moves and skips before it.
    pub ply: u32,
    /// The seat that moved or was skipped; absent before the first move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// The move in canonical notation; a skip is `pass`.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<Box<str>>,
    /// The captured pieces.
    pub captures: Vec<Capture>,
    /// The board after it and all its consequences.
    pub position: Named<Box<str>>,
    /// Cells with pieces that another seat could capture, were it that seat's turn; absent in games
    /// without captures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threatened: Option<Vec<Box<str>>>,
    /// The seat to move; `null` if the game had ended.
    pub to_move: Option<u8>,
    /// The cells by which the game was won on the board.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub winning: Vec<Box<str>>,
    /// The clocks after it; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
}

constructor!(PlyPosition {
    ply: u32, captures: Vec<Capture>, position: Named<Box<str>>, to_move: Option<u8>;
    seat, notation, threatened, winning, left_ms
});

/// The positions of a game, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PositionList {
    /// The request that this answers.
    pub re: RequestId,
    /// The game.
    pub game: GameId,
    /// The positions.
    pub positions: Vec<PlyPosition>,
    /// Whether there are later ones: request them from the ply after the last.
    pub more: bool,
}

constructor!(PositionList { re: RequestId, game: GameId, positions: Vec<PlyPosition>, more: bool });

/// The featured game of a kind. Without `re` it has just changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Featured {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The kind of game.
    pub rules: RulesName,
    /// The game; `null` if there is no live game.
    pub game: Option<GameId>,
    /// The entry as in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<GameEntry>,
}

constructor!(Featured { rules: RulesName, game: Option<GameId>; re, entry });

/// A game with its board, small enough for a page of many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct LiveGame {
    /// The entry as in lists.
    pub entry: GameEntry,
    /// The seq of the last event that this contains.
    pub seq: u64,
    /// The board: cell name to pieces, bottom piece first.
    pub position: Named<Box<str>>,
    /// The position's hash.
    pub hash: PositionHash,
    /// The last move; `pass` for a skip, absent before the first.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub last_move: Option<Box<str>>,
}

constructor!(LiveGame {
    entry: GameEntry, seq: u64, position: Named<Box<str>>, hash: PositionHash;
    last_move
});

/// The live games, or their changes. A game that is added again replaces the old entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct LiveChange {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// Whether these are all games. The client then forgets all others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub full: bool,
    /// Games that are new or have changed, the latest change first.
    pub add: Vec<LiveGame>,
    /// The games that are no longer listed.
    pub remove: Vec<GameId>,
    /// Whether the next `live` without `re` continues this one, which did not fit into one frame.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

constructor!(LiveChange { add: Vec<LiveGame>, remove: Vec<GameId>; re, full, more });
