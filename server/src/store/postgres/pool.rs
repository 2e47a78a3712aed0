//! A few connections to the primary, and operations that survive its loss.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::future::{BoxFuture, join};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep, timeout_at},
};
use tokio_util::task::TaskTracker;

use super::{
    commit_metrics::CommitMetrics, connection::Connection, dialer::Dialer, failure::Failure,
    last_heartbeat::LastHeartbeat, primary::ServerIdentity, transaction::Transaction, tries::Tries,
};
use crate::{
    limits::{POSTGRES_DIAL_EVERY, POSTGRES_PATIENCE, POSTGRES_STATEMENT_MAX},
    store::StoreError,
};

/// Connections that wait for their next operation.
type IdleConnections = Arc<Mutex<Vec<Arc<Connection>>>>;

/// A pool of connections. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct ConnectionPool {
    dialer: Arc<Dialer>,
    places: Arc<Semaphore>,
    /// The places that reads may take.
    read_places: Arc<Semaphore>,
    idle: IdleConnections,
    /// Held during a barrier, so that reads share the next one.
    barrier_turn: Arc<tokio::sync::Mutex<()>>,
    tasks: TaskTracker,
    metrics: CommitMetrics,
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
    /// No transaction is open on the connection any more.
    fn is_done(&mut self) {
        self.is_clean = true;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.is_clean && self.connection.is_usable() {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
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
        let [places, read_places] = [places, reads].map(|count| Arc::new(Semaphore::new(count)));
        let (idle, metrics) = (IdleConnections::default(), CommitMetrics::default());
        let (barrier_turn, last_heartbeat) = (Arc::default(), None);
        Self { dialer, places, read_places, idle, barrier_turn, tasks, metrics, last_heartbeat }
    }

    /// Counts the transactions.
    pub(super) fn counting(self, metrics: CommitMetrics) -> Self {
        Self { metrics, ..self }
    }

    /// Lets operations stop waiting together while heartbeats fail.
    pub(super) fn beating(self, last_heartbeat: Arc<LastHeartbeat>) -> Self {
        Self { last_heartbeat: Some(last_heartbeat), ..self }
    }

    /// Until when an operation that begins now waits for the database.
    fn deadline(&self) -> Instant {
        let last = self.last_heartbeat.as_ref();
        last.map_or_else(|| Instant::now() + POSTGRES_PATIENCE, |last| last.deadline())
    }

    /// Where commits are counted.
    pub(super) const fn metrics(&self) -> &CommitMetrics {
        &self.metrics
    }

    /// Finds the primary.
    pub(super) fn dialer(&self) -> &Arc<Dialer> {
        &self.dialer
    }

    /// Takes a new connection into the pool.
    pub(super) fn add(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(connection));
    }

    /// Closes the connections that are idle.
    pub(super) fn close_idle(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Runs a transaction until its commit is confirmed by a standby, for some seconds.
    ///
    /// The operation may run several times, and an earlier run may have been committed without an
    /// answer: then its outcome is returned. A decision that writes nothing is confirmed in the
    /// same way, because it rests on what it has read. The operation goes on if the caller stops
    /// waiting.
    pub(super) async fn transact<V, T, F>(&self, value: V, operation: F) -> Result<T, StoreError>
    where
        V: Send + Sync + 'static,
        T: Send + 'static,
        F: for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, Failure>>
            + Send
            + Sync
            + 'static,
    {
        let pool = self.clone();
        let run = async move {
            let deadline = pool.deadline();
            let mut tries = Tries::default();
            loop {
                let mut lease = pool.lease(deadline, None).await?;
                let began = Instant::now();
                let outcome = pool.try_once(&mut lease, &value, &operation, &mut tries).await;
                drop(lease);
                let failure = match outcome {
                    Ok(done) => {
                        pool.metrics.committed(1, began.elapsed());
                        return Ok(done);
                    }
                    // Says that nothing is stored, which is true of this try alone.
                    Err(Failure::Final(StoreError::ReadOnly)) if tries.may_be_stored() => {
                        Failure::fault("the outcome is unknown, and the disk is full")
                    }
                    Err(failure) => failure,
                };
                let paused = pause_unless_final(failure, deadline).await;
                paused.inspect_err(|_| pool.metrics.failed())?;
            }
        };
        self.tasks.spawn(run).await.unwrap_or(Err(StoreError::Stopped))
    }

    async fn try_once<V, T, F>(
        &self,
        lease: &mut Lease,
        value: &V,
        operation: &F,
        tries: &mut Tries<T>,
    ) -> Result<T, Failure>
    where
        F: for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, Failure>>,
    {
        let connection = Arc::clone(&lease.connection);
        let transaction = Transaction::new(Arc::clone(&connection));
        // Both are polled in this order, so the first statement travels with the beginning.
        let begin = connection.batch("BEGIN", POSTGRES_STATEMENT_MAX);
        let decide = tries.run(&transaction, operation(&transaction, value));
        let (started, decided) = join(begin, decide).await;
        started?;
        if let Err(failure) = decided {
            let is_usable = connection.is_usable();
            if is_usable && connection.batch("ROLLBACK", POSTGRES_STATEMENT_MAX).await.is_ok() {
                lease.is_done();
            }
            return Err(failure);
        }
        let sent_at = tries.commit(&connection).await?;
        self.dialer.primary().has_committed(connection.server(), sent_at);
        lease.is_done();
        tries.outcome()
    }

    /// Reads from the primary. What it returns was committed there a moment ago, but perhaps on no
    /// standby yet: only for what may be told nonetheless, such as records up to an announced seq.
    pub(super) async fn read<V, T, F>(&self, value: V, operation: F) -> Result<T, StoreError>
    where
        F: for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, Failure>>,
    {
        self.read_until(value, operation, false).await
    }

    /// Reads from the primary. A standby has what it returns.
    pub(super) async fn read_confirmed<V, T, F>(
        &self,
        value: V,
        operation: F,
    ) -> Result<T, StoreError>
    where
        F: for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, Failure>>,
    {
        self.read_until(value, operation, true).await
    }

    async fn read_until<V, T, F>(
        &self,
        value: V,
        operation: F,
        is_confirmed: bool,
    ) -> Result<T, StoreError>
    where
        F: for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, Failure>>,
    {
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
                let found = operation(&transaction, &value).await?;
                // Others may read during the barrier.
                drop(lease);
                let server = connection.server();
                if is_confirmed || !self.dialer.primary().vouches_for(server) {
                    self.confirm(server, Instant::now(), deadline).await?;
                }
                Ok(found)
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
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let primary = self.dialer.primary();
        idle.retain(|connection| {
            connection.is_usable() && !primary.has_replaced(connection.server())
        });
        idle.pop()
    }
}

/// Waits for a place.
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
