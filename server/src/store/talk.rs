//! Talk as it is stored: beside the records of games, and deletable.

use adamant_protocol::{GameId, RequestId, UserName, values::TalkRoom};

/// A line to store.
#[derive(Debug, Clone)]
pub(crate) struct NewLine {
    pub game: GameId,
    pub room: TalkRoom,
    /// The author.
    pub by: UserName,
    /// The request's id. A repeated request stores no second line.
    pub req: RequestId,
    /// The time, in epoch milliseconds.
    pub at: u64,
    pub text: Box<str>,
}

/// The outcome of `say`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SayOutcome {
    /// The line was stored with this number.
    New(u64),
    /// The same request has stored this line before.
    Repeated(u64),
    /// The author has used the request's id for another line.
    IdReused,
}

/// The outcome of `unsay`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnsayOutcome {
    /// The line is deleted.
    Deleted,
    /// The line was deleted before.
    AlreadyDeleted,
    /// There is no such line.
    NotFound,
    /// Another user is the author.
    NotAuthor,
    /// The line is too old.
    TooLate,
}

/// The outcome of `mute`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MuteOutcome {
    /// The user is muted. These are all users that the caller mutes.
    Muted(Vec<UserName>),
    /// There is no such user.
    UserNotFound,
    /// The caller mutes as many users as the limit allows.
    LimitReached,
}
