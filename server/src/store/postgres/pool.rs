//! A few connections to the primary, and operations that survive its loss.
//!
//! Each transaction adds a row with the id of its request and the number of the try. A later try
//! adds its row first: if the row is there, or comes while it waits, the earlier try has been
//! committed, and its outcome is the outcome of the request. A server that takes over has the row
//! or lacks the whole transaction.

use std::{sync::Arc, time::Duration};

use futures::future::{BoxFuture, join};
use parking_lot::Mutex;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{Instant, sleep, timeout_at},
};
use tokio_postgres::types::ToSql;
use tokio_util::task::TaskTracker;

use super::{
    clock::NOW_MS,
    connection::{Connection, ServerIdentity, Transaction},
    dialer::Dialer,
    errors::Failure,
};
use crate::{
    limits::{
        LIST_READERS_MAX, LIST_WAIT_MAX, POSTGRES_APPEND_STALL, POSTGRES_DIAL_EVERY,
        POSTGRES_FORGET_AT_ONCE, POSTGRES_HEARTBEAT_AFTER_STALL, POSTGRES_PATIENCE,
        POSTGRES_PATIENCE_LEAST, POSTGRES_SILENCE_MAX, POSTGRES_STATEMENT_MAX,
    },
    runtime::metrics::Metrics,
    store::StoreError,
};

#[derive(Debug, Default)]
pub(super) struct LastHeartbeat(watch::Sender<Option<Instant>>);

impl LastHeartbeat {
    pub(super) fn note(&self) {
        self.0.send_replace(Some(Instant::now()));
    }

    /// Returns until when an operation that begins now may wait for the database. While heartbeats
    /// fail, the operations of a request have one deadline together.
    pub(super) fn deadline(&self) -> Instant {
        let now = Instant::now();
        let most = now + POSTGRES_PATIENCE;
        // A process that sends no heartbeats does not know.
        let last = *self.0.borrow();
        let of_all =
            |last: Instant| (last + POSTGRES_SILENCE_MAX).max(now + POSTGRES_PATIENCE_LEAST);
        last.map_or(most, |last| most.min(of_all(last)))
    }

    /// Waits until the outage is known that may have delayed what began at this time: a player who
    /// learns of it late, and answers at once, has the time back. Without delay it returns at once,
    /// and so it does if this process sends no heartbeats.
    pub(super) async fn follow(&self, began: Instant) {
        let stalled = began + POSTGRES_APPEND_STALL;
        let now = Instant::now();
        if now < stalled {
            return;
        }
        let mut answered = self.0.subscribe();
        let is_known = |last: &Option<Instant>| last.is_none_or(|last| last >= stalled);
        timeout_at(now + POSTGRES_HEARTBEAT_AFTER_STALL, answered.wait_for(is_known)).await.ok();
    }
}

/// Notes that a try is carried out, at its end.
const NOTE: &str = "INSERT INTO carried_out (request, try) VALUES ($1, $2)";

/// Notes it at the beginning of a later try, unless an earlier one is carried out.
const NOTE_FIRST: &str =
    "INSERT INTO carried_out (request, try) VALUES ($1, $2) ON CONFLICT (request) DO NOTHING";

const FIND: &str = "SELECT try FROM carried_out WHERE request = $1";

/// Forgets some requests that nobody repeats any more, and returns their number. The times of the
/// rows are of the server that was the primary, and the clock of the next one may be ahead: after a
/// stall, which a fail-over is, all of them are kept for as long.
pub(super) async fn forget(sql: &Transaction) -> Result<u64, Failure> {
    let is_calm = format!("SELECT 1 FROM cluster WHERE resumed_at < {NOW_MS} - 600000");
    if sql.query(&is_calm, &[]).await?.is_empty() {
        return Ok(0);
    }
    let delete = "DELETE FROM carried_out WHERE request IN (
         SELECT request FROM carried_out WHERE at < now() - interval '10 minutes' LIMIT $1)";
    let max = i64::try_from(POSTGRES_FORGET_AT_ONCE).unwrap_or(i64::MAX);
    sql.execute(delete, &[&max]).await
}

/// The tries of one request, with the outcome of each that may have been carried out.
#[derive(Debug)]
struct Tries<T> {
    request: [u8; 16],
    outcomes: Vec<Option<T>>,
}

impl<T> Tries<T> {
    fn may_be_stored(&self) -> bool {
        self.outcomes.iter().any(Option::is_some)
    }

    fn number(&self) -> i32 {
        i32::try_from(self.outcomes.len()).unwrap_or(i32::MAX)
    }

