//! The journal as rooms use it: begin a game, append by compare-and-set, archive, and read.
//!
//! A room may not assume that it is the only writer of its game. An append states the seq that it
//! follows. If another writer was first, the journal stores nothing and returns a conflict.

use std::{fmt, sync::Arc};

use adamant_protocol::{
    ChallengeId, GameId, InviteId, SeekId,
    ids::Chain,
    to_client::GameEntry,
    values::{RatingChange, SeatUser},
};
use adamant_rules::Seat;
use bytes::Bytes;
use futures::{
    FutureExt as _, StreamExt as _,
    future::{BoxFuture, join_all},
    stream::{self, BoxStream},
};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::{limits::CATCH_UP_CHUNK, outbound::frame::Frame, ratings::RatedResult};

/// What a store answers a question with.
pub(crate) type StoreFuture<T> = BoxFuture<'static, Result<T, StoreError>>;

#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The database failed. The log and the text have the cause.
    #[error("the store failed: {0}")]
    Failed(Arc<str>),
    /// The disk is full or does not accept writes. Nothing was stored, which is certain for this
    /// error alone.
    #[error("the store is read-only at present")]
    ReadOnly,
    /// Too many reads are waiting, or the read took too long.
    #[error("the store is too busy to read")]
    Busy,
    #[error("the store has stopped")]
    Stopped,
}

#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum AppendError {
    /// Another writer appended first. Nothing was stored.
    #[error("the game has moved on to event {last_seq}")]
    Conflict { last_seq: u64 },
    /// The store failed. Except for [`StoreError::ReadOnly`] the records may be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The outcome of one append: the rating change if the records end a rated game. A result is rated
/// in the same commit, in the order of the journal.
pub(crate) type AppendOutcome = Result<Option<RatingChange>, AppendError>;

/// The outcomes of a batch as they become known, those of one moment together. Each comes once,
/// with the place of its append in the batch.
pub(crate) type AppendOutcomes = BoxStream<'static, Vec<(usize, AppendOutcome)>>;

#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum BeginError {
    #[error("the id is taken")]
    IdTaken,
    /// The offer has been answered or taken back.
    #[error("the {0} is no longer open")]
    OfferGone(OfferId),
    #[error("other users play in the {0} by now")]
    OfferChanged(OfferId),
    #[error("the rematch is game {0}")]
    RematchExists(GameId),
    /// The store failed. Except for [`StoreError::ReadOnly`] the game may be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum ArchiveError {
    /// Another writer appended first. Nothing was stored.
    #[error("the game has moved on to event {last_seq}")]
    Conflict { last_seq: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What lists show of a game, so that a list needs no replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Summary {
    pub ply: u32,
    pub to_move: Option<Seat>,
    pub last_at: u64,
}

/// Sealed records as the frames that clients are sent. Nearly always one, which needs no list.
pub(crate) type Records = SmallVec<[Frame; 1]>;

/// Events that become durable together, or not at all.
#[derive(Debug)]
pub(crate) struct Append {
    pub game: GameId,
    pub expected_seq: u64,
    /// The chain of the record at `expected_seq`, onto which the records are sealed.
    pub prev: Chain,
    /// The sealed records after `expected_seq`.
    pub records: Records,
    pub chain: Chain,
    /// The game after these records, as lists show it.
    pub summary: Summary,
    /// The time at which a clock runs out after these records, in epoch milliseconds.
    pub deadline: Option<u64>,
    pub reseated: Option<Vec<SeatUser>>,
    /// The result, if these records end a rated game.
    pub result: Option<RatedResult>,
}

/// A game that begins: what becomes durable together, or not at all.
#[derive(Debug)]
pub(crate) struct Begin {
    pub entry: Box<GameEntry>,
    /// The sealed records from seq 1 on.
    pub records: Vec<Bytes>,
    pub chain: Chain,
    /// The time at which a clock runs out, in epoch milliseconds.
    pub deadline: Option<u64>,
    pub offer: Option<OfferClaim>,
    pub rematch_of: Option<GameId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArchivedState {
    Finished,
    /// The game is live, but no client is subscribed to it.
    Parked,
}

/// A game to archive: its records move from the journal to rows of their own.
#[derive(Debug)]
pub(crate) struct ArchivedGame {
    pub game: GameId,
    pub seq: u64,
    pub state: ArchivedState,
    pub entry: Box<GameEntry>,
    /// The time at which a clock runs out, in epoch milliseconds.
    pub deadline: Option<u64>,
}

/// A time in which the server was down, in epoch milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outage {
    /// The last sign of life: a heartbeat or a stored event.
    pub from: u64,
    /// The time from which the server serves games again.
    pub until: u64,
}

impl Outage {
    /// Returns the deadline after the outage, in a game whose last event was at `last_at`. The game
    /// itself never computes an earlier one.
    pub(crate) fn shift_deadline(self, deadline: u64, last_at: u64) -> u64 {
        let is_counted = self.from < deadline && last_at < self.until;
        let lost = if is_counted { self.until - self.from.max(last_at) } else { 0 };
        deadline.saturating_add(lost)
    }
}

/// Records of a game that are known to be durable: a room has applied them, or their writer has
/// announced them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordRange {
    pub game: GameId,
    pub from: u64,
    pub until: u64,
}

