//! The thread that writes. It executes all waiting jobs in one transaction, syncs once, and then
//! replies to each sender. In a simulation a task does the same.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use adamant_protocol::GameId;
use rusqlite::{Connection, ffi};
use tokio::{sync::mpsc, time::Instant};

use super::{
    archive,
    arrivals::{self, NewRow},
    errors::{commit_error, store_error},
    executed_job::{ExecutedBatch, ExecutedJob, Written},
    job::{Checkpoint, Job, Request, WriteJob, WriteOutcome, WriteReply},
    live::{ClaimOutcome, LiveGames, OpenGame},
    malformed::Malformed,
    place::Place,
};
use crate::{
    limits::{
        COMMIT_PAUSE_MAX, COMMIT_PAUSE_PER_WRITE, STALE_ROWS_KEPT, STALE_ROWS_PER_WRITE,
        STORE_BATCH_WRITES_MAX,
    },
    runtime::metrics::Metrics,
    store::{
        Append, AppendError, ArchiveError, ArchivedGame, ArchivedState, Begin, BeginError,
        StoreError, games,
        sql::{Embedded, RELEASE, SAVEPOINT, SqlError, SqlResult, UNDO, at_once},
        stored_ratings,
    },
};

/// The state of the thread.
pub(super) struct Worker {
    pub(super) connection: Connection,
    place: Place,
    /// Whether a commit went into files that were gone when it returned.
    is_lost: bool,
    /// Whether the database was found malformed, here or by a reader.
    malformed: Malformed,
    live: Arc<LiveGames>,
    metrics: Arc<Metrics>,
    healthy: Arc<AtomicBool>,
    /// Journal rows whose records are archived.
    stale_rows: BTreeSet<i64>,
    /// The games that the open transaction has appended to, for the case that it fails.
    claimed: Vec<GameId>,
    /// The games that begin in the open transaction.
    begun: Vec<GameId>,
}

/// Returns the time between the starts of a commit with this number of writes and the next one.
/// Under load more writes share a commit, which saves more time than the pause costs. With few
/// writes, or on a slow disk, there is no pause.
fn pause_after(writes: usize) -> Duration {
    let writes = u32::try_from(writes).unwrap_or(u32::MAX);
    COMMIT_PAUSE_PER_WRITE.saturating_mul(writes).min(COMMIT_PAUSE_MAX)
}

/// Collects the waiting jobs of one commit, up to a checkpoint.
pub(super) fn collect(
    first: Request,
    waiting: &mut mpsc::Receiver<Request>,
) -> (VecDeque<Job>, Option<Checkpoint>) {
    let (mut jobs, mut writes) = (VecDeque::new(), 0);
    let mut next = Some(first);
    while let Some(request) = next.take() {
        match request {
            Request::Execute(job) => {
                writes += job.writes();
                jobs.push_back(job);
            }
            Request::Checkpoint(reply) => return (jobs, Some(reply)),
        }
        if writes < STORE_BATCH_WRITES_MAX {
            next = waiting.try_recv().ok();
        }
    }
    (jobs, None)
}

impl Worker {
    pub(super) fn new(
        connection: Connection,
        (place, malformed): (Place, Malformed),
        stale_rows: BTreeSet<i64>,
        live: Arc<LiveGames>,
        metrics: Arc<Metrics>,
        healthy: Arc<AtomicBool>,
    ) -> Self {
        let (claimed, begun) = (Vec::new(), Vec::new());
        Self {
            connection,
            place,
            is_lost: false,
            malformed,
            live,
            metrics,
            healthy,
            stale_rows,
            claimed,
            begun,
        }
    }

    pub(super) fn run(mut self, mut waiting: mpsc::Receiver<Request>) {
        let mut not_before = Instant::now();
        while let Some(first) = waiting.blocking_recv() {
            thread::sleep(not_before.saturating_duration_since(Instant::now()));
            let (mut jobs, checkpoint) = collect(first, &mut waiting);
            while !jobs.is_empty() {
                let begun = Instant::now();
                let written = self.commit(&mut jobs);
                not_before = begun + pause_after(written.writes);
                self.finish(written);
            }
            self.checkpoint(checkpoint);
        }
    }