    /// Runs an operation, unless an earlier try of it is carried out. Returns the try that was, or
    /// will be by the next commit.
    async fn run<E: Into<Failure>>(
        &mut self,
        transaction: &Transaction,
        operation: BoxFuture<'_, Result<T, E>>,
    ) -> Result<i32, Failure> {
        let (request, number) = (self.request.as_slice(), self.number());
        if self.may_be_stored() && transaction.execute(NOTE_FIRST, &[&request, &number]).await? == 0
        {
            return Ok(transaction.query_one(FIND, &[&request]).await?.try_get(0)?);
        }
        let (outcome, done) = match operation.await {
            Ok(outcome) => (Some(outcome), Ok(number)),
            Err(failure) => (None, Err(failure.into())),
        };
        self.outcomes.push(outcome);
        done
    }
}

/// Commits the transaction with the row of a first try. Returns when the commit was sent.
async fn commit_noted(
    connection: &Connection,
    request: [u8; 16],
    number: i32,
) -> Result<Instant, Failure> {
    // Prepared by now, so that it reaches PostgreSQL before the commit.
    connection.prepared(NOTE).await?;
    connection.prepare_commit().await?;
    let note = [&request.as_slice() as &(dyn ToSql + Sync), &number];
    let (noted, committed) = join(connection.execute(NOTE, &note), connection.commit()).await;
    noted.and(committed)
}

type IdleConnections = Arc<Mutex<Vec<Arc<Connection>>>>;

#[derive(Debug, Clone)]
pub(in crate::store) struct ConnectionPool {
    dialer: Arc<Dialer>,
    places: Arc<Semaphore>,
    /// The places that reads may take, and those of them that lists may.
    read_places: Arc<Semaphore>,
    list_places: Arc<Semaphore>,
    idle: IdleConnections,
    /// Held during a barrier, so that reads share the next one.
    barrier_turn: Arc<tokio::sync::Mutex<()>>,
    tasks: TaskTracker,
    /// Where commits for clients are counted. Heartbeats and announcements are not.
    metrics: Arc<Metrics>,
    /// By which operations stop waiting together; `None` for the heartbeats themselves.
    last_heartbeat: Option<Arc<LastHeartbeat>>,
}

/// A connection that one operation has for itself. It returns to the pool only after
/// [`Lease::is_done`], so that no operation finds an open transaction.
#[derive(Debug)]
struct Lease {
    connection: Arc<Connection>,
    idle: IdleConnections,
    is_clean: bool,
    _places: [Option<OwnedSemaphorePermit>; 2],
}

impl Lease {
    fn is_done(&mut self) {
        self.is_clean = true;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.is_clean && self.connection.is_usable() {
            let mut idle = self.idle.lock();
            idle.push(Arc::clone(&self.connection));
        }
    }
}

impl ConnectionPool {
    /// A pool without connections, with places for this number. Reads take at most `reads` of them,
    /// so that writes do not wait for slow reads.
    pub(super) fn new(
        dialer: Arc<Dialer>,
        tasks: TaskTracker,
        places: usize,
        reads: usize,
    ) -> Self {
        let [places, read_places, list_places] =
            [places, reads, LIST_READERS_MAX].map(|count| Arc::new(Semaphore::new(count)));
        let (idle, metrics) = (IdleConnections::default(), Arc::default());
        let (barrier_turn, last_heartbeat) = (Arc::default(), None);
        Self {
            dialer,
            places,
            read_places,
            list_places,
            idle,
            barrier_turn,
            tasks,
            metrics,
            last_heartbeat,
        }
    }

    /// Counts the transactions, and lets operations stop waiting together while heartbeats fail.
    pub(super) fn serving(self, metrics: Arc<Metrics>, last: Arc<LastHeartbeat>) -> Self {
        Self { metrics, last_heartbeat: Some(last), ..self }
    }

    /// Until when an operation that begins now waits for the database.
    fn deadline(&self) -> Instant {
        let last = self.last_heartbeat.as_ref();
        last.map_or_else(|| Instant::now() + POSTGRES_PATIENCE, |last| last.deadline())
    }

    pub(super) const fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    pub(super) fn dialer(&self) -> &Arc<Dialer> {
        &self.dialer
    }

    pub(super) fn add(&self, connection: Connection) {
        self.idle.lock().push(Arc::new(connection));
    }

    pub(super) fn close_idle(&self) {
        self.idle.lock().clear();
    }

