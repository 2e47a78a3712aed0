//! The directory of bots.

use serde::{Deserialize, Serialize};

use super::catalogue::HouseLevel;
use crate::{
    constructors::constructor,
    from_client::Acceptance,
    ids::{RequestId, UserName},
    values::Named,
};

/// The bots that are connected and accept challenges, in the order of their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct DirectoryList {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// One page of them.
    pub bots: Vec<DirectoryEntry>,
    /// Whether there are more: request them with `before` set to the last one.
    pub more: bool,
}

constructor!(DirectoryList { bots: Vec<DirectoryEntry>, more: bool; re });

/// A bot in the directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct DirectoryEntry {
    /// The name, which challenges go to.
    pub user: UserName,
    /// The owner, if the bot has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<UserName>,
    /// Whether the bot is a guest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// The level, if the bot is one of the server's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<HouseLevel>,
    /// The bot's ratings, by game and number of players: `adamas/2`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub ratings: Named<u16>,
    /// Which challenges the bot accepts.
    pub accepts: Acceptance,
    /// How many more games the bot would begin at present. The server's own bots do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<u32>,
}

constructor!(DirectoryEntry {
    user: UserName, accepts: Acceptance;
    owner, guest, level, ratings, free
});
