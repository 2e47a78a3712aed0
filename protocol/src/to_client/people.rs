//! Who is how strong, who somebody is, and what they have played.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lobby::GameEntry;
use crate::ids::{RequestId, RulesName, StandingsCursor, UserName};

/// The players of a game, the strongest first; those whose rating is provisional follow the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandingList {
    /// The request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The game.
    pub rules: RulesName,
    /// At tables of how many.
    pub players: u8,
    /// One page of them.
    pub standings: Vec<Standing>,
    /// Whether there are more: ask again with `before` what stands in `next`.
    pub more: bool,
    /// Where the next page begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<StandingsCursor>,
}

/// A rating with the games behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RatingRecord {
    /// The rating.
    pub rating: u16,
    /// How far off it may be.
    pub deviation: u16,
    /// Whether too few games are behind it to say much.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// How many games counted.
    pub games: u32,
    /// In how many of them the user alone was first.
    pub wins: u32,
    /// In how many the user shared the first place.
    pub draws: u32,
    /// In how many another was before the user.
    pub losses: u32,
}

/// A player in the standings of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// From 1; equals share it.
    pub place: u32,
    /// Who.
    pub user: UserName,
    /// Whether that is a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// The rating and the games behind it.
    #[serde(flatten)]
    pub record: RatingRecord,
}

/// Who somebody is. Nothing here is private.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserProfile {
    /// The request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The name, as its owner spells it.
    pub user: UserName,
    /// Since when there is such a user.
    pub since: u64,
    /// Whether that is a program.
    pub bot: bool,
    /// Whose program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<UserName>,
    /// Whether there is no account.
    pub guest: bool,
    /// Whether the user is connected.
    pub online: bool,
    /// How many games go on.
    pub live: u32,
    /// How many games are over, those called off included.
    pub finished: u32,
    /// The user's rating in each game that was played for one.
    pub ratings: Vec<PoolRating>,
}

/// A user's rating in one game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PoolRating {
    /// The game.
    pub rules: RulesName,
    /// At tables of how many.
    pub players: u8,
    /// The place among all who play it.
    pub place: u32,
    /// The rating and the games behind it.
    #[serde(flatten)]
    pub record: RatingRecord,
}

/// A user's finished games, the one that ended last first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryList {
    /// The request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// Whose they are.
    pub user: UserName,
    /// One page of them.
    pub games: Vec<GameEntry>,
    /// Whether there are more: ask again with `before` the last one.
    pub more: bool,
}