    /// Runs a transaction until its commit is confirmed by a standby, for some seconds.
    ///
    /// The operation may run several times, and an earlier run may have been committed without an
    /// answer: then its outcome is returned. A decision that writes nothing is confirmed in the
    /// same way, because it rests on what it has read. The operation goes on if the caller stops
    /// waiting.
    pub(in crate::store) async fn transact<V, T, E, F>(
        &self,
        value: V,
        operation: F,
    ) -> Result<T, StoreError>
    where
        V: Send + Sync + 'static,
        T: Send + 'static,
        E: Into<Failure>,
        F: for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, E>>,
        F: Send + Sync + 'static,
    {
        let pool = self.clone();
        let run = async move {
            let deadline = pool.deadline();
            let mut tries = Tries { request: rand::random(), outcomes: Vec::new() };
            loop {
                let mut lease = pool.lease(deadline, None).await?;
                let began = Instant::now();
                let outcome = pool.try_once(&mut lease, &value, &operation, &mut tries).await;
                drop(lease);
                let failure = match outcome {
                    Ok(done) => {
                        pool.metrics.observe_commit(1, began.elapsed());
                        return Ok(done);
                    }
                    // Says that nothing is stored, which is true of this try alone.
                    Err(Failure::Final(StoreError::ReadOnly)) if tries.may_be_stored() => {
                        Failure::fault("the outcome is unknown, and the disk is full")
                    }
                    Err(failure) => failure,
                };
                let paused = pause_unless_final(failure, deadline).await;
                if paused.is_err() {
                    pool.metrics.commit_failures.inc();
                }
                paused?;
            }
        };
        self.tasks.spawn(run).await.unwrap_or(Err(StoreError::Stopped))
    }

    async fn try_once<V, T, E: Into<Failure>>(
        &self,
        lease: &mut Lease,
        value: &V,
        operation: &impl for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, E>>,
        tries: &mut Tries<T>,
    ) -> Result<T, Failure> {
        let connection = Arc::clone(&lease.connection);
        let transaction = Transaction::new(Arc::clone(&connection));
        // Both are polled in this order, so the first statement travels with the beginning.
        let begin = connection.batch("BEGIN", POSTGRES_STATEMENT_MAX);
        let is_noted = tries.may_be_stored();
        let decide = tries.run(&transaction, operation(&transaction, value));
        let (started, decided) = join(begin, decide).await;
        started?;
        let done = match decided {
            Ok(done) => done,
            Err(failure) => {
                let is_usable = connection.is_usable();
                if is_usable && connection.batch("ROLLBACK", POSTGRES_STATEMENT_MAX).await.is_ok() {
                    lease.is_done();
                }
                return Err(failure);
            }
        };
        let sent_at = if is_noted {
            connection.commit().await?
        } else {
            commit_noted(&connection, tries.request, done).await?
        };
        self.dialer.primary().has_committed(connection.server(), sent_at);
        lease.is_done();
        let place = usize::try_from(done).unwrap_or(usize::MAX);
        let outcome = tries.outcomes.get_mut(place).and_then(Option::take);
        outcome.ok_or_else(|| Failure::fault("the outcome of a transaction is lost"))
    }

    /// Reads from the primary. What it returns was committed there a moment ago, but perhaps on no
    /// standby yet: only for what may be told nonetheless, such as records up to an announced seq.
    pub(in crate::store) async fn read_unconfirmed<V, T, E: Into<Failure>>(
        &self,
        value: V,
        operation: impl for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, E>>,
    ) -> Result<T, StoreError> {
        self.read_until(value, operation, false).await
    }

    /// Reads from the primary. A standby has what it returns.
    pub(in crate::store) async fn read_confirmed<V, T, E: Into<Failure>>(
        &self,
        value: V,
        operation: impl for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, E>>,
    ) -> Result<T, StoreError> {
        self.read_until(value, operation, true).await
    }

    /// Reads a list. Only a few are read at once, so that they do not delay rooms and log-ins.
    pub(in crate::store) async fn read_list<V, T, E: Into<Failure>>(
        &self,
        value: V,
        operation: impl for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, E>>,
    ) -> Result<T, StoreError> {
        let _place = place(&self.list_places, Instant::now() + LIST_WAIT_MAX).await?;
        self.read_until(value, operation, true).await
    }

