//! Requests for standings, profiles, histories and the user's own settings.

use serde::{Deserialize, Serialize};

use crate::{
    constructors::constructor,
    ids::{GameId, RequestId, RulesName, StandingsCursor, UserName},
    values::Challengers,
    words::known,
};

/// Lists the players of a game, strongest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Standings {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub rules: RulesName,
    /// The number of players; by default the smallest that the game allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 2, "maximum" = 3)))]
    pub players: Option<u8>,
    /// Lists only bots, or only people; both if absent. Places are those among the users listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<bool>,
    /// The place at which the page before ended: its `next`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<StandingsCursor>,
    /// The most entries to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = 100)))]
    pub limit: Option<u32>,
}

constructor!(Standings { id: RequestId, rules: RulesName; players, bot, before, limit });

/// Requests a user's profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct User {
    /// The id of the request.
    pub id: RequestId,
    /// The user.
    pub name: UserName,
}

constructor!(User { id: RequestId, name: UserName });

/// Lists a user's finished games, most recently ended first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct History {
    /// The id of the request.
    pub id: RequestId,
    /// The user.
    pub user: UserName,
    /// The kind of games to list; all kinds if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesName>,
    /// The last entry of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<GameId>,
    /// The most entries to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = 100)))]
    pub limit: Option<u32>,
}

constructor!(History { id: RequestId, user: UserName; rules, before, limit });

/// Requests the user's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SettingsGet {
    /// The id of the request.
    pub id: RequestId,
}

constructor!(SettingsGet { id: RequestId });

/// Changes the settings that are given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SettingsSet {
    /// The id of the request.
    pub id: RequestId,
    /// Who may challenge the user.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub challenges: Option<Challengers>,
}

constructor!(SettingsSet { id: RequestId; challenges });