    /// Executes and commits jobs, without the replies. Jobs remain if one of them needs the outcome
    /// of another, or if one fails the transaction.
    pub(super) fn commit(&mut self, jobs: &mut VecDeque<Job>) -> Written {
        let begun = Instant::now();
        let (mut done, mut writes) = (Vec::with_capacity(jobs.len()), 0);
        let mut deleted = 0;
        let committed = self.execute_jobs(jobs, &mut done, &mut writes).and_then(|()| {
            let surplus = self.stale_rows.len().saturating_sub(STALE_ROWS_KEPT);
            deleted = surplus.min(STALE_ROWS_PER_WRITE * writes);
            arrivals::delete(&self.connection, self.stale_rows.iter().take(deleted))?;
            self.expect_place()?;
            Ok(self.execute("COMMIT")?)
        });
        let committed = committed.and_then(|()| Ok(self.keep()?));
        self.begun.clear();
        if committed.is_ok() {
            for _ in 0..deleted {
                self.stale_rows.pop_first();
            }
        } else {
            self.claimed.iter().for_each(|game| self.live.release(game));
        }
        self.claimed.clear();
        self.report_commit(&committed, writes, begun);
        if committed.is_err()
            && !self.connection.is_autocommit()
            && let Err(error) = self.execute("ROLLBACK")
        {
            // operator: after a failed commit; the next commit fails, too. Restart the server if it
            // lasts
            tracing::error!(%error, "rollback failed");
        }
        let committed = committed.map_err(commit_error);
        Written { done, writes, committed }
    }

    /// Begins a transaction and executes jobs in it, up to one that must wait.
    fn execute_jobs(
        &mut self,
        jobs: &mut VecDeque<Job>,
        done: &mut Vec<ExecutedJob>,
        writes: &mut usize,
    ) -> SqlResult<()> {
        while let Some(job) = jobs.pop_front_if(|job| !self.must_wait(job)) {
            *writes += job.writes();
            let is_first = done.is_empty();
            done.push(ExecutedJob::from(job));
            if is_first {
                // What a large transaction writes before its commit would harm another server.
                self.expect_place()?;
                self.execute("BEGIN IMMEDIATE")?;
            }
            if let Some(job) = done.last_mut() {
                self.execute_job(job)?;
            }
        }
        Ok(())
    }

    /// Refuses a commit into a file that the next server would not find. Nothing is stored then.
    fn expect_place(&self) -> rusqlite::Result<()> {
        let error = |why| {
            let code = ffi::Error::new(ffi::SQLITE_IOERR_WRITE);
            Err(rusqlite::Error::SqliteFailure(code, Some(why)))
        };
        if self.is_lost {
            return error("the files changed during a commit: restart the server".to_owned());
        }
        if self.malformed.is_known() {
            return error("the database is malformed: restore a backup".to_owned());
        }
        self.place.lost().map_or(Ok(()), |lost| error(lost.to_string()))
    }

