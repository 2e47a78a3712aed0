//! How a client talks beside the games, and whom it would rather not hear.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ids::{GameId, RequestId, UserName},
    values::TalkRoom,
};

/// Says something about a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Say {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// To whom.
    pub room: TalkRoom,
    /// What.
    #[schemars(extend("minLength" = 1, "maxLength" = 500))]
    pub text: Box<str>,
}

/// Takes back something that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unsay {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// In which room.
    pub room: TalkRoom,
    /// The line's number.
    pub n: u64,
}

/// Asks for the last lines that were said, or for those before one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Talk {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// In which room.
    pub room: TalkRoom,
    /// Only lines before this one, to turn the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// How many at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 100))]
    pub limit: Option<u32>,
}

macro_rules! user_requests {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub struct $name {
            /// Names the request.
            pub id: RequestId,
            /// Whom.
            pub user: UserName,
        })+
    };
}

user_requests! {
    /// Wants to hear no more of somebody.
    Mute,
    /// Wants to hear of somebody again.
    Unmute,
}

/// Asks whom one has muted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mutes {
    /// Names the request.
    pub id: RequestId,
}
