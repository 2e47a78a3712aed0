//! The request for the statistics of a game.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{RequestId, RulesName};

/// Requests the statistics of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stats {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub rules: RulesName,
    /// The number of players; by default the smallest that the game allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 2, "maximum" = 3))]
    pub players: Option<u8>,
    /// Counts only the games between such players; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponents: Option<Opponents>,
}

/// Who plays a game.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Opponents {
    /// Only people.
    People,
    /// Only bots.
    Bots,
    /// Both people and bots.
    Mixed,
}