    async fn read_until<V, T, E: Into<Failure>>(
        &self,
        value: V,
        operation: impl for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, E>>,
        is_confirmed: bool,
    ) -> Result<T, StoreError> {
        let deadline = self.deadline();
        loop {
            let reading = place(&self.read_places, deadline).await?;
            let mut lease = self.lease(deadline, Some(reading)).await?;
            // Each statement is a transaction of its own, so a caller may stop waiting anywhere.
            lease.is_done();
            let connection = Arc::clone(&lease.connection);
            let transaction = Transaction::new(Arc::clone(&connection));
            let sent_at = Instant::now();
            let outcome = async {
                let found = operation(&transaction, &value).await.map_err(Into::into)?;
                // Others may read during the barrier.
                drop(lease);
                let server = connection.server();
                if is_confirmed || !self.dialer.primary().vouches_for(server) {
                    self.confirm(server, Instant::now(), deadline).await?;
                }
                Ok::<T, Failure>(found)
            };
            match outcome.await {
                Ok(found) => return Ok(found),
                // The primary has confirmed a later commit: it is too busy for this read, and sent
                // again the read would add to that.
                Err(Failure::Unknown(_))
                    if sent_at.elapsed() >= POSTGRES_STATEMENT_MAX
                        && self.dialer.primary().has_confirmed_since(sent_at) =>
                {
                    return Err(StoreError::Busy);
                }
                Err(failure) => pause_unless_final(failure, deadline).await?,
            }
        }
    }

    /// Waits until a standby has everything that the server had shown by a moment.
    ///
    /// A barrier confirms all that was read before it. The reads that wait for one to end therefore
    /// need a single further one together.
    async fn confirm(
        &self,
        server: ServerIdentity,
        read_at: Instant,
        deadline: Instant,
    ) -> Result<(), Failure> {
        let primary = self.dialer.primary();
        let turn = timeout_at(deadline, self.barrier_turn.lock()).await;
        let _turn = turn.map_err(|_| Failure::Final(StoreError::Busy))?;
        if primary.has_confirmed_all_of(server, read_at) {
            return Ok(());
        }
        let mut lease = self.lease(deadline, None).await.map_err(Failure::Final)?;
        lease.is_done();
        if lease.connection.server() != server {
            return Err(Failure::unknown(
                "another server is the primary, and may lack what was read",
            ));
        }
        primary.has_committed(server, lease.connection.barrier().await?);
        Ok(())
    }

    async fn lease(
        &self,
        deadline: Instant,
        reading: Option<OwnedSemaphorePermit>,
    ) -> Result<Lease, StoreError> {
        let places = [Some(place(&self.places, deadline).await?), reading];
        let connection = if let Some(connection) = self.idle_connection() {
            connection
        } else {
            let dialled = self.dialer.dial(deadline).await;
            Arc::new(dialled.map_err(|error| StoreError::Failed(error.to_string().into()))?)
        };
        let idle = Arc::clone(&self.idle);
        Ok(Lease { connection, idle, is_clean: false, _places: places })
    }

    fn idle_connection(&self) -> Option<Arc<Connection>> {
        let mut idle = self.idle.lock();
        idle.retain(|connection| self.dialer.is_current(connection));
        idle.pop()
    }
}

async fn place(
    places: &Arc<Semaphore>,
    deadline: Instant,
) -> Result<OwnedSemaphorePermit, StoreError> {
    let place = timeout_at(deadline, Arc::clone(places).acquire_owned()).await;
    place.map_err(|_| StoreError::Busy)?.map_err(|_| StoreError::Stopped)
}

/// Waits before an operation is sent again, or returns the error if that does not help.
async fn pause_unless_final(failure: Failure, deadline: Instant) -> Result<(), StoreError> {
    let pause = match &failure {
        Failure::Contested => Duration::ZERO,
        Failure::Unknown(_) => POSTGRES_DIAL_EVERY,
        Failure::Final(_) => return Err(failure.into_error()),
    };
    if Instant::now() + pause >= deadline {
        return Err(failure.into_error());
    }
    sleep(pause).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn operations_in_a_row_have_one_deadline_while_heartbeats_fail() {
        let last = LastHeartbeat::default();
        assert_eq!(last.deadline(), Instant::now() + POSTGRES_PATIENCE);
        last.note();
        let began = Instant::now();
        for _ in 0..3 {
            tokio::time::sleep_until(last.deadline()).await;
        }
        assert_eq!(began.elapsed(), POSTGRES_SILENCE_MAX + POSTGRES_PATIENCE_LEAST * 2);
        assert!(began.elapsed() < POSTGRES_PATIENCE);
        advance(POSTGRES_PATIENCE * 2).await;
        assert_eq!(last.deadline(), Instant::now() + POSTGRES_PATIENCE_LEAST);
        last.note();
        assert_eq!(last.deadline(), Instant::now() + POSTGRES_SILENCE_MAX);
    }
}
