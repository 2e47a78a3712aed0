//! What is said about games, as it is stored: beside the games' records, and deletable.

use adamant_protocol::{GameId, RequestId, UserName, values::TalkRoom};

/// A line to store.
#[derive(Debug, Clone)]
pub(crate) struct NewLine {
    /// About which game.
    pub game: GameId,
    /// In which room.
    pub room: TalkRoom,
    /// Who says it.
    pub by: UserName,
    /// The request, which is carried out once.
    pub req: RequestId,
    /// When, in epoch milliseconds.
    pub at: u64,
    /// What.
    pub text: Box<str>,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SayOutcome {
    /// It has this number.
    New(u64),
    /// The same request was carried out before and became this line.
    Repeated(u64),
    /// The request's id was used for another line.
    IdReused,
}

/// What became of taking a line back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnsayOutcome {
    /// It is deleted.
    Deleted,
    /// It had been deleted before.
    AlreadyDeleted,
    /// There is no such line.
    NotFound,
    /// Somebody else said it.
    NotAuthor,
    /// It was said too long ago.
    TooLate,
}

/// What became of muting somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MuteOutcome {
    /// These are muted now.
    Muted(Vec<UserName>),
    /// There is no such user.
    UserNotFound,
    /// Too many are muted already.
    LimitReached,
}
