//! The appender: appends for all rooms of a node over one connection, a batch after the other.
//!
//! While a batch waits for a standby, the next one grows. A second connection would halve the
//! batches, and every commit costs each of the servers as much as several rows.
//!
//! An append that the appender has taken ends with certainty, as long as PostgreSQL comes back in
//! time: the appender sends it again until it is stored, or until another append has come first.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
};

use adamant_protocol::GameId;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use super::{
    append_rows::{AppendRow, InsertRows, LookAtGames, RowRefusal},
    commit_metrics::CommitMetrics,
    connection::Connection,
    dialer::Dialer,
    event_queue::EventQueue,
    failure::Failure,
    wake_times::WakeTimes,
};
use crate::{
    limits::{
        POSTGRES_BATCH_BYTES, POSTGRES_BATCH_GAMES, POSTGRES_DIAL_EVERY,
        POSTGRES_QUEUED_APPENDS_MAX, POSTGRES_SILENCE_MAX, POSTGRES_STATEMENT_MAX,
    },
    store::{AppendError, AppendOutcome, StoreError},
};

/// Makes PostgreSQL plan the insert once, and by the indices. It would scan whole tables while they
/// are small, and go on for some time after they have grown.
const SETTINGS: &str = "SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan";

/// An append that waits for its outcome.
#[derive(Debug)]
pub(super) struct WaitingAppend {
    row: AppendRow,
    reply: oneshot::Sender<AppendOutcome>,
    /// When its outcome counts as unknown.
    deadline: Instant,
    /// Whether an earlier try may have stored it.
    tried: bool,
}

impl WaitingAppend {
    /// Returns an append that is sent, with the receiver of its outcome.
    pub(super) fn new(row: AppendRow) -> (Self, oneshot::Receiver<AppendOutcome>) {
        let (reply, outcome) = oneshot::channel();
        let deadline = Instant::now() + POSTGRES_SILENCE_MAX;
        (Self { row, reply, deadline, tried: false }, outcome)
    }

    fn finish(self, outcome: AppendOutcome) {
        // The caller may be gone.
        drop(self.reply.send(outcome));
    }

    /// Ends an append that failed. Only for one that was never sent is it certain that nothing was
    /// stored.
    fn fail(self, error: StoreError) {
        let error = match error {
            StoreError::ReadOnly if self.tried => StoreError::Failed(
                "the outcome of an append is unknown, and the disk is full".into(),
            ),
            StoreError::Failed(_)
            | StoreError::ReadOnly
            | StoreError::Busy
            | StoreError::Stopped => error,
        };
        self.finish(Err(AppendError::Store(error)));
    }
}

/// What the appender needs of the store.
#[derive(Debug, Clone)]
pub(super) struct AppenderServices {
    pub(super) dialer: Arc<Dialer>,
    pub(super) events: EventQueue,
    pub(super) wake_times: WakeTimes,
    pub(super) metrics: CommitMetrics,
}

/// The appender, which runs as a task.
#[derive(Debug)]
pub(super) struct Appender {
    services: AppenderServices,
    appends: mpsc::Receiver<WaitingAppend>,
    queue: VecDeque<WaitingAppend>,
    connection: Option<Connection>,
    stop: CancellationToken,
}

/// Which appends of a batch are settled.
type Settled = Vec<Option<AppendOutcome>>;

impl Appender {
    /// Returns an appender without a connection.
    pub(super) fn new(
        services: AppenderServices,
        appends: mpsc::Receiver<WaitingAppend>,
        stop: CancellationToken,
    ) -> Self {
        Self { services, appends, queue: VecDeque::new(), connection: None, stop }
    }

    /// Appends until the stop, and until all appends have their outcomes.
    pub(super) async fn run(mut self) {
        loop {
            if self.queue.is_empty() {
                let Some(append) = self.next_append().await else { return };
                self.queue.push_back(append);
            }
            self.take_waiting();
            self.expire();
            let Some(deadline) = self.queue.iter().map(|append| append.deadline).min() else {
                continue;
            };
            if self.connection.as_ref().is_none_or(|connection| !self.is_current(connection)) {
                self.connection = self.connect(deadline).await;
            }
            // Without a connection, those that waited longest have expired.
            let Some(connection) = self.connection.take() else { continue };
            self.append_batch(&connection).await;
            self.connection = connection.is_usable().then_some(connection);
        }
    }

    /// Waits for an append. Returns none after the stop.
    async fn next_append(&mut self) -> Option<WaitingAppend> {
        if let Some(append) = self.stop.run_until_cancelled(self.appends.recv()).await {
            return append;
        }
        self.appends.close();
        self.appends.recv().await
    }

    async fn connect(&self, deadline: Instant) -> Option<Connection> {
        let connection = self.services.dialer.dial(deadline).await.ok()?;
        connection.batch(SETTINGS, POSTGRES_STATEMENT_MAX).await.ok()?;
        Some(connection)
    }

    fn is_current(&self, connection: &Connection) -> bool {
        connection.is_usable() && !self.services.dialer.primary().has_replaced(connection.server())
    }

    /// Takes what waits, so that it shares the next batch.
    fn take_waiting(&mut self) {
        while self.queue.len() < POSTGRES_QUEUED_APPENDS_MAX
            && let Ok(append) = self.appends.try_recv()
        {
            self.queue.push_back(append);
        }
    }

    /// Ends the appends that have waited for too long.
    fn expire(&mut self) {
        let now = Instant::now();
        for append in std::mem::take(&mut self.queue) {
            if append.deadline <= now {
                self.services.metrics.failed();
                append.fail(StoreError::Failed("PostgreSQL does not answer".into()));
            } else {
                self.queue.push_back(append);
            }
        }
    }

