//! The one thread that writes. It takes every job that waits, carries them out in one transaction,
//! syncs once, and only then tells each of those who wait. In a simulation a task takes its place.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use adamant_protocol::{GameId, values::RatingChange};
use rusqlite::{Connection, ErrorCode, ffi};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep},
};

use super::{games, results};
use crate::{
    limits::{
        COMMIT_PAUSE_MAX, COMMIT_PAUSE_PER_JOB, STALE_ROWS_KEPT, STALE_ROWS_PER_WRITE,
        STORE_BATCH_JOBS_MAX, STORE_JOBS_MAX,
    },
    runtime::metrics::Metrics,
    store::{
        Append, AppendError, ArchivedGame, ArchivedState, Disk, LiveGames, OpenGame, StoreError,
    },
};

/// A write of another kind than a game's: carried out in a savepoint of its own, so that its
/// failure leaves nothing of it and harms nobody else's; gives back how to tell its sender once the
/// commit is done.
type WriteJob = Box<dyn FnOnce(&Connection) -> (WriteOutcome, Reply) + Send>;
type Reply = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// What came of such a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriteOutcome {
    Written,
    Failed,
}

enum Job {
    Append(Append, oneshot::Sender<Appended>),
    Archive(ArchivedGame, oneshot::Sender<Result<(), StoreError>>),
    Write(WriteJob),
    /// Moves the log into the database file, once all before it is committed.
    Checkpoint(Checkpoint),
}

/// Who waits for a checkpoint.
type Checkpoint = oneshot::Sender<Result<(), StoreError>>;

/// What became of an append, and of the result that came with it.
type Appended = Result<Option<RatingChange>, AppendError>;

/// Hands jobs to the writing thread.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    /// None if nothing is to be written.
    jobs: Option<mpsc::Sender<Job>>,
    healthy: Arc<AtomicBool>,
}

impl Writer {
    /// Starts the thread, or over a simulated disk the task. Either ends when the last handle is
    /// dropped.
    pub(super) fn start(
        connection: Connection,
        stale_rows: BTreeSet<i64>,
        live: Arc<LiveGames>,
        metrics: Arc<Metrics>,
        disk: Option<Arc<dyn Disk>>,
    ) -> Self {
        let (jobs, waiting) = mpsc::channel(STORE_JOBS_MAX);
        let healthy = Arc::new(AtomicBool::new(true));
        let worker = Worker {
            connection,
            stale_rows,
            live,
            metrics,
            healthy: Arc::clone(&healthy),
            pending: HashMap::new(),
        };
        match disk {
            None => {
                thread::Builder::new()
                    .name("store-writer".to_owned())
                    .spawn(move || worker.run(waiting))
                    .expect("a thread can be started when the server starts");
            }
            Some(disk) => {
                #[expect(
                    clippy::disallowed_methods,
                    reason = "like the thread, it outlives a stop"
                )]
                tokio::spawn(worker.run_simulated(disk, waiting));
            }
        }
        Self { jobs: Some(jobs), healthy }
    }

    /// Writes nothing, and says so.
    pub(super) fn read_only() -> Self {
        Self { jobs: None, healthy: Arc::new(AtomicBool::new(true)) }
    }

    async fn submit(&self, job: Job) -> Result<(), StoreError> {
        let jobs = self.jobs.as_ref().ok_or(StoreError::ReadOnly)?;
        jobs.send(job).await.map_err(|_| StoreError::Stopped)
    }

    pub(super) fn is_healthy(&self) -> bool {
        self.healthy.load(Ordering::Relaxed)
    }

    pub(super) async fn append(&self, append: Append) -> Appended {
        let (reply, result) = oneshot::channel();
        self.submit(Job::Append(append, reply)).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }

    pub(super) async fn archive(&self, game: ArchivedGame) -> Result<(), StoreError> {
        let (reply, result) = oneshot::channel();
        self.submit(Job::Archive(game, reply)).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }

    /// Waits for all that was handed in before, and moves the log into the database file.
    pub(super) async fn checkpoint(&self) -> Result<(), StoreError> {
        let (reply, result) = oneshot::channel();
        self.submit(Job::Checkpoint(reply)).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }

    /// Carries out any other write, durably.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, result) = oneshot::channel();
        let write: WriteJob = Box::new(move |connection| {
            let written = write(connection);
            let outcome =
                if written.is_ok() { WriteOutcome::Written } else { WriteOutcome::Failed };
            let complete: Reply = Box::new(move |committed| {
                let result = committed.and_then(|()| written.map_err(|error| store_error(&error)));
                // A sender that has gone away no longer wants to know.
                drop(reply.send(result));
            });
            (outcome, complete)
        });
        self.submit(Job::Write(write)).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }
}

