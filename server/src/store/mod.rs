//! The durable state: the journal of games, users, tokens, challenges, invites, seeks and talk.

mod challenges;
#[cfg(test)]
pub(crate) mod fixture;
mod games;
mod invites;
mod journal;
mod listing;
#[cfg(test)]
pub(crate) mod memory;
mod names;
mod notifications;
mod read_only;
mod relations;
mod seeks;
mod simulated_disk;
pub(crate) mod sqlite;
mod standings;
mod stores;
mod talk;
#[cfg(test)]
mod tests;
mod tokens;
mod users;

pub(crate) use challenges::Challenges;
pub(crate) use games::{Games, GamesPage, LiveState};
pub(crate) use invites::{Invites, StoredInvite};
pub(crate) use journal::{
    Append, AppendError, AppendOutcome, ArchiveError, ArchivedGame, ArchivedState, Begin,
    BeginError, Journal, Origin, Outage, StoreError, Summary,
};
pub(crate) use listing::{GameFilter, ListKey, Score, StandingRow, StandingsKey};
pub(crate) use names::is_reserved;
pub(crate) use notifications::{DeliveryResult, Notifications, StoredSubscription, StoredWebhook};
pub(crate) use read_only::ReadOnlyReason;
pub(crate) use relations::{Block, RelateOutcome, Relation, Relations};
pub(crate) use seeks::{Seeker, Seeks, StoredSeek};
pub use simulated_disk::{CommitFate, Disk, OtherAppend};
pub(crate) use sqlite::{OpenGameRow, RecoveredState, Sqlite, TimedGame};
pub(crate) use standings::{Standings, UserSummary};
pub(crate) use stores::Store;
pub(crate) use talk::{NewLine, SayOutcome, Talk, UnsayOutcome};
pub(crate) use tokens::{OpenedToken, Tokens};
pub(crate) use users::{
    AddTokenOutcome, CreateUserOutcome, FoundUser, GUEST_LABEL, NewToken, NewUser, NewUserKind,
    SessionSeed, StoredBot, StoredChallenge, StoredToken, Swept, User, UserId, Users, Validity,
};
