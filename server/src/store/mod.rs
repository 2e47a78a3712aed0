//! Where things are made durable: the journal of games, and users, tokens and challenges, and talk.

mod disk;
mod journal;
mod listing;
mod live;
#[cfg(test)]
pub(crate) mod memory;
mod names;
mod reads_only;
pub(crate) mod sqlite;
mod talk;
mod users;

pub use disk::Disk;
pub(crate) use journal::{
    Append, AppendError, Fold, FoldedState, Journal, Outage, StoreError, Summary,
};
pub(crate) use listing::{GameFilter, ListKey, Score, Standing, StandingsKey};
pub(crate) use live::{LiveGames, OpenGame, RecordPlace};
pub(crate) use names::is_reserved;
pub(crate) use reads_only::ReadsOnly;
pub(crate) use sqlite::{Found, HotGame, Sqlite, TimedGame};
pub(crate) use talk::{Muting, NewLine, Stored, Unsaying};
pub(crate) use users::{
    GUEST_LABEL, GoodAt, Naming, NewKind, NewToken, NewUser, Particulars, StoredBot,
    StoredChallenge, StoredToken, Swept, TokenStored, User, UserId,
};
