//! The one thread that writes, and its handle, which sends jobs and waits for the replies. The
//! thread executes all waiting jobs in one transaction, syncs once, and then replies to each sender.
//! In a simulation a task does the same, on a disk that is slow, fails commits and has another
//! writer.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use adamant_protocol::{GameId, ids::Chain};
use rusqlite::{Connection, ffi};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep},
};

use super::{
    arrivals::{self, NewRow},
    damage::Damage,
    errors::{commit_error, store_error},
    live::{ClaimOutcome, LiveGames},
    place::Place,
};
use crate::{
    limits::{
        COMMIT_PAUSE_MAX, COMMIT_PAUSE_PER_WRITE, STALE_ROWS_KEPT, STALE_ROWS_PER_WRITE,
        STORE_BATCH_WRITES_MAX, STORE_JOBS_MAX,
    },
    outbound::frame::Frame,
    runtime::metrics::Metrics,
    store::{
        Append, AppendError, AppendOutcome, ArchiveError, ArchivedGame, ArchivedState, Begin,
        BeginError, CommitFate, Disk, OtherAppend, StoreError, Summary, games, ratings,
        sql::{Embedded, RELEASE, SAVEPOINT, SqlError, SqlResult, UNDO, at_once},
    },
};

/// Any other write. It runs in a savepoint, so that its failure does not affect other jobs. Returns
/// whether it has succeeded.
type WriteJob = Box<dyn FnOnce(&Connection) -> (bool, WriteReply) + Send>;

type WriteReply = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// What the thread executes in a transaction, and then replies to after the commit. The outcome is
/// that of a job that is never executed until it is.
enum Job {
    Append(Batch),
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

impl Job {
    /// Number of writes, in the sense of the limits.
    fn writes(&self) -> usize {
        match self {
            Self::Append(batch) => batch.appends.len(),
            Self::Begin { .. } | Self::Archive { .. } | Self::Write(..) => 1,
        }
    }
}

struct Batch {
    appends: Vec<Append>,
    outcomes: Vec<AppendOutcome>,
    first_row: i64,
    reply: oneshot::Sender<Vec<AppendOutcome>>,
}

enum Request {
    Execute(Job),
    /// Copies the WAL into the database after all earlier jobs are committed.
    Checkpoint(Checkpoint),
}

type Checkpoint = oneshot::Sender<Result<(), StoreError>>;

impl Batch {
    fn new(appends: Vec<Append>, reply: oneshot::Sender<Vec<AppendOutcome>>) -> Self {
        let outcomes = Vec::with_capacity(appends.len());
        Self { appends, outcomes, first_row: 0, reply }
    }

    fn admitted(&self) -> impl Iterator<Item = (&Append, i64)> {
        let mut next_row = self.first_row;
        let admitted =
            self.appends.iter().zip(&self.outcomes).filter(|(_, outcome)| outcome.is_ok());
        admitted.map(move |(append, _)| {
            let row = next_row;
            next_row += (append.records.len() as u64).cast_signed();
            (append, row)
        })
    }
}

struct Written {
    done: Vec<Job>,
    writes: usize,
    committed: Result<(), StoreError>,
}

impl Written {
    fn report(&self, disk: &dyn Disk) {
        for job in self.done.iter().filter(|_| self.committed.is_ok()) {
            match job {
                Job::Append(batch) => batch.admitted().for_each(|(append, _)| {
                    let records = append.records.iter().map(Frame::message);
                    disk.committed(&append.game, &records.collect::<Vec<_>>());
                }),
                Job::Begin { begin, outcome: Ok(_), .. } => {
                    disk.committed(&begin.entry.game, &begin.records);
                }
                Job::Begin { .. } | Job::Archive { .. } | Job::Write(..) => {}
            }
        }
    }

