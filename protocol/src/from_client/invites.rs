//! Requests about invites: games that a user offers by a link.

use serde::{Deserialize, Serialize};

use super::lobby::{SeatWish, two};
use crate::{
    constructors::constructor,
    ids::{InviteId, RequestId, RulesName},
    values::{Options, TimeControl, is_zero},
    words::known,
};

/// Makes an invite: every user who knows its id may accept it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
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
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 2, "maximum" = 3)))]
    pub players: u8,
    /// The seat that the inviting user prefers.
    #[serde(default, deserialize_with = "known")]
    pub seat: SeatWish,
    /// The time control.
    #[serde(default, deserialize_with = "known")]
    pub clock: TimeControl,
    /// Whether the game is rated.
    #[serde(default)]
    pub rated: bool,
    /// The number of moves that spectators are behind.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "schema", schemars(extend("maximum" = 10)))]
    pub delay: u8,
    /// Whether no list shows the game to others than its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
}

constructor!(Invite {
    id: RequestId, rules: RulesName;
    options, players = two(), seat, clock, rated, delay, unlisted
});

/// Lists the user's own open invites, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Invites {
    /// The id of the request.
    pub id: RequestId,
}

constructor!(Invites { id: RequestId });

/// Requests an invite by its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct InviteInfo {
    /// The id of the request.
    pub id: RequestId,
    /// The invite.
    pub invite: InviteId,
}

constructor!(InviteInfo { id: RequestId, invite: InviteId });
