//! How a client finds a game: what can be played, seeks, challenges, lists, and a game once more.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::game_request::game_requests;
use crate::{
    ids::{ChallengeId, GameId, RequestId, RulesName, SeekId, UserName},
    reasons::DeclineReason,
    values::{Options, TimeControl, is_zero},
};

/// Asks which games can be played, by how many, and with which options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Catalogue {
    /// Names the request.
    pub id: RequestId,
}

/// Where a seeker would like to sit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SeatWish {
    /// Anywhere.
    #[default]
    Random,
    /// In this seat.
    Seat(u8),
}

impl Serialize for SeatWish {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Random => serializer.serialize_str("random"),
            Self::Seat(seat) => serializer.serialize_u8(*seat),
        }
    }
}

impl<'de> Deserialize<'de> for SeatWish {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SeatVisitor;
        impl de::Visitor<'_> for SeatVisitor {
            type Value = SeatWish;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("\"random\" or a seat number from 0")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<SeatWish, E> {
                if text == "random" {
                    Ok(SeatWish::Random)
                } else {
                    Err(E::invalid_value(de::Unexpected::Str(text), &self))
                }
            }
            fn visit_u64<E: de::Error>(self, seat: u64) -> Result<SeatWish, E> {
                u8::try_from(seat)
                    .map(SeatWish::Seat)
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(seat), &self))
            }
        }
        deserializer.deserialize_any(SeatVisitor)
    }
}

impl JsonSchema for SeatWish {
    fn schema_name() -> Cow<'static, str> {
        "SeatWish".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Where a seeker would like to sit: anywhere, or in a seat by its number.",
            "oneOf": [
                { "type": "string", "const": "random" },
                { "type": "integer", "minimum": 0, "maximum": 2 },
            ],
        })
    }
}

/// Whom a seeker would play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Allow {
    /// Programs too.
    #[serde(default = "crate::values::yes")]
    pub bots: bool,
    /// Users without an account too.
    #[serde(default = "crate::values::yes")]
    pub guests: bool,
}

const fn two() -> u8 {
    2
}

impl Default for Allow {
    fn default() -> Self {
        Self { bots: true, guests: true }
    }
}

/// Looks for opponents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seek {
    /// Names the request.
    pub id: RequestId,
    /// The game.
    pub rules: RulesName,
    /// Its options.
    #[serde(default)]
    pub options: Options,
    /// How many are to play, the seeker included.
    #[serde(default = "two")]
    #[schemars(extend("minimum" = 2, "maximum" = 3))]
    pub players: u8,
    /// Where the seeker would like to sit.
    #[serde(default)]
    pub seat: SeatWish,
    /// The time control.
    #[serde(default)]
    pub clock: TimeControl,
    /// Whether the result shall count.
    #[serde(default)]
    pub rated: bool,
    /// How many moves spectators shall be behind.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("maximum" = 10))]
    pub delay: u8,
    /// Whom the seeker would play.
    #[serde(default)]
    pub allow: Allow,
}

/// Stops looking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unseek {
    /// Names the request.
    pub id: RequestId,
    /// Which seek.
    pub seek: SeekId,
}

/// Challenges somebody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Challenge {
    /// Names the request.
    pub id: RequestId,
    /// The game.
    pub rules: RulesName,
    /// Its options.
    #[serde(default)]
    pub options: Options,
    /// Who sits where, the challenger included.
    #[schemars(extend("minItems" = 2, "maxItems" = 3))]
    pub seats: Vec<UserName>,
    /// Whether the seats are to be drawn by lot.
    #[serde(default)]
    pub shuffle: bool,
    /// The time control.
    #[serde(default)]
    pub clock: TimeControl,
    /// Whether the result shall count.
    #[serde(default)]
    pub rated: bool,
    /// How many moves spectators shall be behind.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("maximum" = 10))]
    pub delay: u8,
}

/// Takes a seek or a challenge; one of the two is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Accept {
    /// Names the request.
    pub id: RequestId,
    /// The seek to take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seek: Option<SeekId>,
    /// The challenge to take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ChallengeId>,
}

/// Turns a challenge down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decline {
    /// Names the request.
    pub id: RequestId,
    /// Which challenge.
    pub challenge: ChallengeId,
    /// Why.
    #[serde(default)]
    pub reason: DeclineReason,
}

/// Takes back one's own challenge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cancel {
    /// Names the request.
    pub id: RequestId,
    /// Which challenge.
    pub challenge: ChallengeId,
}

/// Lists the open challenges to and by the client's user, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Challenges {
    /// Names the request.
    pub id: RequestId,
    /// Only those that stand after this one in the list, to turn the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<ChallengeId>,
    /// How many at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Watches the open seeks, or no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lobby {
    /// Names the request.
    pub id: RequestId,
    /// Whether to be told of changes from now on.
    #[serde(default = "crate::values::yes")]
    pub watch: bool,
    /// Only seeks that are older than this one, to turn the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<SeekId>,
}

/// Which games a list is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GameState {
    /// Being played.
    #[default]
    Live,
    /// Over.
    Finished,
}

/// Lists games, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Games {
    /// Names the request.
    pub id: RequestId,
    /// Only those of this user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
    /// Only those of this game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesName>,
    /// Only those at tables of so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 2, "maximum" = 3))]
    pub players: Option<u8>,
    /// Live or finished ones.
    #[serde(default)]
    pub state: GameState,
    /// Only those that stand after this one in the list, to turn the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<GameId>,
    /// How many at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 100))]
    pub limit: Option<u32>,
}

game_requests! {
    /// Asks the same players for the same game once more.
    Rematch,
}
