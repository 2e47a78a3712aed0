//! Requests that find opponents: seeks, challenges, invites, rematches, the directory of bots.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::game_request::game_requests;
use crate::{
    ids::{ChallengeId, GameId, InviteId, RequestId, RulesName, SeekId, UserName},
    values::{Options, TimeControl, is_zero},
    words::{DeclineReason, Known, Word, constructor, known, words},
};

pub use crate::values::ClockMode;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// Requests the games that can be played, with their numbers of players and options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Catalogue {
    /// The id of the request.
    pub id: RequestId,
}

constructor!(Catalogue { id: RequestId });

/// The seat that the seeker prefers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SeatWish {
    /// Any seat.
    #[default]
    Random,
    /// This seat.
    Seat(u8),
    /// A wish that this version of the crate does not know.
    Unknown(Word),
}

/// What a wish is in a request.
const WISHES: &str = "\"random\" or a seat number from 0";

impl Serialize for SeatWish {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Random => serializer.serialize_str("random"),
            Self::Seat(seat) => serializer.serialize_u8(*seat),
            Self::Unknown(word) => word.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SeatWish {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SeatVisitor;
        impl de::Visitor<'_> for SeatVisitor {
            type Value = SeatWish;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(WISHES)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<SeatWish, E> {
                Ok(if text == "random" {
                    SeatWish::Random
                } else {
                    SeatWish::Unknown(Word::new(text))
                })
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

impl Known for SeatWish {
    fn known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Self::deserialize(deserializer)? {
            Self::Unknown(word) => {
                Err(de::Error::invalid_value(de::Unexpected::Str(word.as_str()), &WISHES))
            }
            known => Ok(known),
        }
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for SeatWish {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SeatWish".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The seat that the seeker prefers: any, or one by its number.",
            "oneOf": [
                { "type": "string", "const": "random" },
                { "type": "integer", "minimum": 0, "maximum": 2 },
            ],
        })
    }
}

/// The opponents that a seeker accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Allow {
    /// Whether bots may accept.
    #[serde(default = "crate::values::yes")]
    pub bots: bool,
    /// Whether guests may accept.
    #[serde(default = "crate::values::yes")]
    pub guests: bool,
}

pub(super) const fn two() -> u8 {
    2
}

/// The ratings that a seeker accepts, in the game that is sought. A user without a rating counts as
/// one with the first rating, 1500.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RatingRange {
    /// The lowest rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<u16>,
    /// The highest rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u16>,
}

impl RatingRange {
    /// Whether the range contains a rating.
    pub fn contains(self, rating: u16) -> bool {
        self.min.is_none_or(|min| min <= rating) && self.max.is_none_or(|max| rating <= max)
    }
}

impl Default for Allow {
    fn default() -> Self {
        Self { bots: true, guests: true }
    }
}

/// Opens a seek.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Seek {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub rules: RulesName,
    /// Its options.
    #[serde(default)]
    pub options: Options,
    /// The number of players, the seeker included.
    #[serde(default = "two")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 2, "maximum" = 3)))]
    pub players: u8,
    /// The seat that the seeker prefers.
    #[serde(default, deserialize_with = "known")]
    pub seat: SeatWish,
    /// The time control.
    #[serde(default, deserialize_with = "known")]
    pub clock: TimeControl,
    /// Whether the game is rated.
    #[serde(default)]
    pub rated: bool,
    /// The number of moves that spectators are behind.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "schema", schemars(extend("maximum" = 10)))]
    pub delay: u8,
    /// Whether no list shows the game to others than its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
    /// The opponents that the seeker accepts.
    #[serde(default)]
    pub allow: Allow,
    /// The ratings that the seeker accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingRange>,
    /// Whether the seek outlives the connection. Only games without a running clock allow it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lasting: bool,
}

constructor!(Seek {
    id: RequestId, rules: RulesName;
    options, players = two(), seat, clock, rated, delay, unlisted, allow, rating, lasting
});

/// Closes a seek.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Unseek {
    /// The id of the request.
    pub id: RequestId,
    /// The seek.
    pub seek: SeekId,
}

constructor!(Unseek { id: RequestId, seek: SeekId });

/// Challenges other users.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Challenge {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub rules: RulesName,
    /// Its options.
    #[serde(default)]
    pub options: Options,
    /// The users by seat: the challenger included, or server bots alone.
    #[cfg_attr(feature = "schema", schemars(extend("minItems" = 2, "maxItems" = 3)))]
    pub seats: Vec<UserName>,
    /// Whether the seats are shuffled.
    #[serde(default)]
    pub shuffle: bool,
    /// The time control.
    #[serde(default, deserialize_with = "known")]
    pub clock: TimeControl,
    /// Whether the game is rated.
    #[serde(default)]
    pub rated: bool,
    /// The number of moves that spectators are behind.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "schema", schemars(extend("maximum" = 10)))]
    pub delay: u8,
    /// Whether no list shows the game to others than its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
}