    /// Takes the next batch: each game at most once, in the order of the games.
    fn next_batch(&mut self) -> Vec<WaitingAppend> {
        let (mut batch, mut bytes) = (Vec::<WaitingAppend>::new(), 0);
        let (mut games, mut later) = (HashSet::new(), VecDeque::new());
        while let Some(append) = self.queue.pop_front() {
            let is_full = batch.len() >= POSTGRES_BATCH_GAMES
                || (bytes + append.row.bytes() > POSTGRES_BATCH_BYTES && !batch.is_empty());
            if is_full {
                later.push_back(append);
                break;
            }
            if games.insert(append.row.game.clone()) {
                bytes += append.row.bytes();
                batch.push(append);
            } else {
                later.push_back(append);
            }
        }
        later.append(&mut self.queue);
        self.queue = later;
        batch.sort_unstable_by(|a, b| a.row.game.cmp(&b.row.game));
        batch
    }

    async fn append_batch(&mut self, connection: &Connection) {
        let mut batch = self.next_batch();
        let outcome = self.try_batch(connection, &batch).await;
        match outcome {
            Ok(settled) => {
                let clean = batch
                    .iter()
                    .zip(&settled)
                    .filter(|(_, outcome)| matches!(outcome, Some(Ok(_))));
                let rows: Vec<&AppendRow> = clean.map(|(append, _)| &append.row).collect();
                self.services.metrics.stored(rows.iter().map(|row| row.record_count()).sum());
                if !rows.is_empty() {
                    let appended = rows.into_iter().map(AppendRow::appended);
                    self.services.events.publish_appended(appended);
                }
                for (append, outcome) in batch.into_iter().zip(settled).rev() {
                    match outcome {
                        Some(outcome) => append.finish(outcome),
                        None => self.queue.push_front(append),
                    }
                }
            }
            Err(Failure::Final(error)) => {
                self.services.metrics.failed();
                for append in batch {
                    append.fail(error.clone());
                }
            }
            Err(failure) => {
                tracing::debug!(?failure, appends = batch.len(), "sending appends again");
                for append in &mut batch {
                    append.tried = true;
                }
                batch.into_iter().rev().for_each(|append| self.queue.push_front(append));
                if matches!(failure, Failure::Unknown(_)) {
                    sleep(POSTGRES_DIAL_EVERY).await;
                }
            }
        }
    }

    /// Sends a batch once. An error is one of the whole batch.
    async fn try_batch(
        &self,
        connection: &Connection,
        batch: &[WaitingAppend],
    ) -> Result<Settled, Failure> {
        let insert = InsertRows::new(batch.iter().map(|append| &append.row));
        // Few appends are contested. The others are spared what only a contested one needs.
        let statement = if batch.iter().any(|append| append.tried) {
            InsertRows::CONTESTED_STATEMENT
        } else {
            InsertRows::STATEMENT
        };
        let sent_at = Instant::now();
        let rows = connection.query_durably(statement, &insert.parameters()).await?;
        let inserted = InsertRows::read(&rows)?;
        let primary = self.services.dialer.primary();
        // A transaction that has written nothing waits for no standby.
        if !inserted.games.is_empty() {
            primary.has_committed(connection.server(), sent_at);
            self.services.metrics.committed(inserted.games.len(), sent_at.elapsed());
        }
        self.wake_earlier(&inserted.late, batch);

        let is_stored =
            |append: &WaitingAppend| inserted.games.binary_search(&append.row.game).is_ok();
        let mut settled: Settled =
            batch.iter().map(|append| is_stored(append).then_some(Ok(None))).collect();
        let refused = || batch.iter().filter(|append| !is_stored(append));
        if refused().next().is_none() {
            return Ok(settled);
        }
        let look = LookAtGames::new(refused().map(|append| (&append.row, append.tried)));
        // What is stored by now has its outcome, even if the look fails.
        let refusals = match look_at_games(connection, &look).await {
            Ok((refusals, sent_at)) => {
                primary.has_committed(connection.server(), sent_at);
                refusals
            }
            Err(Failure::Final(error)) => {
                let failed = || Some(Err(AppendError::Store(error.clone())));
                for outcome in &mut settled {
                    *outcome = outcome.take().or_else(failed);
                }
                return Ok(settled);
            }
            Err(Failure::Unknown(_) | Failure::Contested) => return Ok(settled),
        };
        let open = settled.iter_mut().filter(|outcome| outcome.is_none());
        for (outcome, refusal) in open.zip(refusals) {
            *outcome = match refusal {
                RowRefusal::Ours => Some(Ok(None)),
                RowRefusal::Conflict(last_seq) => Some(Err(AppendError::Conflict { last_seq })),
                RowRefusal::Passed => None,
                RowRefusal::Unsealed => {
                    let error = "an append does not continue what the journal has".into();
                    Some(Err(StoreError::Failed(error).into()))
                }
            };
        }
        Ok(settled)
    }

    /// Has nodes look earlier at games whose clock runs out earlier than was expected.
    fn wake_earlier(&self, late: &[GameId], batch: &[WaitingAppend]) {
        let rows = late.iter().filter_map(|game| {
            let place = batch.binary_search_by(|append| append.row.game.cmp(game)).ok()?;
            Some((game.clone(), batch[place].row.deadline()?))
        });
        self.services.wake_times.set(rows.collect());
    }
}

/// Runs the look, and waits until a standby has all that it shows. Also returns when the barrier
/// was sent.
async fn look_at_games(
    connection: &Connection,
    look: &LookAtGames<'_>,
) -> Result<(Vec<RowRefusal>, Instant), Failure> {
    let found = connection.query(LookAtGames::STATEMENT, &look.parameters()).await?;
    let refusals = look.read(&found)?;
    Ok((refusals, connection.barrier().await?))
}