/// Why a commit failed. Where a write to the log was refused, the end of the transaction is not in
/// it, so nothing can come of that any more. After anything else, such as a sync that failed, it may
/// lie there whole and be found after a crash.
fn commit_error(error: &rusqlite::Error) -> StoreError {
    let is_read_only = error.sqlite_error().is_some_and(|error| {
        error.code == ErrorCode::DiskFull || error.extended_code == ffi::SQLITE_IOERR_WRITE
    });
    if is_read_only { StoreError::ReadOnly } else { store_error(error) }
}

fn store_error(error: &rusqlite::Error) -> StoreError {
    StoreError::Failed(error.to_string().into())
}

/// What the thread has.
struct Worker {
    connection: Connection,
    live: Arc<LiveGames>,
    metrics: Arc<Metrics>,
    healthy: Arc<AtomicBool>,
    /// Rows of the journal whose records rest in their game's row.
    stale_rows: BTreeSet<i64>,
    /// The last seq of games that the running batch has appended to.
    pending: HashMap<GameId, u64>,
}

/// What is left to do for a job once its batch is committed.
enum CompletedJob {
    Appended {
        append: Box<Append>,
        row_ids: Vec<i64>,
        change: Option<RatingChange>,
        reply: oneshot::Sender<Appended>,
    },
    Archived {
        game: ArchivedGame,
        row_ids: Vec<i64>,
        reply: oneshot::Sender<Result<(), StoreError>>,
    },
    Write(Reply),
}

/// A batch that has been committed, or could not be.
struct Written {
    done: Vec<CompletedJob>,
    committed: Result<(), StoreError>,
}

/// From the beginning of a commit of so many jobs to that of the next one. Where there is much to do
/// more of it shares a commit, which saves more time than it takes; where there is little, or the
/// disk is slow, nobody waits for others.
fn pause_after(jobs: usize) -> Duration {
    let jobs = u32::try_from(jobs).unwrap_or(u32::MAX);
    COMMIT_PAUSE_PER_JOB.saturating_mul(jobs).min(COMMIT_PAUSE_MAX)
}

/// The jobs that wait, as many as share one commit, and the checkpoint that ends them.
fn collect_batch(first: Job, waiting: &mut mpsc::Receiver<Job>) -> (Vec<Job>, Option<Checkpoint>) {
    let mut batch = Vec::new();
    let mut next = Some(first);
    while let Some(job) = next.take() {
        if let Job::Checkpoint(reply) = job {
            return (batch, Some(reply));
        }
        batch.push(job);
        if batch.len() < STORE_BATCH_JOBS_MAX {
            next = waiting.try_recv().ok();
        }
    }
    (batch, None)
}

impl Worker {
    fn run(mut self, mut waiting: mpsc::Receiver<Job>) {
        let mut not_before = Instant::now();
        while let Some(first) = waiting.blocking_recv() {
            thread::sleep(not_before.saturating_duration_since(Instant::now()));
            let begun = Instant::now();
            let (mut batch, checkpoint) = collect_batch(first, &mut waiting);
            not_before = begun + pause_after(batch.len());
            let written = self.commit(&mut batch);
            self.finish(written, checkpoint);
        }
    }

    /// The same at the pace of a simulated disk, which hears of every record once it is safe and
    /// before anybody else does.
    async fn run_simulated(mut self, disk: Arc<dyn Disk>, mut waiting: mpsc::Receiver<Job>) {
        while let Some(first) = waiting.recv().await {
            sleep(disk.latency()).await;
            let (mut batch, checkpoint) = collect_batch(first, &mut waiting);
            let written = self.commit(&mut batch);
            if written.committed.is_ok() {
                for job in &written.done {
                    if let CompletedJob::Appended { append, .. } = job {
                        disk.committed(&append.game, &append.records);
                    }
                }
            }
            sleep(disk.latency()).await;
            self.finish(written, checkpoint);
        }
    }

    /// Carries out and commits a batch. Nobody is told yet.
    fn commit(&mut self, batch: &mut Vec<Job>) -> Written {
        self.pending.clear();
        if batch.is_empty() {
            return Written { done: Vec::new(), committed: Ok(()) };
        }
        let (jobs, begun) = (batch.len(), Instant::now());
        let mut done = Vec::with_capacity(jobs);
        let too_many = self.stale_rows.len().saturating_sub(STALE_ROWS_KEPT);
        let tidied = too_many.min(STALE_ROWS_PER_WRITE * jobs);
        let committed = self.execute("BEGIN IMMEDIATE").and_then(|()| {
            for job in batch.drain(..) {
                if let Some(completed) = self.execute_job(job)? {
                    done.push(completed);
                }
            }
            games::delete_rows(&self.connection, self.stale_rows.iter().take(tidied))?;
            self.execute("COMMIT")
        });
        if committed.is_ok() {
            for _ in 0..tidied {
                self.stale_rows.pop_first();
            }
        }
        // Jobs that were not reached are told by their dropped reply that the store has failed.
        batch.clear();
        // Once per episode: a full disk would fill what the log is kept on, too.
        let was_healthy = self.healthy.swap(committed.is_ok(), Ordering::Relaxed);
        match &committed {
            Ok(()) => self.metrics.committed(jobs, begun.elapsed()),
            Err(_) => {
                self.metrics.commit_failures.inc();
            }
        }
        match &committed {
            Ok(()) if !was_healthy => tracing::info!("commits succeed again"),
            Err(error) if was_healthy => {
                tracing::error!(%error, jobs = done.len(), "commit failed");
            }
            Ok(()) | Err(_) => {}
        }
        if committed.is_err()
            && !self.connection.is_autocommit()
            && let Err(error) = self.execute("ROLLBACK")
        {
            tracing::error!(%error, "rollback failed");
        }
        Written { done, committed: committed.map_err(|error| commit_error(&error)) }
    }

