//! Where things are made durable: the journal of games, and users, tokens and challenges, and talk.

mod journal;
mod listing;
mod live;
#[cfg(test)]
pub(crate) mod memory;
mod names;
mod read_only;
mod simulated_disk;
pub(crate) mod sqlite;
mod talk;
mod users;

pub(crate) use journal::{
    Append, AppendError, Fold, FoldedState, Journal, Outage, StoreError, Summary,
};
pub(crate) use listing::{GameFilter, ListKey, Score, Standing, StandingsKey};
pub(crate) use live::{LiveGames, OpenGame, RecordPlace};
pub(crate) use names::is_reserved;
pub(crate) use read_only::ReadsOnly;
pub use simulated_disk::Disk;
pub(crate) use sqlite::{Found, HotGame, Sqlite, TimedGame};
pub(crate) use talk::{Muting, NewLine, Stored, Unsaying};
pub(crate) use users::{
    CreateUserOutcome, GUEST_LABEL, NewKind, NewToken, NewUser, SessionSeed, StoredBot,
    StoredChallenge, StoredToken, Swept, TokenStored, User, UserId, Validity,
};
