//! Requests to watch: one game, its board and its positions, and the live games.

use serde::{Deserialize, Serialize};

use super::game_request::game_requests;
use crate::{
    ids::{GameId, RequestId, RulesName},
    values::Options,
    words::constructor,
};

/// Subscribes to a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Watch {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub game: GameId,
    /// The seq from which to replay events; absent for a snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// Whether to be named among the spectators; by default as in `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<bool>,
}

constructor!(Watch { id: RequestId, game: GameId; from, named });

game_requests! {
    /// Unsubscribes from a game.
    Unwatch,
    /// Requests the analysis of a finished game of two. If there is none yet, the server makes one.
    Analyse,
    /// Requests the server's signature of the game's present record.
    Signature,
}

/// Requests the board to draw: of a game, or of a kind of game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Layout {
    /// The id of the request.
    pub id: RequestId,
    /// The game. Without it `rules` names the kind of game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The kind of game, without `game`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesName>,
    /// Its options.
    #[serde(default)]
    pub options: Options,
    /// How many play it.
    #[serde(default = "super::lobby::two")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 2, "maximum" = 3)))]
    pub players: u8,
}

constructor!(Layout { id: RequestId; game, rules, options, players = super::lobby::two() });

/// Requests the positions of a game by ply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Positions {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub game: GameId,
    /// The first ply. 0 is the position before the first move.
    #[serde(default)]
    pub from_ply: u32,
    /// The most entries to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = 100)))]
    pub limit: Option<u32>,
}

constructor!(Positions { id: RequestId, game: GameId; from_ply, limit });

/// Returns the featured game of a kind, and subscribes to changes or unsubscribes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Tv {
    /// The id of the request.
    pub id: RequestId,
    /// The kind of game.
    pub rules: RulesName,
    /// Whether to send changes from now on.
    #[serde(default = "crate::values::yes")]
    pub watch: bool,
}

constructor!(Tv { id: RequestId, rules: RulesName; watch = crate::values::yes() });

/// Lists the live games with their boards, and subscribes to changes or unsubscribes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Live {
    /// The id of the request.
    pub id: RequestId,
    /// The kind of games to list; all kinds if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesName>,
    /// Whether to send changes from now on.
    #[serde(default = "crate::values::yes")]
    pub watch: bool,
    /// Whether to send as many games as allowed instead of a small selection.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub many: bool,
}

constructor!(Live { id: RequestId; rules, watch = crate::values::yes(), many });
