//! Talk about a game, which is no part of the record, and the users whose talk is hidden.

use serde::{Deserialize, Serialize};

use crate::{
    constructors::constructor,
    ids::{GameId, RequestId, UserName},
    values::TalkRoom,
};

/// A new line of talk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Said {
    /// The game.
    pub game: GameId,
    /// The room.
    pub room: TalkRoom,
    /// The line's number in that room, from 1.
    pub n: u64,
    /// The time in epoch milliseconds.
    pub at: u64,
    /// The user.
    pub by: UserName,
    /// The text.
    pub text: Box<str>,
}

constructor!(Said { game: GameId, room: TalkRoom, n: u64, at: u64, by: UserName, text: Box<str> });

/// A line of talk was deleted. Clients remove it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Unsaid {
    /// The game.
    pub game: GameId,
    /// The room.
    pub room: TalkRoom,
    /// The line's number.
    pub n: u64,
}

constructor!(Unsaid { game: GameId, room: TalkRoom, n: u64 });

/// A line of talk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TalkLine {
    /// Its number in its room.
    pub n: u64,
    /// The time in epoch milliseconds.
    pub at: u64,
    /// The speaker.
    pub by: UserName,
    /// Lines of talk.
    pub text: Box<str>,
}

constructor!(TalkLine { n: u64, at: u64, by: UserName, text: Box<str> });

/// Lines of talk of one room of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TalkList {
    /// The request that this answers.
    pub re: RequestId,
    /// The game.
    pub game: GameId,
    /// The room.
    pub room: TalkRoom,
    /// The lines, the oldest first.
    pub lines: Vec<TalkLine>,
    /// Whether there are earlier ones: request them with `before` set to the first one's number.
    pub more: bool,
}

constructor!(TalkList {
    re: RequestId, game: GameId, room: TalkRoom, lines: Vec<TalkLine>, more: bool
});

/// The users that the client's user has muted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct MuteList {
    /// The request that this answers.
    pub re: RequestId,
    /// The names of the users.
    pub users: Vec<UserName>,
}

constructor!(MuteList { re: RequestId, users: Vec<UserName> });

/// The users that the client's user has blocked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct BlockList {
    /// The request that this answers.
    pub re: RequestId,
    /// The names of the users.
    pub users: Vec<UserName>,
}

constructor!(BlockList { re: RequestId, users: Vec<UserName> });