    /// Runs a statement that is run again and again.
    fn execute(&self, statement: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(statement)?.execute([]).map(drop)
    }

    /// Tells everybody what became of a batch, and makes the checkpoint that waits behind it.
    fn finish(&mut self, written: Written, checkpoint: Option<Checkpoint>) {
        for job in written.done {
            self.complete(job, written.committed.clone());
        }
        if let Some(reply) = checkpoint {
            let moved = self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
            drop(reply.send(moved.map_err(|error| store_error(&error))));
        }
    }

    /// Writes one job into the open transaction. An error here spoils the whole batch: what may fail
    /// for a reason of its own has a savepoint.
    fn execute_job(&mut self, job: Job) -> rusqlite::Result<Option<CompletedJob>> {
        match job {
            Job::Append(append, reply) => {
                let last_seq = self.last_seq(&append.game)?;
                if last_seq != append.expected_seq {
                    drop(reply.send(Err(AppendError::Conflict { last_seq })));
                    return Ok(None);
                }
                let row_ids = games::insert_records(&self.connection, &append)?;
                self.pending.insert(append.game.clone(), last_seq + row_ids.len() as u64);
                let change = match &append.result {
                    Some(result) => Some(results::rate(&self.connection, &append.game, result)?),
                    None => None,
                };
                let append = Box::new(append);
                Ok(Some(CompletedJob::Appended { append, row_ids, change, reply }))
            }
            Job::Archive(game, reply) => {
                let row_ids = self.live.journal_rows(&game.game);
                self.execute("SAVEPOINT archive")?;
                let archived = games::archive(&self.connection, &game, &row_ids);
                if archived.is_err() {
                    self.execute("ROLLBACK TO archive")?;
                }
                self.execute("RELEASE archive")?;
                match archived {
                    Ok(()) => Ok(Some(CompletedJob::Archived { game, row_ids, reply })),
                    Err(error) => {
                        // It stays where it was. A sender that has gone no longer wants to know.
                        drop(reply.send(Err(store_error(&error))));
                        Ok(None)
                    }
                }
            }
            Job::Checkpoint(_) => Ok(None),
            Job::Write(write) => {
                self.execute("SAVEPOINT write")?;
                let (outcome, reply) = write(&self.connection);
                if outcome == WriteOutcome::Failed {
                    self.execute("ROLLBACK TO write")?;
                }
                self.execute("RELEASE write")?;
                Ok(Some(CompletedJob::Write(reply)))
            }
        }
    }

    fn last_seq(&self, game: &GameId) -> rusqlite::Result<u64> {
        if let Some(last_seq) = self.pending.get(game) {
            return Ok(*last_seq);
        }
        match self.live.last_seq(game) {
            Some(last_seq) => Ok(last_seq),
            // Not live: either new, or finished and closed for ever.
            None => games::archived_seq(&self.connection, game),
        }
    }

    fn complete(&mut self, job: CompletedJob, committed: Result<(), StoreError>) {
        match job {
            CompletedJob::Appended { append, row_ids, change, reply } => {
                if committed.is_ok() {
                    self.metrics.records.inc_by(row_ids.len() as u64);
                    match append.created {
                        Some(entry) => self.live.insert(OpenGame {
                            entry: *entry,
                            last_seq: row_ids.len() as u64,
                            archived_seq: 0,
                            row_ids,
                        }),
                        None => self.live.advance(&append, &row_ids),
                    }
                }
                drop(reply.send(committed.map(|()| change).map_err(AppendError::Store)));
            }
            CompletedJob::Archived { game, row_ids, reply } => {
                if committed.is_ok() {
                    self.stale_rows.extend(row_ids);
                    match game.state {
                        ArchivedState::Finished => self.live.remove(&game.entry),
                        ArchivedState::Parked => self.live.park(&game.game),
                    }
                }
                drop(reply.send(committed));
            }
            CompletedJob::Write(reply) => reply(committed),
        }
    }
}