    fn lose_replies(&mut self) {
        for job in &mut self.done {
            match job {
                Job::Append(batch) => batch.reply = oneshot::channel().0,
                Job::Begin { reply, .. } => *reply = oneshot::channel().0,
                Job::Archive { reply, .. } => *reply = oneshot::channel().0,
                Job::Write(_, reply) => {
                    if let Some(reply) = reply.take() {
                        reply(Err(StoreError::Stopped));
                    }
                }
            }
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Writer {
    /// `None` if the store is read-only.
    requests: Option<mpsc::Sender<Request>>,
    healthy: Arc<AtomicBool>,
    damage: Damage,
}

impl Writer {
    /// Starts the thread, or the task for a simulated disk. It ends with the last handle.
    pub(super) fn start(
        connection: Connection,
        (place, damage): (Place, Damage),
        stale_rows: BTreeSet<i64>,
        live: Arc<LiveGames>,
        metrics: Arc<Metrics>,
        disk: Option<Arc<dyn Disk>>,
    ) -> Self {
        let (requests, waiting) = mpsc::channel(STORE_JOBS_MAX);
        let healthy = Arc::new(AtomicBool::new(true));
        let worker = Worker {
            connection,
            place,
            is_lost: false,
            damage: damage.clone(),
            live,
            metrics,
            healthy: Arc::clone(&healthy),
            stale_rows,
            claimed: Vec::new(),
            begun: Vec::new(),
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
        Self { requests: Some(requests), healthy, damage }
    }

    pub(super) fn read_only() -> Self {
        let healthy = Arc::new(AtomicBool::new(true));
        Self { requests: None, healthy, damage: Damage::default() }
    }

    async fn request(&self, request: Request) -> Result<(), StoreError> {
        let open = self.requests.as_ref().filter(|_| !self.damage.is_found());
        let requests = open.ok_or(StoreError::ReadOnly)?;
        requests.send(request).await.map_err(|_| StoreError::Stopped)
    }

    async fn submit(&self, job: Job) -> Result<(), StoreError> {
        self.request(Request::Execute(job)).await
    }

    pub(super) const fn damage(&self) -> &Damage {
        &self.damage
    }

    pub(super) fn is_healthy(&self) -> bool {
        self.healthy.load(Ordering::Relaxed) && !self.damage.is_found()
    }

    pub(super) async fn append(self, batch: Vec<Append>) -> Vec<AppendOutcome> {
        let appends = batch.len();
        let (reply, outcomes) = oneshot::channel();
        let outcomes = match self.submit(Job::Append(Batch::new(batch, reply))).await {
            Ok(()) => outcomes.await.map_err(|_| StoreError::Stopped),
            Err(error) => Err(error),
        };
        outcomes.unwrap_or_else(|error| vec![Err(error.into()); appends])
    }

    pub(super) async fn begin(self, game: Begin) -> Result<(), BeginError> {
        let (reply, result) = oneshot::channel();
        let (begin, outcome) = (Box::new(game), Err(StoreError::Stopped.into()));
        self.submit(Job::Begin { begin, outcome, reply }).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }

    pub(super) async fn archive(self, game: ArchivedGame) -> Result<(), ArchiveError> {
        let (reply, result) = oneshot::channel();
        let (game, outcome) = (Box::new(game), Err(StoreError::Stopped.into()));
        self.submit(Job::Archive { game, outcome, reply }).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }

    /// Waits for all earlier jobs, and copies the WAL into the database.
    pub(super) async fn checkpoint(&self) -> Result<(), StoreError> {
        let (reply, result) = oneshot::channel();
        self.request(Request::Checkpoint(reply)).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }

    /// Queues a write whose outcome nobody waits for, unless the queue is full.
    pub(super) fn queue(&self, write: impl FnOnce(&Connection) -> SqlResult<()> + Send + 'static) {
        if let Some(requests) = &self.requests {
            drop(requests.try_send(Request::Execute(write_job(write).0)));
        }
    }

    pub(super) async fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&Connection) -> SqlResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (job, result) = write_job(write);
        self.submit(job).await?;
        result.await.map_err(|_| StoreError::Stopped)?
    }
}

fn write_job<T: Send + 'static>(
    write: impl FnOnce(&Connection) -> SqlResult<T> + Send + 'static,
) -> (Job, oneshot::Receiver<Result<T, StoreError>>) {
    let (reply, result) = oneshot::channel();
    let write: WriteJob = Box::new(move |connection| {
        let written = write(connection);
        let is_written = written.is_ok();
        let reply: WriteReply = Box::new(move |committed| {
            let result = committed.and_then(|()| Ok(written?));
            // The sender may be gone.
            drop(reply.send(result));
        });
        (is_written, reply)
    });
    (Job::Write(Some(write), None), result)
}

struct Worker {
    connection: Connection,
    place: Place,
    /// Whether a commit went into files that were gone when it returned.
    is_lost: bool,
    /// Whether the database was found malformed, here or by a reader.
    damage: Damage,
    live: Arc<LiveGames>,
    metrics: Arc<Metrics>,
    healthy: Arc<AtomicBool>,
    stale_rows: BTreeSet<i64>,
    /// The games that the open transaction has appended to, for the case that it fails.
    claimed: Vec<GameId>,
    begun: Vec<GameId>,
}

/// Returns the time between the starts of a commit with this number of writes and the next one.
/// Under load more writes share a commit, which saves more time than the pause costs. With few
/// writes, or on a slow disk, there is no pause.
fn pause_after(writes: usize) -> Duration {
    let writes = u32::try_from(writes).unwrap_or(u32::MAX);
    COMMIT_PAUSE_PER_WRITE.saturating_mul(writes).min(COMMIT_PAUSE_MAX)
}

fn collect(
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
    fn run(mut self, mut waiting: mpsc::Receiver<Request>) {
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
    fn commit(&mut self, jobs: &mut VecDeque<Job>) -> Written {
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

    fn execute_jobs(
        &mut self,
        jobs: &mut VecDeque<Job>,
        done: &mut Vec<Job>,
        writes: &mut usize,
    ) -> SqlResult<()> {
        while let Some(job) = jobs.pop_front_if(|job| !self.must_wait(job)) {
            *writes += job.writes();
            let is_first = done.is_empty();
            done.push(job);
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
        if self.damage.is_found() {
            return error("the store is damaged: restore a backup".to_owned());
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
            self.damage.note(error);
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

    fn execute(&self, statement: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(statement)?.execute([]).map(drop)
    }

    fn finish(&mut self, written: Written) {
        for job in written.done {
            self.complete(job, written.committed.clone());
        }
    }

    fn checkpoint(&self, reply: Option<Checkpoint>) {
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
            Job::Archive { game, .. } => {
                self.begun.contains(&game.game) || self.live.is_claimed(&game.game)
            }
            Job::Append(_) | Job::Begin { .. } | Job::Write(..) => false,
        }
    }

    /// Executes a job in the open transaction. An error fails the whole transaction. Therefore jobs
    /// that may fail alone have a savepoint.
    fn execute_job(&mut self, job: &mut Job) -> SqlResult<()> {
        match job {
            Job::Append(batch) => self.append(batch)?,
            Job::Begin { begin, outcome, .. } => *outcome = self.begin(begin)?,
            Job::Archive { game, outcome, .. } => *outcome = self.archive(game)?,
            Job::Write(write, reply) => {
                if let Some(write) = write.take() {
                    *reply = Some(self.write(write)?);
                }
            }
        }
        Ok(())
    }

    /// Inserts the records of the appends that do not conflict.
    fn append(&mut self, batch: &mut Batch) -> SqlResult<()> {
        let Batch { appends, outcomes, first_row, .. } = batch;
        let mut rows = Vec::with_capacity(appends.len());
        for append in &*appends {
            let refusal = match self.claim(append)? {
                ClaimOutcome::Claimed => {
                    self.claimed.push(append.game.clone());
                    let records = append.records.iter().map(Frame::payload);
                    rows.extend(NewRow::all(&append.game, append.expected_seq, records));
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
        for (append, outcome) in appends.iter().zip(outcomes) {
            if let (Ok(_), Some(seats)) = (&outcome, &append.reseated) {
                at_once(games::list_for(&Embedded(&self.connection), &append.game, seats))?;
            }
            if let (Ok(change), Some(result)) = (outcome, &append.result) {
                let sql = Embedded(&self.connection);
                *change = Some(at_once(ratings::rate(&sql, &append.game, result))?);
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
            self.live.unpark(&entry);
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
        let rows: Vec<_> =
            NewRow::all(game, 0, begin.records.iter().map(|record| &record[..])).collect();
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
        let archived = arrivals::archive(&self.connection, game, &row_ids, after);
        if archived.is_err() {
            // The records stay where they have arrived.
            self.execute(UNDO)?;
        }
        self.execute(RELEASE)?;
        Ok(archived.map(|()| row_ids).map_err(|error| StoreError::from(error).into()))
    }

    fn write(&self, write: WriteJob) -> SqlResult<WriteReply> {
        self.execute(SAVEPOINT)?;
        let (is_written, reply) = write(&self.connection);
        if !is_written {
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
    fn complete(&mut self, job: Job, committed: Result<(), StoreError>) {
        match job {
            Job::Append(batch) => {
                if committed.is_ok() {
                    self.advance(&batch);
                }
                let Batch { appends, outcomes, reply, .. } = batch;
                drop(reply.send(match committed {
                    Ok(()) => outcomes,
                    Err(error) => vec![Err(error.into()); appends.len()],
                }));
            }
            Job::Begin { begin, outcome, reply } => {
                let begun = committed.map_err(BeginError::Store).and(outcome).map(|first_row| {
                    let records = begin.records.len();
                    self.metrics.records.inc_by(records as u64);
                    self.live.insert(&begin.entry, 0, (first_row..).take(records).collect());
                });
                drop(reply.send(begun));
            }
            Job::Archive { game, outcome, reply } => {
                let archived = committed.map_err(ArchiveError::Store).and(outcome).map(|row_ids| {
                    self.stale_rows.extend(row_ids);
                    match game.state {
                        ArchivedState::Finished => self.live.remove(&game.entry),
                        ArchivedState::Parked => self.live.park(&game.game),
                    }
                });
                drop(reply.send(archived));
            }
            Job::Write(_, reply) => {
                if let Some(reply) = reply {
                    reply(committed);
                }
            }
        }
    }

    /// Advances the live games by the appends of a committed batch.
    fn advance(&self, batch: &Batch) {
        let mut records = 0;
        for (append, first_row) in batch.admitted() {
            records += append.records.len() as u64;
            self.live.advance(append, first_row);
        }
        self.metrics.records.inc_by(records);
    }

    /// Like `run`, as a task. The disk receives the records between the commit and the replies.
    async fn run_simulated(mut self, disk: Arc<dyn Disk>, mut waiting: mpsc::Receiver<Request>) {
        while let Some(first) = waiting.recv().await {
            sleep(disk.latency()).await;
            let (mut jobs, checkpoint) = collect(first, &mut waiting);
            overtake(&mut jobs, &*disk);
            while !jobs.is_empty() {
                let fate = disk.fate();
                let mut written = self.commit_with(fate, &mut jobs);
                written.report(&*disk);
                sleep(disk.latency()).await;
                if fate == CommitFate::Unheard {
                    written.lose_replies();
                }
                self.finish(written);
            }
            self.checkpoint(checkpoint);
        }
    }

    fn commit_with(&mut self, fate: CommitFate, jobs: &mut VecDeque<Job>) -> Written {
        match fate {
            CommitFate::Stored | CommitFate::Unheard => return self.commit(jobs),
            CommitFate::Refused | CommitFate::Failed => {}
        }
        self.connection.commit_hook(Some(|| true)).expect("the connection is open");
        let mut written = self.commit(jobs);
        self.connection.commit_hook(None::<fn() -> bool>).expect("the connection is open");
        if fate == CommitFate::Refused && written.committed.is_err() {
            written.committed = Err(StoreError::ReadOnly);
        }
        written
    }
}

/// Lets the other writer go first.
fn overtake(jobs: &mut VecDeque<Job>, disk: &dyn Disk) {
    let mut others = Vec::new();
    for job in &*jobs {
        let Job::Append(batch) = job else { continue };
        for Append { game, expected_seq, .. } in &batch.appends {
            let Some(other) = disk.other_append(game, *expected_seq) else { continue };
            let OtherAppend { records, ply, to_move, last_at } = other;
            others.push(Append {
                game: game.clone(),
                expected_seq: *expected_seq,
                prev: Chain::default(),
                records: records.iter().map(|record| Frame::text(record)).collect(),
                chain: Chain::default(),
                summary: Summary { ply, to_move, last_at },
                deadline: None,
                reseated: None,
                result: None,
            });
        }
    }
    if !others.is_empty() {
        // The other writer's reply is not ours.
        jobs.push_front(Job::Append(Batch::new(others, oneshot::channel().0)));
    }
}
