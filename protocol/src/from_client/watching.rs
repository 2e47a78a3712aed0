//! How a client looks at games: following one, its board and its past, and what is being played.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::game_request::game_requests;
use crate::ids::{GameId, RequestId, RulesName};

/// Follows a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Watch {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// Replays the events from this one on, instead of a snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// Whether to be named among the spectators; as said in `hello` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<bool>,
}

game_requests! {
    /// Follows a game no longer.
    Unwatch,
    /// Asks for the server's signature under the game's record as it now stands.
    Signature,
    /// Asks for the board to draw.
    Layout,
}

/// Asks for the boards that a game went through, ply by ply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Positions {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// The first ply; 0 is the board before the first move.
    #[serde(default)]
    pub from_ply: u32,
    /// How many at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 100))]
    pub limit: Option<u32>,
}

/// Watches which game is featured, or no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tv {
    /// Names the request.
    pub id: RequestId,
    /// Of which kind.
    pub rules: RulesName,
    /// Whether to be told of changes from now on.
    #[serde(default = "crate::values::yes")]
    pub watch: bool,
}

/// Watches the games that are being played, or no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Live {
    /// Names the request.
    pub id: RequestId,
    /// Only those of this kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesName>,
    /// Whether to be told of changes from now on.
    #[serde(default = "crate::values::yes")]
    pub watch: bool,
    /// Whether as many are wanted as there may be, rather than enough for a corner of a page.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub many: bool,
}
