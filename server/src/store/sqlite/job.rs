//! What the writing thread is asked to do.

use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::store::{
    Append, AppendOutcome, ArchiveError, ArchivedGame, Begin, BeginError, StoreError,
};

/// Any other write. It runs in a savepoint, so that its failure does not affect other jobs.
pub(super) type WriteJob = Box<dyn FnOnce(&Connection) -> (WriteOutcome, WriteReply) + Send>;

/// Replies to the sender of a [`WriteJob`] after the commit.
pub(super) type WriteReply = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// The outcome of a [`WriteJob`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteOutcome {
    Written,
    Failed,
}

/// What the thread executes in a transaction.
pub(super) enum Job {
    Append(Vec<Append>, oneshot::Sender<Vec<AppendOutcome>>),
    Begin(Box<Begin>, oneshot::Sender<Result<(), BeginError>>),
    Archive(Box<ArchivedGame>, oneshot::Sender<Result<(), ArchiveError>>),
    Write(WriteJob),
}

impl Job {
    /// Number of writes, in the sense of the limits.
    pub(super) fn writes(&self) -> usize {
        match self {
            Self::Append(batch, _) => batch.len(),
            Self::Begin(..) | Self::Archive(..) | Self::Write(_) => 1,
        }
    }
}

/// What the thread is asked to do.
pub(super) enum Request {
    Execute(Job),
    /// Copies the WAL into the database after all earlier jobs are committed.
    Checkpoint(Checkpoint),
}

/// The reply to a checkpoint.
pub(super) type Checkpoint = oneshot::Sender<Result<(), StoreError>>;
