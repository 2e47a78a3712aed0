//! Requests about users, what they have played, and what they say.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{GameId, RequestId, RulesName, StandingsCursor, UserName},
    values::{Challengers, TalkRoom},
    words::{constructor, known, words},
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

/// Sends a line of talk about a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Say {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub game: GameId,
    /// The room.
    #[serde(deserialize_with = "known")]
    pub room: TalkRoom,
    /// The text.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 1, "maxLength" = 500)))]
    pub text: Box<str>,
}

constructor!(Say { id: RequestId, game: GameId, room: TalkRoom, text: Box<str> });

/// Deletes a line of talk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Unsay {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub game: GameId,
    /// The room.
    #[serde(deserialize_with = "known")]
    pub room: TalkRoom,
    /// The line's number.
    pub n: u64,
}

constructor!(Unsay { id: RequestId, game: GameId, room: TalkRoom, n: u64 });

/// Requests the last lines of talk, or those before a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Talk {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub game: GameId,
    /// The room.
    #[serde(deserialize_with = "known")]
    pub room: TalkRoom,
    /// The first line of the page before. Earlier lines follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// The most entries to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = 100)))]
    pub limit: Option<u32>,
}

constructor!(Talk { id: RequestId, game: GameId, room: TalkRoom; before, limit });

words! {
    /// What a report is about.
    pub enum ReportReason {
        /// A player gets help, or loses on purpose.
        Cheating = "cheating",
        /// Insults or threats.
        Abuse = "abuse",
        /// Advertisement, or talk that floods a game.
        Spam = "spam",
        /// A player lets the opponent wait instead of losing.
        Stalling = "stalling",
        /// A name that offends, or that is somebody else's.
        Name = "name",
        /// Anything else.
        Other = "other",
    }
}

/// Reports a user, a game or both to the operators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Report {
    /// The id of the request.
    pub id: RequestId,
    /// What it is about.
    #[serde(deserialize_with = "known")]
    pub reason: ReportReason,
    /// What has happened, in the user's words.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 1, "maxLength" = 1000)))]
    pub text: Box<str>,
    /// The user; absent for a game as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
    /// The game in which it happened. The server adds its state and its last lines of talk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
}

constructor!(Report { id: RequestId, reason: ReportReason, text: Box<str>; user, game });

/// The user has read a notice with a number, and those before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct NoticeSeen {
    /// The id of the request.
    pub id: RequestId,
    /// The number of the notice.
    pub n: u64,
}

constructor!(NoticeSeen { id: RequestId, n: u64 });

macro_rules! user_requests {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
        pub struct $name {
            /// The id of the request.
            pub id: RequestId,
            /// The user.
            pub user: UserName,
        }

        constructor!($name { id: RequestId, user: UserName });)+
    };
}

user_requests! {
    /// Mutes a user.
    Mute,
    /// Unmutes a user.
    Unmute,
    /// Blocks a user: neither may challenge the other, and the talk of the blocked user is hidden.
    Block,
    /// Unblocks a user.
    Unblock,
}

/// Lists the users that the user has muted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Mutes {
    /// The id of the request.
    pub id: RequestId,
}

constructor!(Mutes { id: RequestId });

/// Lists the users that the user has blocked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Blocks {
    /// The id of the request.
    pub id: RequestId,
}

constructor!(Blocks { id: RequestId });