    /// Looks again after a commit: the file may have gone meanwhile. What was committed is then
    /// told to nobody, and no later commit could follow it.
    fn keep(&mut self) -> rusqlite::Result<()> {
        self.is_lost |= self.place.lost().is_some();
        if !self.is_lost {
            return Ok(());
        }
        let why = "the files changed during the commit".to_owned();
        Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_IOERR), Some(why)))
    }

    /// Counts a commit, and logs the first failure and the first success after it: the log may be
    /// on the same full disk.
    fn report_commit(&self, committed: &SqlResult<()>, writes: usize, begun: Instant) {
        if let Err(SqlError::Sqlite(error)) = committed {
            self.malformed.note(error);
        }
        let was_healthy = self.healthy.swap(committed.is_ok(), Ordering::Relaxed);
        match committed {
            Ok(()) => self.metrics.observe_commit(writes, begun.elapsed()),
            Err(_) => {
                self.metrics.commit_failures.inc();
            }
        }
        match committed {
            // operator: end of `commit failed`
            Ok(()) if !was_healthy => tracing::info!("commits succeed again"),
            // operator: the server could not write the database: the disk is full or failing.
            // Nothing in the commit was acknowledged. Logged once, until commits succeed
            Err(error) if was_healthy => tracing::error!(%error, writes, "commit failed"),
            Ok(()) | Err(_) => {}
        }
    }

    /// Executes a cached statement.
    fn execute(&self, statement: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(statement)?.execute([]).map(drop)
    }

    /// Replies to the senders of the jobs.
    pub(super) fn finish(&mut self, written: Written) {
        for job in written.done {
            self.complete(job, written.committed.clone());
        }
    }

    pub(super) fn checkpoint(&self, reply: Option<Checkpoint>) {
        if let Some(reply) = reply {
            let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
            let moved =
                self.expect_place().and_then(|()| self.connection.execute_batch(checkpoint));
            drop(reply.send(moved.map_err(|error| store_error(&error))));
        }
    }

    /// Whether a job belongs into the next transaction, because it concerns a game that the open
    /// one changes.
    fn must_wait(&self, job: &Job) -> bool {
        match job {
            Job::Archive(game, _) => {
                self.begun.contains(&game.game) || self.live.is_claimed(&game.game)
            }
            Job::Append(..) | Job::Begin(..) | Job::Write(_) => false,
        }
    }

    /// Executes a job in the open transaction. An error fails the whole transaction. Therefore jobs
    /// that may fail alone have a savepoint.
    fn execute_job(&mut self, job: &mut ExecutedJob) -> SqlResult<()> {
        match job {
            ExecutedJob::Append(batch) => self.append(batch)?,
            ExecutedJob::Begin { begin, outcome, .. } => *outcome = self.begin(begin)?,
            ExecutedJob::Archive { game, outcome, .. } => *outcome = self.archive(game)?,
            ExecutedJob::Write(write, reply) => {
                if let Some(write) = write.take() {
                    *reply = Some(self.write(write)?);
                }
            }
        }
        Ok(())
    }

    /// Inserts the records of the appends that do not conflict.
    fn append(&mut self, batch: &mut ExecutedBatch) -> SqlResult<()> {
        let ExecutedBatch { batch, outcomes, first_row, .. } = batch;
        let mut rows = Vec::with_capacity(batch.len());
        for append in &*batch {
            let refusal = match self.claim(append)? {
                ClaimOutcome::Claimed => {
                    self.claimed.push(append.game.clone());
                    rows.extend(NewRow::all(&append.game, append.expected_seq, &append.records));
                    outcomes.push(Ok(None));
                    continue;
                }
                ClaimOutcome::Parked => {
                    // operator: the database is damaged; the server refuses an event of the game.
                    // Run `adamant-server check`
                    tracing::error!(game = %append.game, "a parked game has no entry");
                    StoreError::Failed("the parked game has no entry".into()).into()
                }
                ClaimOutcome::Conflict(last_seq) => AppendError::Conflict { last_seq },
                ClaimOutcome::NotLive => {
                    AppendError::Conflict { last_seq: self.archived_seq(&append.game)? }
                }
            };
            outcomes.push(Err(refusal));
        }
        *first_row = arrivals::insert(&self.connection, &rows)?;
        for (append, outcome) in batch.iter().zip(outcomes) {
            if let (Ok(change), Some(result)) = (outcome, &append.result) {
                let sql = Embedded(&self.connection);
                *change = Some(at_once(stored_ratings::rate(&sql, &append.game, result))?);
            }
        }
        Ok(())
    }

    /// Claims an append. Opens the game first if it is parked, unless it has no readable entry.
    fn claim(&self, append: &Append) -> SqlResult<ClaimOutcome> {
        let outcome = self.live.claim(append);
        if outcome == ClaimOutcome::Parked
            && let Some(entry) = at_once(games::entry(&Embedded(&self.connection), &append.game))?
        {
            self.live.unpark(entry);
            return Ok(self.live.claim(append));
        }
        Ok(outcome)
    }

    /// Inserts a game, unless its id, offer or rematch is another game's. Returns the row of its
    /// first record.
    fn begin(&mut self, begin: &Begin) -> SqlResult<Result<i64, BeginError>> {
        self.execute(SAVEPOINT)?;
        let outcome = at_once(games::begin(&Embedded(&self.connection), begin))?;
        self.execute(RELEASE)?;
        if let Err(refusal) = outcome {
            return Ok(Err(refusal));
        }
        let game = &begin.entry.game;
        self.begun.push(game.clone());
        let rows: Vec<_> = NewRow::all(game, 0, &begin.records).collect();
        Ok(Ok(arrivals::insert(&self.connection, &rows)?))
    }

    /// Archives a game, unless it has moved on. Returns its stale rows.
    fn archive(&self, game: &ArchivedGame) -> SqlResult<Result<Vec<i64>, ArchiveError>> {
        let last_seq = match self.live.last_seq(&game.game) {
            Some(last_seq) => last_seq,
            None => self.archived_seq(&game.game)?,
        };
        if last_seq != game.seq {
            return Ok(Err(ArchiveError::Conflict { last_seq }));
        }
        let (row_ids, after) = self.live.arrivals_of(&game.game);
        self.execute(SAVEPOINT)?;
        let archived = archive::archive(&self.connection, game, &row_ids, after);
        if archived.is_err() {
            // The records stay where they have arrived.
            self.execute(UNDO)?;
        }
        self.execute(RELEASE)?;
        Ok(archived.map(|()| row_ids).map_err(|error| StoreError::from(error).into()))
    }

    /// Executes any other write. Returns its reply.
    fn write(&self, write: WriteJob) -> SqlResult<WriteReply> {
        self.execute(SAVEPOINT)?;
        let (outcome, reply) = write(&self.connection);
        if outcome == WriteOutcome::Failed {
            self.execute(UNDO)?;
        }
        self.execute(RELEASE)?;
        Ok(reply)
    }

    /// Returns the last seq of a game that is not live; 0 if there is no such game.
    fn archived_seq(&self, game: &GameId) -> SqlResult<u64> {
        at_once(games::last_seq(&Embedded(&self.connection), game))
    }

    /// Updates the live games after a commit, and replies to the sender of the job.
    fn complete(&mut self, job: ExecutedJob, committed: Result<(), StoreError>) {
        match job {
            ExecutedJob::Append(batch) => {
                if committed.is_ok() {
                    self.advance(&batch);
                }
                let ExecutedBatch { batch, outcomes, reply, .. } = batch;
                drop(reply.send(match committed {
                    Ok(()) => outcomes,
                    Err(error) => vec![Err(error.into()); batch.len()],
                }));
            }
            ExecutedJob::Begin { begin, outcome, reply } => {
                let begun = committed.map_err(BeginError::Store).and(outcome).map(|first_row| {
                    let (entry, last_seq) = (*begin.entry, begin.records.len());
                    let row_ids = (first_row..).take(last_seq).collect();
                    let last_seq = last_seq as u64;
                    self.metrics.records.inc_by(last_seq);
                    let (archived_seq, uncommitted) = (0, 0);
                    let open = OpenGame { entry, last_seq, archived_seq, row_ids, uncommitted };
                    self.live.insert(open);
                });
                drop(reply.send(begun));
            }
            ExecutedJob::Archive { game, outcome, reply } => {
                let archived = committed.map_err(ArchiveError::Store).and(outcome).map(|row_ids| {
                    self.stale_rows.extend(row_ids);
                    match game.state {
                        ArchivedState::Finished => self.live.remove(&game.entry),
                        ArchivedState::Parked => self.live.park(&game.game),
                    }
                });
                drop(reply.send(archived));
            }
            ExecutedJob::Write(_, reply) => {
                if let Some(reply) = reply {
                    reply(committed);
                }
            }
        }
    }

    /// Advances the live games by the appends of a committed batch.
    fn advance(&self, batch: &ExecutedBatch) {
        let mut records = 0;
        for (append, first_row) in batch.admitted() {
            records += append.records.len() as u64;
            self.live.advance(append, first_row);
        }
        self.metrics.records.inc_by(records);
    }
}
