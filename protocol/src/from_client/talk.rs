//! Requests to talk about a game, and to mute and block users.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ids::{GameId, RequestId, UserName},
    values::TalkRoom,
};

/// Sends a line of talk about a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Say {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub game: GameId,
    /// The room.
    pub room: TalkRoom,
    /// The text.
    #[schemars(extend("minLength" = 1, "maxLength" = 500))]
    pub text: Box<str>,
}

/// Deletes a line of talk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unsay {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub game: GameId,
    /// The room.
    pub room: TalkRoom,
    /// The line's number.
    pub n: u64,
}

/// Requests the last lines of talk, or those before a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Talk {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub game: GameId,
    /// The room.
    pub room: TalkRoom,
    /// The first line of the page before. Earlier lines follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// The most entries to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 100))]
    pub limit: Option<u32>,
}

macro_rules! user_requests {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub struct $name {
            /// The id of the request.
            pub id: RequestId,
            /// The user.
            pub user: UserName,
        })+
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mutes {
    /// The id of the request.
    pub id: RequestId,
}

/// Lists the users that the user has blocked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Blocks {
    /// The id of the request.
    pub id: RequestId,
}
