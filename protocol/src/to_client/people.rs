//! Standings, profiles, histories and the user's own settings.

use serde::{Deserialize, Serialize};

use super::lobby::GameEntry;
use crate::{
    constructors::constructor,
    ids::{RequestId, RulesName, StandingsCursor, UserName},
    values::UserSettings,
};

/// The players of a game, strongest first. Provisional ratings follow the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct StandingList {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The game.
    pub rules: RulesName,
    /// The number of players.
    pub players: u8,
    /// One page of them.
    pub standings: Vec<Standing>,
    /// Whether there are more: request them with `before` set to `next`.
    pub more: bool,
    /// The place at which the next page begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<StandingsCursor>,
}

constructor!(StandingList {
    rules: RulesName, players: u8, standings: Vec<Standing>, more: bool;
    re, next
});

/// A rating with the games behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RatingRecord {
    /// The rating.
    pub rating: u16,
    /// The deviation of the rating.
    pub deviation: u16,
    /// Whether the rating is provisional, for lack of games.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// The number of rated games.
    pub games: u32,
    /// The games in which the user alone was first.
    pub wins: u32,
    /// The games in which the user shared the first place.
    pub draws: u32,
    /// The games in which another user was first.
    pub losses: u32,
}

constructor!(RatingRecord {
    rating: u16, deviation: u16, games: u32, wins: u32, draws: u32, losses: u32;
    provisional
});

/// A player in the standings of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Standing {
    /// The place from 1 among the users listed. Equal ratings share it.
    pub place: u32,
    /// The user.
    pub user: UserName,
    /// Whether the user is a bot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// The rating and the games behind it.
    #[serde(flatten)]
    pub record: RatingRecord,
}

constructor!(Standing { place: u32, user: UserName, record: RatingRecord; bot });

/// A user's profile. All of it is public.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct UserProfile {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The name, as its owner spells it.
    pub user: UserName,
    /// The time of creation in epoch milliseconds.
    pub since: u64,
    /// Whether the user is a bot.
    pub bot: bool,
    /// The owner, if the user is a bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<UserName>,
    /// Whether the user is a guest.
    pub guest: bool,
    /// Whether the user is connected.
    pub online: bool,
    /// The number of live games.
    pub live: u32,
    /// The number of finished games, aborted ones included.
    pub finished: u32,
    /// The user's rating in each pool.
    pub ratings: Vec<PoolRating>,
}

/// A user's rating in one pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PoolRating {
    /// The game.
    pub rules: RulesName,
    /// The number of players.
    pub players: u8,
    /// The place in the standings of the pool.
    pub place: u32,
    /// The rating and the games behind it.
    #[serde(flatten)]
    pub record: RatingRecord,
}

constructor!(PoolRating { rules: RulesName, players: u8, place: u32, record: RatingRecord });

/// A user's finished games, the one that ended last first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct HistoryList {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The user.
    pub user: UserName,
    /// One page of them.
    pub games: Vec<GameEntry>,
    /// Whether there are more: request them with `before` set to the last one.
    pub more: bool,
}

constructor!(HistoryList { user: UserName, games: Vec<GameEntry>, more: bool; re });

/// The user's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SettingsState {
    /// The request that this answers. Without it another session of the user has changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The settings.
    #[serde(flatten)]
    pub settings: UserSettings,
}

constructor!(SettingsState { settings: UserSettings; re });
