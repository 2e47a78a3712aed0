//! The one thread that writes. It executes all waiting jobs in one transaction, syncs once, and
//! then replies to each sender. In a simulation a task does the same.

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

/// Any other write. It runs in a savepoint, so that its failure does not affect other jobs. Returns
/// the function that replies to the sender after the commit.
type WriteJob = Box<dyn FnOnce(&Connection) -> (WriteOutcome, Reply) + Send>;
type Reply = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// The outcome of a [`WriteJob`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriteOutcome {
    Written,
    Failed,
}

enum Job {
    Append(Append, oneshot::Sender<Appended>),
    Archive(ArchivedGame, oneshot::Sender<Result<(), StoreError>>),
    Write(WriteJob),
    /// Copies the WAL into the database after all earlier jobs are committed.
    Checkpoint(Checkpoint),
}

/// The reply to a checkpoint.
type Checkpoint = oneshot::Sender<Result<(), StoreError>>;

/// The reply to an append.
type Appended = Result<Option<RatingChange>, AppendError>;

/// Sends jobs to the writing thread.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    /// `None` if the store is read-only.
    jobs: Option<mpsc::Sender<Job>>,
    healthy: Arc<AtomicBool>,
}

impl Writer {
    /// Starts the thread, or the task for a simulated disk. It ends when the last handle is
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
                    .expect("a thread can be spawned at the start");
            }
            Some(disk) => {
                #[expect(
                    clippy::disallowed_methods,
                    reason = "like the thread, it outlives the shutdown"
                )]
                tokio::spawn(worker.run_simulated(disk, waiting));
            }
        }
        Self { jobs: Some(jobs), healthy }
    }

    /// Returns a writer that rejects every job.
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

    /// Waits for all earlier jobs, and copies the WAL into the database.
    pub(super) async fn checkpoint(&self) -> Result<(), StoreError> {
        let (reply, result) = oneshot::channel();
        self.submit(Job::Checkpoint(reply)).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }

    /// Runs any other write, durably.
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
                // The sender may be gone.
                drop(reply.send(result));
            });
            (outcome, complete)
        });
        self.submit(Job::Write(write)).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }
}

/// Converts the error of a commit. If a write to the WAL failed, the end of the transaction is not
/// in it, and the transaction is certainly lost. After other errors, such as a failed sync, the
/// whole transaction may be in the WAL, and a restart may find it.
fn commit_error(error: &rusqlite::Error) -> StoreError {
    let is_read_only = error.sqlite_error().is_some_and(|error| {
        error.code == ErrorCode::DiskFull || error.extended_code == ffi::SQLITE_IOERR_WRITE
    });
    if is_read_only { StoreError::ReadOnly } else { store_error(error) }
}

fn store_error(error: &rusqlite::Error) -> StoreError {
    StoreError::Failed(error.to_string().into())
}

/// The state of the thread.
struct Worker {
    connection: Connection,
    live: Arc<LiveGames>,
    metrics: Arc<Metrics>,
    healthy: Arc<AtomicBool>,
    /// Journal rows whose records are archived.
    stale_rows: BTreeSet<i64>,
    /// The last seq of each game that the current batch has appended to.
    pending: HashMap<GameId, u64>,
}

/// A job in an executed batch, which waits for the commit.
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

/// A batch after its commit or failure.
struct Written {
    done: Vec<CompletedJob>,
    committed: Result<(), StoreError>,
}

/// Returns the time between the starts of a commit with this number of jobs and the next one. Under
/// load more jobs share a commit, which saves more time than the pause costs. With few jobs, or on
/// a slow disk, there is no pause.
fn pause_after(jobs: usize) -> Duration {
    let jobs = u32::try_from(jobs).unwrap_or(u32::MAX);
    COMMIT_PAUSE_PER_JOB.saturating_mul(jobs).min(COMMIT_PAUSE_MAX)
}

/// Collects the waiting jobs for one commit, up to a checkpoint.
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

    /// Like `run`, with the latency of a simulated disk. The disk receives the records after the
    /// commit and before the replies.
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

    /// Executes and commits a batch, without the replies.
    fn commit(&mut self, batch: &mut Vec<Job>) -> Written {
        self.pending.clear();
        if batch.is_empty() {
            return Written { done: Vec::new(), committed: Ok(()) };
        }
        let (jobs, begun) = (batch.len(), Instant::now());
        let mut done = Vec::with_capacity(jobs);
        let surplus = self.stale_rows.len().saturating_sub(STALE_ROWS_KEPT);
        let deleted = surplus.min(STALE_ROWS_PER_WRITE * jobs);
        let committed = self.execute("BEGIN IMMEDIATE").and_then(|()| {
            for job in batch.drain(..) {
                if let Some(completed) = self.execute_job(job)? {
                    done.push(completed);
                }
            }
            games::delete_rows(&self.connection, self.stale_rows.iter().take(deleted))?;
            self.execute("COMMIT")
        });
        if committed.is_ok() {
            for _ in 0..deleted {
                self.stale_rows.pop_first();
            }
        }
        // Drops the replies of jobs that were not reached: their senders receive an error.
        batch.clear();
        // Logged once until commits succeed again: the log may be on the same full disk.
        let was_healthy = self.healthy.swap(committed.is_ok(), Ordering::Relaxed);
        match &committed {
            Ok(()) => self.metrics.observe_commit(jobs, begun.elapsed()),
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

    /// Executes a cached statement.
    fn execute(&self, statement: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(statement)?.execute([]).map(drop)
    }

    /// Replies to the senders of a batch, and runs the checkpoint behind it.
    fn finish(&mut self, written: Written, checkpoint: Option<Checkpoint>) {
        for job in written.done {
            self.complete(job, written.committed.clone());
        }
        if let Some(reply) = checkpoint {
            let moved = self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
            drop(reply.send(moved.map_err(|error| store_error(&error))));
        }
    }

    /// Executes a job in the open transaction. An error here fails the whole batch. Therefore jobs
    /// that may fail alone have a savepoint.
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
                        // The game stays in the journal. The sender may be gone.
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
            // Not live: either new or finished.
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
