//! The journal as rooms see it: an append that compares before it sets, and a read.
//!
//! Nothing may assume that it is the only writer of a game. An append states the seq that it
//! follows; if the game has moved on meanwhile, nothing is stored and the writer is told.

use std::sync::Arc;

use adamant_protocol::{
    ChallengeId, GameId,
    to_client::GameEntry,
    values::{RatingChange, SeatUser},
};
use adamant_rules::Seat;
use bytes::Bytes;
use futures::future::BoxFuture;

use crate::ratings::RatedResult;

/// Why the store could not do what it was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The database failed; the cause is in the log and in the text.
    #[error("the store failed: {0}")]
    Failed(Arc<str>),
    /// Nothing was stored, and nothing can be for the moment: there is no room, or what there is
    /// cannot be written to. This much is certain, unlike with the others.
    #[error("nothing can be stored at present")]
    ReadOnly,
    /// It has too much to read at present, or this would be too much.
    #[error("the store has too much to read")]
    Busy,
    /// The store has stopped.
    #[error("the store has stopped")]
    Stopped,
}

/// Why an append was not acknowledged.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum AppendError {
    /// Another writer was first. Nothing was stored.
    #[error("the game has moved on to event {last_seq}")]
    Conflict {
        /// The last event that is stored.
        last_seq: u64,
    },
    /// Whether it was stored is not known.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Facts of a game for lists, so that a list needs no replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Summary {
    /// Moves and skips so far.
    pub ply: u32,
    /// Whose turn it is, if the game goes on.
    pub to_move: Option<Seat>,
    /// When the last event was.
    pub last_at: u64,
}

/// Events to make durable, all or none.
#[derive(Debug)]
pub(crate) struct Append {
    /// Whose.
    pub game: GameId,
    /// The last seq that the writer knows of; 0 for a new game.
    pub expected_seq: u64,
    /// The sealed records that follow it.
    pub records: Vec<Bytes>,
    /// The game after them.
    pub summary: Summary,
    /// Who sits where, if players have changed seats.
    pub(crate) reseated: Option<Vec<SeatUser>>,
    /// What lists say of a new game; only with `expected_seq` 0.
    pub created: Option<Box<GameEntry>>,
    /// The challenge that the new game comes of, which is closed with it.
    pub closes: Option<ChallengeId>,
    /// The game that the new one repeats.
    pub rematch_of: Option<GameId>,
    /// How a game that counts has ended, if it ends with these records.
    pub result: Option<RatedResult>,
}

/// What becomes of a game that leaves the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArchivedState {
    /// It is over.
    Finished,
    /// It goes on, but nobody is there.
    Parked,
}

/// A game to fold: its records rest apart from those of others from then on.
#[derive(Debug)]
pub(crate) struct ArchivedGame {
    /// Which.
    pub game: GameId,
    /// Over, or put aside.
    pub state: ArchivedState,
    /// What lists say of it.
    pub entry: Box<GameEntry>,
    /// When a clock of it runs out.
    pub deadline: Option<u64>,
}

/// A time in which there was no server, in epoch milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outage {
    /// When the server was last known to be alive.
    pub from: u64,
    /// When it served games again.
    pub until: u64,
}

impl Outage {
    /// A deadline after it, in a game to which nothing has happened since `last_at`: no later than
    /// the game itself will have it.
    pub(crate) fn moves(self, deadline: u64, last_at: u64) -> u64 {
        let is_counted = self.from < deadline && last_at < self.until;
        let lost = if is_counted { self.until - self.from.max(last_at) } else { 0 };
        deadline.saturating_add(lost)
    }
}

/// Where a room's events are made durable.
pub(crate) trait Journal: std::fmt::Debug + Send + Sync + 'static {
    /// Stores records; resolves only when they would survive a power cut. A result is rated with
    /// them, in the order of the journal; then this is what it made of the ratings.
    fn append(&self, append: Append) -> BoxFuture<'_, Result<Option<RatingChange>, AppendError>>;

    /// What the result of a game made of the ratings; `None` if it has not been rated.
    fn rating_change(
        &self,
        game: GameId,
    ) -> BoxFuture<'_, Result<Option<RatingChange>, StoreError>>;

    /// Moves a game out of the journal.
    fn archive(&self, game: ArchivedGame) -> BoxFuture<'_, Result<(), StoreError>>;

    /// At most `max` records of a game from one seq on, in order; none if there is no such game.
    fn read(
        &self,
        game: GameId,
        from: u64,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>>;
}