impl RecordRange {
    pub(crate) fn len(&self) -> usize {
        let count = self.until.saturating_add(1).saturating_sub(self.from);
        usize::try_from(count).unwrap_or(usize::MAX)
    }
}

/// Makes the events of rooms durable. The futures own what they need, so that a caller can keep
/// them.
pub(crate) trait Journal: fmt::Debug + Send + Sync + 'static {
    /// Appends a batch that has each game at most once. Resolves when the records would survive a
    /// power cut, with the outcomes in the order of the batch. An append that conflicts does not
    /// affect the others.
    fn append(&self, batch: Vec<Append>) -> BoxFuture<'static, Vec<AppendOutcome>>;

    /// Does the same, and returns each outcome as soon as it is known. A store that commits a batch
    /// at once knows all of them together.
    fn append_each(&self, batch: Vec<Append>) -> AppendOutcomes {
        let outcomes = self.append(batch);
        stream::once(outcomes.map(|outcomes| outcomes.into_iter().enumerate().collect())).boxed()
    }

    /// Begins a game. The store decides: an id, an origin and a rematch serve one game.
    fn begin(&self, game: Begin) -> BoxFuture<'static, Result<(), BeginError>>;

    /// Archives a game whose last seq is still the stated one. A game can be finished again.
    fn archive(&self, game: ArchivedGame) -> BoxFuture<'static, Result<(), ArchiveError>>;

    /// Returns the rating change of a game; `None` if it has not been rated.
    fn rating_change(&self, game: GameId) -> StoreFuture<Option<RatingChange>>;

    /// Returns at most `max` records of a game, from a seq on; none if there is no such game. The
    /// records may be shown: they would survive a power cut.
    fn read(&self, game: GameId, from: u64, max: usize) -> StoreFuture<Vec<Bytes>>;

    /// Returns records that are known to be durable, in the order of the ranges. A store to which
    /// other nodes write need not make sure of that again, as in [`read`](Self::read).
    fn read_durable(
        &self,
        ranges: Vec<RecordRange>,
    ) -> BoxFuture<'static, Vec<Result<Vec<Bytes>, StoreError>>> {
        let read = |range: RecordRange| {
            let max = range.len();
            self.read(range.game, range.from, max)
        };
        let reads: Vec<_> = ranges.into_iter().map(read).collect();
        join_all(reads).boxed()
    }

    /// Returns those of these games that have records after the stated seq, each with a later seq
    /// up to which the records may be shown.
    fn moved_on(&self, known: Vec<(GameId, u64)>) -> StoreFuture<Vec<(GameId, u64)>> {
        let read = |(game, seq): (GameId, u64)| {
            let read = self.read(game.clone(), seq + 1, CATCH_UP_CHUNK);
            read.map(move |records| records.map(|records| (game, seq, seq + records.len() as u64)))
        };
        let reads: Vec<_> = known.into_iter().map(read).collect();
        async move {
            let found: Result<Vec<_>, StoreError> = join_all(reads).await.into_iter().collect();
            let later = found?.into_iter().filter(|(_, seq, last)| last > seq);
            Ok(later.map(|(game, _, last)| (game, last)).collect())
        }
        .boxed()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OfferId {
    Seek(SeekId),
    Challenge(ChallengeId),
    Invite(InviteId),
}

impl OfferId {
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Seek(_) => "seek",
            Self::Challenge(_) => "challenge",
            Self::Invite(_) => "invite",
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Seek(id) => id.as_str(),
            Self::Challenge(id) => id.as_str(),
            Self::Invite(id) => id.as_str(),
        }
    }
}

impl fmt::Display for OfferId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind(), self.as_str())
    }
}

/// A game's claim to its offer, as the last user to join has found that: while the version is the
/// same, so are those who have joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OfferClaim {
    pub offer: OfferId,
    pub version: u64,
}
