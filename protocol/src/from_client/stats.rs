//! The request for the statistics of a game.

use serde::{Deserialize, Serialize};

use crate::{
    constructors::constructor,
    ids::{RequestId, RulesName},
    words::{known, words},
};

/// Requests the statistics of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Stats {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub rules: RulesName,
    /// The number of players; by default the smallest that the game allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 2, "maximum" = 3)))]
    pub players: Option<u8>,
    /// Counts only the games between such players; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub opponents: Option<Opponents>,
}

constructor!(Stats { id: RequestId, rules: RulesName; players, opponents });

words! {
    /// Who plays a game.
    #[derive(PartialOrd, Ord)]
    pub enum Opponents {
        /// Only people.
        People = "people",
        /// Only bots.
        Bots = "bots",
        /// Both people and bots.
        Mixed = "mixed",
    }
}
