//! What is said about a game: beside its record, never in it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ids::{GameId, RequestId, UserName},
    values::TalkRoom,
};

/// Somebody has said something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// About which game.
    pub game: GameId,
    /// In which room.
    pub room: TalkRoom,
    /// The line's number in that room, from 1.
    pub n: u64,
    /// When, in epoch milliseconds.
    pub at: u64,
    /// Who.
    pub by: UserName,
    /// What.
    pub text: Box<str>,
}

/// Something that was said is taken back: it is to be shown no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unsaid {
    /// About which game.
    pub game: GameId,
    /// In which room.
    pub room: TalkRoom,
    /// The line's number.
    pub n: u64,
}

/// A line that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TalkLine {
    /// Its number in its room.
    pub n: u64,
    /// When, in epoch milliseconds.
    pub at: u64,
    /// Who said it.
    pub by: UserName,
    /// What was said.
    pub text: Box<str>,
}

/// What was said in one room of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TalkList {
    /// The request it answers.
    pub re: RequestId,
    /// About which game.
    pub game: GameId,
    /// In which room.
    pub room: TalkRoom,
    /// The lines, the oldest first.
    pub lines: Vec<TalkLine>,
    /// Whether there are earlier ones: ask again with `before` the first one's number.
    pub more: bool,
}

/// Whom the client's user has muted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MuteList {
    /// The request it answers.
    pub re: RequestId,
    /// Their names.
    pub users: Vec<UserName>,
}
