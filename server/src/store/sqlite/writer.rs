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

use adamant_protocol::GameId;
use rusqlite::{Connection, ErrorCode, ffi};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep},
};

use super::{games, results};
use crate::{
    limits::{
        COMMIT_PAUSE_MAX, COMMIT_PAUSE_PER_WRITE, STALE_ROWS_KEPT, STALE_ROWS_PER_WRITE,
        STORE_BATCH_WRITES_MAX, STORE_JOBS_MAX,
    },
    runtime::metrics::Metrics,
    store::{
        Append, AppendError, AppendOutcome, ArchiveError, ArchivedGame, ArchivedState, Begin,
        BeginError, Disk, LiveGames, OpenGame, StoreError,
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
    Append(Vec<Append>, oneshot::Sender<Vec<AppendOutcome>>),
    Begin(Begin, oneshot::Sender<Result<(), BeginError>>),
    Archive(ArchivedGame, oneshot::Sender<Result<(), ArchiveError>>),
    Write(WriteJob),
    /// Copies the WAL into the database after all earlier jobs are committed.
    Checkpoint(Checkpoint),
}

/// The reply to a checkpoint.
type Checkpoint = oneshot::Sender<Result<(), StoreError>>;

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

    pub(super) async fn append(self, batch: Vec<Append>) -> Vec<AppendOutcome> {
        let appends = batch.len();
        let (reply, outcomes) = oneshot::channel();
        let outcomes = match self.submit(Job::Append(batch, reply)).await {
            Ok(()) => outcomes.await.map_err(|_| StoreError::Stopped),
            Err(error) => Err(error),
        };
        outcomes.unwrap_or_else(|error| vec![Err(error.into()); appends])
    }

    pub(super) async fn begin(self, game: Begin) -> Result<(), BeginError> {
        let (reply, result) = oneshot::channel();
        self.submit(Job::Begin(game, reply)).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }

    pub(super) async fn archive(self, game: ArchivedGame) -> Result<(), ArchiveError> {
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
    /// The games that the current batch has appended to.
    pending: HashMap<GameId, PendingRows>,
}

/// What the current batch has appended to a game.
struct PendingRows {
    last_seq: u64,
    row_ids: Vec<i64>,
}

/// A job in an executed batch, which waits for the commit.
enum CompletedJob {
    Appended {
        batch: Vec<Append>,
        /// The journal rows of each append; none for those that are refused.
        row_ids: Vec<Vec<i64>>,
        outcomes: Vec<AppendOutcome>,
        reply: oneshot::Sender<Vec<AppendOutcome>>,
    },
    Begun {
        begin: Box<Begin>,
        row_ids: Vec<i64>,
        reply: oneshot::Sender<Result<(), BeginError>>,
    },
    Archived {
        game: Box<ArchivedGame>,
        row_ids: Vec<i64>,
        reply: oneshot::Sender<Result<(), ArchiveError>>,
    },
    Write(Reply),
}

/// A batch after its commit or failure.
struct Written {
    done: Vec<CompletedJob>,
    committed: Result<(), StoreError>,
    checkpoint: Option<Checkpoint>,
}

impl CompletedJob {
    /// Reports the records to a simulated disk.
    fn report(&self, disk: &dyn Disk) {
        match self {
            Self::Appended { batch, row_ids, .. } => {
                let stored = batch.iter().zip(row_ids).filter(|(_, rows)| !rows.is_empty());
                stored.for_each(|(append, _)| disk.committed(&append.game, &append.records));
            }
            Self::Begun { begin, .. } => disk.committed(&begin.entry.game, &begin.records),
            Self::Archived { .. } | Self::Write(_) => {}
        }
    }
}

impl Job {
    /// Number of writes, in the sense of the limits.
    fn writes(&self) -> usize {
        match self {
            Self::Append(batch, _) => batch.len(),
            Self::Begin(..) | Self::Archive(..) | Self::Write(_) | Self::Checkpoint(_) => 1,
        }
    }
}

/// Returns the time between the starts of a commit with this number of writes and the next one.
/// Under load more writes share a commit, which saves more time than the pause costs. With few
/// writes, or on a slow disk, there is no pause.
fn pause_after(writes: usize) -> Duration {
    let writes = u32::try_from(writes).unwrap_or(u32::MAX);
    COMMIT_PAUSE_PER_WRITE.saturating_mul(writes).min(COMMIT_PAUSE_MAX)
}

/// The jobs of one commit.
struct Batch {
    jobs: Vec<Job>,
    /// Number of writes in the jobs.
    writes: usize,
    /// The checkpoint behind them.
    checkpoint: Option<Checkpoint>,
}

impl Batch {
    /// Collects the waiting jobs, up to a checkpoint.
    fn collect(first: Job, waiting: &mut mpsc::Receiver<Job>) -> Self {
        let mut batch = Self { jobs: Vec::new(), writes: 0, checkpoint: None };
        let mut next = Some(first);
        while let Some(job) = next.take() {
            if let Job::Checkpoint(reply) = job {
                batch.checkpoint = Some(reply);
                break;
            }
            batch.writes += job.writes();
            batch.jobs.push(job);
            if batch.writes < STORE_BATCH_WRITES_MAX {
                next = waiting.try_recv().ok();
            }
        }
        batch
    }
}

impl Worker {
    fn run(mut self, mut waiting: mpsc::Receiver<Job>) {
        let mut not_before = Instant::now();
        while let Some(first) = waiting.blocking_recv() {
            thread::sleep(not_before.saturating_duration_since(Instant::now()));
            let begun = Instant::now();
            let batch = Batch::collect(first, &mut waiting);
            not_before = begun + pause_after(batch.writes);
            let written = self.commit(batch);
            self.finish(written);
        }
    }

    /// Like `run`, with the latency of a simulated disk. The disk receives the records after the
    /// commit and before the replies.
    async fn run_simulated(mut self, disk: Arc<dyn Disk>, mut waiting: mpsc::Receiver<Job>) {
        while let Some(first) = waiting.recv().await {
            sleep(disk.latency()).await;
            let batch = Batch::collect(first, &mut waiting);
            let written = self.commit(batch);
            if written.committed.is_ok() {
                written.done.iter().for_each(|job| job.report(&*disk));
            }
            sleep(disk.latency()).await;
            self.finish(written);
        }
    }

    /// Executes and commits a batch, without the replies.
    fn commit(&mut self, batch: Batch) -> Written {
        self.pending.clear();
        let Batch { jobs, writes, checkpoint } = batch;
        if jobs.is_empty() {
            return Written { done: Vec::new(), committed: Ok(()), checkpoint };
        }
        let begun = Instant::now();
        let mut done = Vec::with_capacity(jobs.len());
        let surplus = self.stale_rows.len().saturating_sub(STALE_ROWS_KEPT);
        let deleted = surplus.min(STALE_ROWS_PER_WRITE * writes);
        let committed = self.execute("BEGIN IMMEDIATE").and_then(|()| {
            for job in jobs {
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
        // Logged once until commits succeed again: the log may be on the same full disk.
        let was_healthy = self.healthy.swap(committed.is_ok(), Ordering::Relaxed);
        match &committed {
            Ok(()) => self.metrics.observe_commit(writes, begun.elapsed()),
            Err(_) => {
                self.metrics.commit_failures.inc();
            }
        }
        match &committed {
            Ok(()) if !was_healthy => tracing::info!("commits succeed again"),
            Err(error) if was_healthy => {
                tracing::error!(%error, writes, "commit failed");
            }
            Ok(()) | Err(_) => {}
        }
        if committed.is_err()
            && !self.connection.is_autocommit()
            && let Err(error) = self.execute("ROLLBACK")
        {
            tracing::error!(%error, "rollback failed");
        }
        let committed = committed.map_err(|error| commit_error(&error));
        Written { done, committed, checkpoint }
    }

    /// Executes a cached statement.
    fn execute(&self, statement: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(statement)?.execute([]).map(drop)
    }

    /// Replies to the senders of a batch, and runs the checkpoint behind it.
    fn finish(&mut self, written: Written) {
        for job in written.done {
            self.complete(job, written.committed.clone());
        }
        if let Some(reply) = written.checkpoint {
            let moved = self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
            drop(reply.send(moved.map_err(|error| store_error(&error))));
        }
    }

    /// Executes a job in the open transaction. An error here fails the whole batch. Therefore jobs
    /// that may fail alone have a savepoint.
    fn execute_job(&mut self, job: Job) -> rusqlite::Result<Option<CompletedJob>> {
        match job {
            Job::Append(batch, reply) => {
                let mut row_ids = Vec::with_capacity(batch.len());
                let mut outcomes = Vec::with_capacity(batch.len());
                for append in &batch {
                    let (rows, outcome) = self.append(append)?;
                    row_ids.push(rows);
                    outcomes.push(outcome);
                }
                Ok(Some(CompletedJob::Appended { batch, row_ids, outcomes, reply }))
            }
            Job::Begin(begin, reply) => match self.begin(&begin)? {
                Ok(row_ids) => {
                    Ok(Some(CompletedJob::Begun { begin: Box::new(begin), row_ids, reply }))
                }
                Err(error) => {
                    drop(reply.send(Err(error)));
                    Ok(None)
                }
            },
            Job::Archive(game, reply) => {
                let last_seq = self.last_seq(&game.game)?;
                if last_seq != game.seq {
                    drop(reply.send(Err(ArchiveError::Conflict { last_seq })));
                    return Ok(None);
                }
                let game = Box::new(game);
                let mut row_ids = self.live.journal_rows(&game.game);
                if let Some(pending) = self.pending.get(&game.game) {
                    row_ids.extend(&pending.row_ids);
                }
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
                        drop(reply.send(Err(store_error(&error).into())));
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

    /// Inserts the records of an append, unless it conflicts; returns their journal rows.
    fn append(&mut self, append: &Append) -> rusqlite::Result<(Vec<i64>, AppendOutcome)> {
        let Append { game, expected_seq, records, result, .. } = append;
        let last_seq = self.last_seq(game)?;
        if last_seq != *expected_seq {
            return Ok((Vec::new(), Err(AppendError::Conflict { last_seq })));
        }
        let row_ids = games::insert_records(&self.connection, game, last_seq, records)?;
        self.note_pending(game, last_seq, &row_ids);
        let change = result.as_ref().map(|result| results::rate(&self.connection, game, result));
        Ok((row_ids, Ok(change.transpose()?)))
    }

    /// Inserts a game, unless its id, challenge or rematch is another game's; returns the journal
    /// rows of its records.
    fn begin(&mut self, begin: &Begin) -> rusqlite::Result<Result<Vec<i64>, BeginError>> {
        let game = &begin.entry.game;
        if self.last_seq(game)? > 0 {
            return Ok(Err(BeginError::IdTaken));
        }
        if let Err(error) = games::claim_origin(&self.connection, begin)? {
            return Ok(Err(error));
        }
        let row_ids = games::insert_records(&self.connection, game, 0, &begin.records)?;
        self.note_pending(game, 0, &row_ids);
        Ok(Ok(row_ids))
    }

    fn note_pending(&mut self, game: &GameId, after: u64, row_ids: &[i64]) {
        let nothing = || PendingRows { last_seq: after, row_ids: Vec::new() };
        let pending = self.pending.entry(game.clone()).or_insert_with(nothing);
        pending.last_seq += row_ids.len() as u64;
        pending.row_ids.extend_from_slice(row_ids);
    }

    fn last_seq(&self, game: &GameId) -> rusqlite::Result<u64> {
        if let Some(pending) = self.pending.get(game) {
            return Ok(pending.last_seq);
        }
        match self.live.last_seq(game) {
            Some(last_seq) => Ok(last_seq),
            // Not live: either new or finished.
            None => games::archived_seq(&self.connection, game),
        }
    }

    fn complete(&mut self, job: CompletedJob, committed: Result<(), StoreError>) {
        match job {
            CompletedJob::Appended { batch, row_ids, outcomes, reply } => {
                let outcomes = match committed {
                    Ok(()) => {
                        for (append, row_ids) in batch.iter().zip(&row_ids) {
                            self.metrics.records.inc_by(row_ids.len() as u64);
                            self.live.advance(append, row_ids);
                        }
                        outcomes
                    }
                    Err(error) => {
                        let fail = |outcome: AppendOutcome| {
                            outcome.and_then(|_| Err(AppendError::Store(error.clone())))
                        };
                        outcomes.into_iter().map(fail).collect()
                    }
                };
                drop(reply.send(outcomes));
            }
            CompletedJob::Begun { begin, row_ids, reply } => {
                if committed.is_ok() {
                    let (entry, last_seq) = (*begin.entry, row_ids.len() as u64);
                    self.metrics.records.inc_by(last_seq);
                    self.live.insert(OpenGame { entry, last_seq, archived_seq: 0, row_ids });
                }
                drop(reply.send(committed.map_err(BeginError::Store)));
            }
            CompletedJob::Archived { game, row_ids, reply } => {
                if committed.is_ok() {
                    self.stale_rows.extend(row_ids);
                    match game.state {
                        ArchivedState::Finished => self.live.remove(&game.entry),
                        ArchivedState::Parked => self.live.park(&game.game),
                    }
                }
                drop(reply.send(committed.map_err(ArchiveError::Store)));
            }
            CompletedJob::Write(reply) => reply(committed),
        }
    }
}
