//! Asking who is how strong, who somebody is, and what they have played.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{GameId, RequestId, RulesName, StandingsCursor, UserName};

/// Lists the players of a game, the strongest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Standings {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub rules: RulesName,
    /// At tables of how many; the fewest that play the game, unless it is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 2, "maximum" = 3))]
    pub players: Option<u8>,
    /// Only those who stand after this place in the list, to turn the page: `next` of the page
    /// before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<StandingsCursor>,
    /// How many at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 100))]
    pub limit: Option<u32>,
}

/// Asks who somebody is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct User {
    /// Names the request.
    pub id: RequestId,
    /// Who.
    pub name: UserName,
}

/// Lists a user's finished games, the one that ended last first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct History {
    /// Names the request.
    pub id: RequestId,
    /// Whose.
    pub user: UserName,
    /// Only those of this game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesName>,
    /// Only those that stand after this one in the list, to turn the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<GameId>,
    /// How many at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 100))]
    pub limit: Option<u32>,
}
