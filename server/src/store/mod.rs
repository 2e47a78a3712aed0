//! The durable state: the journal of games, users, tokens, offers of games and talk.
//!
//! Each area decides and stores in one function over [`sql::Sql`], on either database. Only the
//! journal, the live games, and what nodes know of each other are of one database.

mod annulments;
mod backend;
mod check;
mod check_downloads;
mod downloads;
mod findings;
#[cfg(test)]
pub(crate) mod fixture;
mod game_lists;
mod games;
mod glance;
mod journal;
mod mail_addresses;
#[cfg(test)]
pub(crate) mod memory;
mod notifications;
mod offers;
mod operators;
mod personal;
mod postgres;
mod ratings;
mod relations;
mod reports;
mod schema;
mod simulated_disk;
mod sql;
pub(crate) mod sqlite;
mod standings;
mod statistics;
mod store;
mod talk;
#[cfg(test)]
mod tests;
mod tokens;
mod user_notices;
mod users;

pub(crate) use annulments::AnnulOutcome;
pub(crate) use backend::{Backend, Heartbeat, PlayerAtGame, ReadOnlyReason, SharedPresence};
pub(crate) use check::{CheckStep, RatingsMode, RatingsReport};
#[cfg(test)]
pub(crate) use downloads::DownloadState;
pub(crate) use downloads::{DownloadHead, DownloadLine, LineFrame, Publication, StoredLine};
pub(crate) use findings::IntegrityReport;
pub(crate) use games::{
    DueGames, GameFilter, GamesPage, ListKey, LiveState, Score, StandingRow, StandingsFilter,
    StandingsKey, entry_of,
};
pub(crate) use glance::Glance;
pub(crate) use journal::{
    Append, AppendError, AppendOutcome, AppendOutcomes, ArchiveError, ArchivedGame, ArchivedState,
    Begin, BeginError, Journal, OfferClaim, OfferId, Outage, RecordRange, Records, StoreError,
    StoreFuture, Summary,
};
pub(crate) use mail_addresses::MailAddresses;
pub(crate) use notifications::{DeliveryResult, StoredNotice, StoredSubscription, StoredWebhook};
pub(crate) use offers::{
    AddOfferOutcome, JoinOfferOutcome, NewOffer, NodeSession, Offer, OpenGame, OpenLimitReached,
    SeekOutcome, Seeker, Seeking, SuitsOffer,
};
pub(crate) use operators::{
    Act, BanKind, BanSubject, ListedBans, NewBan, StoredAct, StoredBan, StoredInvitation,
    StoredNote,
};
pub(crate) use personal::CloseOutcome;
pub(crate) use postgres::{
    ArrivedGame, NodeKeys, Postgres, PostgresError, PostgresNode, PostgresOptions, PostgresUrl,
};
pub(crate) use relations::{Block, RelateOutcome, Relation};
pub(crate) use reports::{
    AddReportOutcome, CloseReport, CloseReportOutcome, ClosedReport, Evidence, ListedReports,
    NewReport, ReportStep, ReportedLine, StoredReport,
};
pub(crate) use schema::{COPIED, CopiedTable};
pub use simulated_disk::{CommitFate, Disk, OtherAppend};
pub(crate) use sqlite::{
    EmbeddedSource, EmbeddedTarget, FoundGame, GameSource, GameTarget, Recovery, SalvageSource,
    Sqlite, TimedGame, WholeGame,
};
pub(crate) use statistics::{
    Aspect, CountedGame, Tally, TallyGroup, TallyKey, TallyRow, UncountedGame,
};
pub(crate) use store::{OpenedStore, SharedWork, Store, or_default_if};
pub(crate) use talk::{NewLine, RecentLine, RecentLines, SayOutcome, UnsayOutcome};
pub(crate) use tokens::{AddTokenOutcome, PasswordChange, StoredToken, Swept, Validity};
#[cfg(test)]
pub(crate) use users::UserId;
pub(crate) use users::{
    CreateUserOutcome, GUEST_LABEL, NewToken, NewUser, NewUserKind, RenameOutcome, SessionSeed,
    StoredBot, UpgradeOutcome, User, has_name, is_reserved,
};
