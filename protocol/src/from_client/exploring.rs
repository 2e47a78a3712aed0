//! The request for analysis: a position of a game, or of the beginning of one, and moves tried on
//! it.

use serde::{Deserialize, Serialize};

use crate::{
    constructors::constructor,
    ids::{GameId, RequestId, RulesName},
    sketch::Sketch,
    to_client::HouseLevel,
    values::Options,
    words::known,
};

/// Requests the position after moves that are tried on a game, or on the beginning of a kind of
/// game. The server stores nothing of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Explore {
    /// The id of the request.
    pub id: RequestId,
    /// The game to begin from. Without it `rules` names the kind of game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The ply of that game to begin from; its last one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<u32>,
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
    /// The moves to try, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("maxItems" = 512)))]
    pub moves: Vec<Box<str>>,
    /// A partial move to complete in the position after them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<Sketch>,
    /// Whether the answer has the first steps of the next move.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steps: bool,
    /// The level whose opinion of the position the answer has.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub opinion: Option<HouseLevel>,
}

constructor!(Explore {
    id: RequestId;
    game, ply, rules, options, players = super::lobby::two(), moves, sketch, steps, opinion
});
