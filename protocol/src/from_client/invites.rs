//! Requests about invites: games that a user offers by a link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lobby::{SeatWish, two};
use crate::{
    ids::{InviteId, RequestId, RulesName},
    values::{Options, TimeControl, is_zero},
};

/// Makes an invite: every user who knows its id may accept it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Invite {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub rules: RulesName,
    /// Its options.
    #[serde(default)]
    pub options: Options,
    /// The number of players, the inviting user included.
    #[serde(default = "two")]
    #[schemars(extend("minimum" = 2, "maximum" = 3))]
    pub players: u8,
    /// The seat that the inviting user prefers.
    #[serde(default)]
    pub seat: SeatWish,
    /// The time control.
    #[serde(default)]
    pub clock: TimeControl,
    /// Whether the game is rated.
    #[serde(default)]
    pub rated: bool,
    /// The number of moves that spectators are behind.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("maximum" = 10))]
    pub delay: u8,
    /// Whether no list shows the game to others than its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
}

/// Lists the user's own open invites, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Invites {
    /// The id of the request.
    pub id: RequestId,
}

/// Requests an invite by its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InviteInfo {
    /// The id of the request.
    pub id: RequestId,
    /// The invite.
    pub invite: InviteId,
}
