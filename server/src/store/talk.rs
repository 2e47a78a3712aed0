//! Talk as it is stored: beside the records of games, and deletable.

use adamant_protocol::{GameId, RequestId, UserName, to_client::TalkLine, values::TalkRoom};
use futures::{
    FutureExt as _,
    future::{BoxFuture, ready},
};

use super::StoreError;

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

/// A line of any game, as `recent` finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecentLine {
    pub game: GameId,
    pub room: TalkRoom,
    pub n: u64,
    /// The line; `None` if it is deleted.
    pub line: Option<TalkLine>,
}

/// Which lines `recent` finds. Times are in epoch milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecentLines {
    /// Lines that were said since then.
    pub since: u64,
    /// Deleted lines that were said since then, which is no later.
    pub deleted_since: u64,
    /// The most lines, the latest ones.
    pub limit: u32,
}

/// Stores talk.
pub(crate) trait Talk: std::fmt::Debug + Send + Sync + 'static {
    /// Stores and numbers a line, unless the same request has done so before.
    fn say(&self, line: NewLine) -> BoxFuture<'_, Result<SayOutcome, StoreError>>;

    /// Deletes the text of a line. `by` restricts this to lines of this author that are not older
    /// than this time, in epoch milliseconds.
    fn unsay(
        &self,
        game: GameId,
        room: TalkRoom,
        n: u64,
        by: Option<(UserName, u64)>,
    ) -> BoxFuture<'_, Result<UnsayOutcome, StoreError>>;

    /// Returns at most `limit` lines before a line, the oldest first.
    fn talk(
        &self,
        game: GameId,
        room: TalkRoom,
        before: u64,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<TalkLine>, StoreError>>;

    /// Returns lines of all games, the oldest first: what other nodes may have said or deleted. A
    /// store that only this server writes has none of those.
    fn recent(&self, _lines: RecentLines) -> BoxFuture<'_, Result<Vec<RecentLine>, StoreError>> {
        ready(Ok(Vec::new())).boxed()
    }
}
