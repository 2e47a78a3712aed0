//! The durable state: the journal of games, users, tokens, challenges, invites, seeks and talk.

mod backend;
mod challenges;
mod check_report;
mod downloads;
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
mod open_limit;
mod opened;
mod postgres;
mod presence;
mod rated_results;
mod ratings_replay;
mod read_only;
mod relations;
mod seeks;
mod shared_work;
mod signing_keys;
mod simulated_disk;
pub(crate) mod sqlite;
mod standings;
mod statistics;
mod stores;
mod talk;
#[cfg(test)]
mod tests;
mod tokens;
mod users;

pub(crate) use backend::{Backend, Heartbeat};
pub(crate) use challenges::{
    AcceptChallengeOutcome, AddChallengeOutcome, Challenges, NewChallenge, StoredChallenge,
    WaitingChallenges,
};
pub(crate) use check_report::{CheckStep, IntegrityReport, RatingsMode};
pub(crate) use downloads::{
    DownloadHead, DownloadLine, DownloadState, Downloads, LineFrame, Publication, StoredLine,
};
pub(crate) use games::{DueGames, Games, GamesPage, LiveState};
pub(crate) use invites::{Invites, JoinInviteOutcome, StoredInvite};
pub(crate) use journal::{
    Append, AppendError, AppendOutcome, AppendOutcomes, ArchiveError, ArchivedGame, ArchivedState,
    Begin, BeginError, Journal, Origin, OriginClaim, Outage, RecordRange, StoreError, Summary,
};
pub(crate) use listing::{GameFilter, ListKey, Score, StandingRow, StandingsFilter, StandingsKey};
pub(crate) use names::{has_name, is_reserved};
pub(crate) use notifications::{
    DeliveryResult, Notifications, StoredNotice, StoredSubscription, StoredWebhook,
};
pub(crate) use open_limit::OpenLimitReached;
pub(crate) use opened::OpenedStore;
pub(crate) use postgres::{
    CommitMetrics, ImportedGame, Postgres, PostgresError, PostgresNode, PostgresOptions,
    PostgresUrl,
};
pub(crate) use presence::{PlayerAtGame, SharedPresence};
pub(crate) use ratings_replay::RatingsReport;
pub(crate) use read_only::ReadOnlyReason;
pub(crate) use relations::{Block, RelateOutcome, Relation, Relations};
pub(crate) use seeks::{
    JoinSeekOutcome, NodeSession, SeekOutcome, Seeker, Seeking, Seeks, StoredSeek, SuitsSeek,
};
pub(crate) use shared_work::SharedWork;
pub(crate) use signing_keys::{PushSecret, SigningKeys};
pub use simulated_disk::{CommitFate, Disk, OtherAppend};
pub(crate) use sqlite::{EmbeddedSource, EmbeddedTarget, TRANSFER_TABLES, TransferGame};
pub(crate) use sqlite::{RecoveredGame, Recovery, Sqlite, TimedGame};
pub(crate) use standings::{Standings, UserSummary};
pub(crate) use statistics::{
    Aspect, CountedGame, Statistics, Tally, TallyGroup, TallyKey, TallyRow, UncountedGame,
};
pub(crate) use stores::Store;
pub(crate) use talk::{NewLine, RecentLine, RecentLines, SayOutcome, Talk, UnsayOutcome};
pub(crate) use tokens::{OpenedToken, Tokens};
pub(crate) use users::{
    AddTokenOutcome, CreateUserOutcome, FoundUser, GUEST_LABEL, NewToken, NewUser, NewUserKind,
    SessionSeed, StoredBot, StoredToken, Swept, User, UserId, Users, Validity,
};