constructor!(Challenge {
    id: RequestId, rules: RulesName, seats: Vec<UserName>;
    options, shuffle, clock, rated, delay, unlisted
});

/// Accepts a seek, a challenge or an invite. Exactly one of the three is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Accept {
    /// The id of the request.
    pub id: RequestId,
    /// The seek to accept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seek: Option<SeekId>,
    /// The challenge to accept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ChallengeId>,
    /// The invite to accept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invite: Option<InviteId>,
}

constructor!(Accept { id: RequestId; seek, challenge, invite });

/// Declines a challenge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Decline {
    /// The id of the request.
    pub id: RequestId,
    /// The challenge.
    pub challenge: ChallengeId,
    /// The reason.
    #[serde(default, deserialize_with = "known")]
    pub reason: DeclineReason,
}

constructor!(Decline { id: RequestId, challenge: ChallengeId; reason });

/// Cancels the user's own challenge or invite, or leaves an invite that the user has joined.
/// Exactly one of the two is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Cancel {
    /// The id of the request.
    pub id: RequestId,
    /// The challenge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ChallengeId>,
    /// The invite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invite: Option<InviteId>,
}

constructor!(Cancel { id: RequestId; challenge, invite });

/// Lists the open challenges to and by the client's user, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Challenges {
    /// The id of the request.
    pub id: RequestId,
    /// The last entry of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<ChallengeId>,
    /// The most entries to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

constructor!(Challenges { id: RequestId; before, limit });

/// Lists the open seeks, and subscribes to their changes or unsubscribes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Lobby {
    /// The id of the request.
    pub id: RequestId,
    /// Whether to send changes from now on.
    #[serde(default = "crate::values::yes")]
    pub watch: bool,
    /// The oldest seek of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<SeekId>,
}

constructor!(Lobby { id: RequestId; watch = crate::values::yes(), before });

words! {
    /// The state of the games in a list.
    #[derive(Default)]
    pub enum GameState {
        /// The game is live.
        #[default]
        Live = "live",
        /// The game has ended.
        Finished = "finished",
    }
}

words! {
    /// A result of a game from the side of one of its players.
    pub enum SoughtResult {
        /// The player alone won.
        Won = "won",
        /// Another player won.
        Lost = "lost",
        /// The player shared the first place.
        Drawn = "drawn",
    }
}

/// Lists games, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Games {
    /// The id of the request.
    pub id: RequestId,
    /// The user whose games to list; all games if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
    /// The kind of games to list; all kinds if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesName>,
    /// The number of players; any if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 2, "maximum" = 3)))]
    pub players: Option<u8>,
    /// Whether to list live or finished games.
    #[serde(default, deserialize_with = "known")]
    pub state: GameState,
    /// Among finished games of `user`: only those against this user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<UserName>,
    /// Among finished games of `user`: only those with this result for `user`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub result: Option<SoughtResult>,
    /// Among finished games: only rated ones, or only others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rated: Option<bool>,
    /// The last entry of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<GameId>,
    /// The most entries to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = 100)))]
    pub limit: Option<u32>,
}

constructor!(Games {
    id: RequestId;
    user, rules, players, state, opponent, result, rated, before, limit
});

game_requests! {
    /// Challenges the same players to the same game again.
    Rematch,
}

/// Makes an invite: every user who knows its id may accept it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Invite {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub rules: RulesName,
    /// Its options.
    #[serde(default)]
    pub options: Options,
    /// The number of players, the inviting user included.
    #[serde(default = "two")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 2, "maximum" = 3)))]
    pub players: u8,
    /// The seat that the inviting user prefers.
    #[serde(default, deserialize_with = "known")]
    pub seat: SeatWish,
    /// The time control.
    #[serde(default, deserialize_with = "known")]
    pub clock: TimeControl,
    /// Whether the game is rated.
    #[serde(default)]
    pub rated: bool,
    /// The number of moves that spectators are behind.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "schema", schemars(extend("maximum" = 10)))]
    pub delay: u8,
    /// Whether no list shows the game to others than its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
}

constructor!(Invite {
    id: RequestId, rules: RulesName;
    options, players = two(), seat, clock, rated, delay, unlisted
});

/// Lists the user's own open invites, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Invites {
    /// The id of the request.
    pub id: RequestId,
}

constructor!(Invites { id: RequestId });

/// Requests an invite by its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct InviteInfo {
    /// The id of the request.
    pub id: RequestId,
    /// The invite.
    pub invite: InviteId,
}

constructor!(InviteInfo { id: RequestId, invite: InviteId });

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
