//! The directory of bots: which challenges a bot accepts, and requests.

use serde::{Deserialize, Deserializer, Serialize, de};

use super::lobby::{Allow, RatingRange};
pub use crate::values::ClockMode;
use crate::{
    constructors::constructor,
    ids::{RequestId, RulesName, UserName},
    words::{Known, known},
};

/// Which challenges a bot accepts. What is absent is not restricted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Acceptance {
    /// The games; all if the list is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("maxItems" = 16)))]
    pub games: Vec<AcceptedGame>,
    /// The kinds of clocks; all if the list is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("maxItems" = 5)))]
    pub clocks: Vec<ClockMode>,
    /// The average time for a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<PaceRange>,
    /// Only rated games, or only others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rated: Option<bool>,
    /// The opponents' ratings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingRange>,
    /// The kinds of opponents.
    #[serde(default)]
    pub allow: Allow,
    /// Whether the bot may decline options other than a game's default ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub default_options: bool,
}

impl Acceptance {
    /// Returns whether the bot accepts a game, or any, with a number of players, or with any.
    pub fn plays(&self, game: Option<&str>, players: Option<u8>) -> bool {
        let has = |accepted: &AcceptedGame| {
            game.is_none_or(|game| *accepted.rules.name == *game)
                && players.is_none_or(|wanted| accepted.players.is_none_or(|count| count == wanted))
        };
        self.games.is_empty() || self.games.iter().any(has)
    }
}

impl Known for Acceptance {
    fn known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let accepts = Self::deserialize(deserializer)?;
        for mode in &accepts.clocks {
            if let ClockMode::Unknown(word) = mode {
                return Err(de::Error::unknown_variant(word.as_str(), ClockMode::WORDS));
            }
        }
        Ok(accepts)
    }
}

/// A game that a bot accepts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct AcceptedGame {
    /// The game.
    pub rules: RulesName,
    /// The number of players; any if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 2, "maximum" = 3)))]
    pub players: Option<u8>,
}

constructor!(AcceptedGame { rules: RulesName; players });

/// The average time for a move: that of a move, or a fortieth of the main time with the increment
/// or the period. Without a clock it is endless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PaceRange {
    /// The shortest, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_ms: Option<u64>,
    /// The longest, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ms: Option<u64>,
}

/// Lists the bot in the directory until the session ends, or changes what it says there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct BotStatus {
    /// The id of the request.
    pub id: RequestId,
    /// Which challenges the bot accepts. Without it the directory lists the bot no longer.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub accepts: Option<Acceptance>,
    /// How many more games the bot would begin at present.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(extend("maximum" = 1_000)))]
    pub free: u32,
}

constructor!(BotStatus { id: RequestId; accepts, free });

/// Lists the bots that are connected and accept challenges, in the order of their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Directory {
    /// The id of the request.
    pub id: RequestId,
    /// Only bots that accept this game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesName>,
    /// Only bots that accept games with this number of players.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 2, "maximum" = 3)))]
    pub players: Option<u8>,
    /// Only bots that would begin a game at present.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free: bool,
    /// The last entry of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<UserName>,
    /// The most entries to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = 100)))]
    pub limit: Option<u32>,
}

constructor!(Directory { id: RequestId; rules, players, free, before, limit });
