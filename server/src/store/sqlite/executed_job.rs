//! Jobs of the writing thread in a transaction, with their outcomes.

use tokio::sync::oneshot;

use super::job::{Job, WriteJob, WriteReply};
use crate::store::{
    Append, AppendOutcome, ArchiveError, ArchivedGame, Begin, BeginError, Disk, StoreError,
};

/// A job that is executed, and then waits for the commit.
pub(super) enum ExecutedJob {
    Append(ExecutedBatch),
    Begin {
        begin: Box<Begin>,
        /// The row in which its first record has arrived, unless the game is refused.
        outcome: Result<i64, BeginError>,
        reply: oneshot::Sender<Result<(), BeginError>>,
    },
    Archive {
        game: Box<ArchivedGame>,
        /// The arrivals that are stale from then on, unless the game is refused.
        outcome: Result<Vec<i64>, ArchiveError>,
        reply: oneshot::Sender<Result<(), ArchiveError>>,
    },
    Write(Option<WriteJob>, Option<WriteReply>),
}

/// A batch of appends.
pub(super) struct ExecutedBatch {
    pub(super) batch: Vec<Append>,
    pub(super) outcomes: Vec<AppendOutcome>,
    /// The row in which the first record has arrived.
    pub(super) first_row: i64,
    pub(super) reply: oneshot::Sender<Vec<AppendOutcome>>,
}

impl From<Job> for ExecutedJob {
    /// Returns the job with the outcome of one that is never executed.
    fn from(job: Job) -> Self {
        match job {
            Job::Append(batch, reply) => {
                let outcomes = Vec::with_capacity(batch.len());
                Self::Append(ExecutedBatch { batch, outcomes, first_row: 0, reply })
            }
            Job::Begin(begin, reply) => {
                Self::Begin { begin, outcome: Err(StoreError::Stopped.into()), reply }
            }
            Job::Archive(game, reply) => {
                Self::Archive { game, outcome: Err(StoreError::Stopped.into()), reply }
            }
            Job::Write(write) => Self::Write(Some(write), None),
        }
    }
}

impl ExecutedBatch {
    /// Returns the appends that are admitted, each with its first row.
    pub(super) fn admitted(&self) -> impl Iterator<Item = (&Append, i64)> {
        let mut next_row = self.first_row;
        let admitted = self.batch.iter().zip(&self.outcomes).filter(|(_, outcome)| outcome.is_ok());
        admitted.map(move |(append, _)| {
            let row = next_row;
            next_row += (append.records.len() as u64).cast_signed();
            (append, row)
        })
    }
}

/// A transaction after its commit or failure.
pub(super) struct Written {
    pub(super) done: Vec<ExecutedJob>,
    /// Number of writes in the jobs.
    pub(super) writes: usize,
    pub(super) committed: Result<(), StoreError>,
}

impl Written {
    /// Reports the records to a simulated disk.
    pub(super) fn report(&self, disk: &dyn Disk) {
        for job in self.done.iter().filter(|_| self.committed.is_ok()) {
            match job {
                ExecutedJob::Append(batch) => batch
                    .admitted()
                    .for_each(|(append, _)| disk.committed(&append.game, &append.records)),
                ExecutedJob::Begin { begin, outcome: Ok(_), .. } => {
                    disk.committed(&begin.entry.game, &begin.records);
                }
                ExecutedJob::Begin { .. }
                | ExecutedJob::Archive { .. }
                | ExecutedJob::Write(..) => {}
            }
        }
    }

    /// Leaves the senders of the jobs without a reply.
    pub(super) fn lose_replies(&mut self) {
        for job in &mut self.done {
            match job {
                ExecutedJob::Append(batch) => batch.reply = oneshot::channel().0,
                ExecutedJob::Begin { reply, .. } => *reply = oneshot::channel().0,
                ExecutedJob::Archive { reply, .. } => *reply = oneshot::channel().0,
                ExecutedJob::Write(_, reply) => {
                    if let Some(reply) = reply.take() {
                        reply(Err(StoreError::Stopped));
                    }
                }
            }
        }
    }
}
