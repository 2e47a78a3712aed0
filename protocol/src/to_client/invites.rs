//! Invites: games that a user offers by a link.

use serde::{Deserialize, Serialize};

use crate::{
    constructors::constructor,
    from_client::SeatWish,
    ids::{GameId, InviteId, RequestId, RulesName, UserName},
    reasons::ClosedReason,
    values::{Named, OptionValue, TimeControl, is_zero},
};

/// An invite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::struct_excessive_bools, reason = "they are fields of the message")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct InviteEntry {
    /// The id of the invite.
    pub invite: InviteId,
    /// The inviting user.
    pub by: UserName,
    /// Whether the user is a bot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// Whether the user is a guest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// The game.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// The number of players.
    pub players: u8,
    /// The seat that the inviting user prefers.
    pub seat: SeatWish,
    /// The time control.
    pub clock: TimeControl,
    /// Whether the game is rated, if no player is a guest.
    pub rated: bool,
    /// The number of moves that spectators are behind while the game is live.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
    /// Whether no list shows the game to others than its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
    /// The users who have joined so far, the inviting user included.
    pub joined: Vec<UserName>,
    /// The time of creation in epoch milliseconds.
    pub created: u64,
    /// The time at which it expires, in epoch milliseconds.
    pub expires: u64,
    /// The game that has begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The reason, if it was closed without a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ClosedReason>,
}

/// One invite. Without `re` it has changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct InviteState {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The invite.
    #[serde(flatten)]
    pub entry: InviteEntry,
}

constructor!(InviteState { entry: InviteEntry; re });

/// The user's open invites.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct InviteList {
    /// The request that this answers.
    pub re: RequestId,
    /// The invites, the newest first.
    pub invites: Vec<InviteEntry>,
}

constructor!(InviteList { re: RequestId, invites: Vec<InviteEntry> });
