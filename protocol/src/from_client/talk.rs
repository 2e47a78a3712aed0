//! Requests to talk about a game, and to mute and block users.

use serde::{Deserialize, Serialize};

use crate::{
    constructors::constructor,
    ids::{GameId, RequestId, UserName},
    values::TalkRoom,
    words::known,
};

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
