//! The handle on a database.

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use tokio::{
    sync::Semaphore,
    time::{Instant, timeout},
};
use tokio_util::task::TaskTracker;

use super::{
    commit_metrics::CommitMetrics, connection::Connection, dialer::Dialer, event_queue::EventQueue,
    failure::Failure, journal_tasks::JournalTasks, last_heartbeat::LastHeartbeat,
    pool::ConnectionPool, postgres_error::PostgresError, tables, transaction::Transaction,
    url::PostgresUrl,
};
use crate::{
    limits::{
        LIST_READERS_MAX, LIST_WAIT_MAX, POSTGRES_CONNECTIONS, POSTGRES_READS_MAX,
        POSTGRES_START_PATIENCE, POSTGRES_STATEMENT_MAX, POSTGRES_TASK_STATEMENT_MAX,
    },
    store::StoreError,
};

/// How a node opens its database.
#[derive(Debug, Clone)]
pub(crate) struct PostgresOptions {
    /// The database.
    pub(crate) url: PostgresUrl,
    /// The name of this node, under which PostgreSQL lists its connections.
    pub(crate) node: String,
    /// Whether commits count that are on no standby.
    pub(crate) is_unreplicated: bool,
    /// Where commits are counted.
    pub(crate) metrics: CommitMetrics,
}

/// Connects to the primary, and checks that it can keep what it acknowledges.
async fn dial(
    options: PostgresOptions,
    statement_max: Duration,
    tasks: &TaskTracker,
) -> Result<(Arc<Dialer>, Connection), PostgresError> {
    let PostgresOptions { mut url, node, is_unreplicated, metrics: _ } = options;
    url.set_application_name(&format!("adamant/{node}"));
    let dialer = Dialer::new(url, !is_unreplicated, statement_max, tasks.clone());
    let connection = dialer.dial_at_start(Instant::now() + POSTGRES_START_PATIENCE).await?;
    Ok((Arc::new(dialer), connection))
}

/// A PostgreSQL database. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Postgres {
    dialer: Arc<Dialer>,
    pool: ConnectionPool,
    journal: JournalTasks,
    lists: Arc<Semaphore>,
    events: EventQueue,
    last_heartbeat: Arc<LastHeartbeat>,
    tasks: TaskTracker,
}

impl Postgres {
    /// Connects to the primary, checks that it can keep what it acknowledges, and creates the
    /// tables in an empty database. The tasks of its connections run on `tasks`.
    pub(crate) async fn open(
        options: PostgresOptions,
        tasks: TaskTracker,
    ) -> Result<Self, PostgresError> {
        let metrics = options.metrics.clone();
        let (dialer, connection) = dial(options, POSTGRES_STATEMENT_MAX, &tasks).await?;
        tables::create_or_expect(&connection, dialer.url()).await?;
        Ok(Self::start(dialer, connection, tasks, metrics))
    }

    /// Opens the database for a task of the operator, whose statements may read whole tables.
    /// Creates missing tables only if the task may.
    pub(crate) async fn open_for_task(
        options: PostgresOptions,
        may_create: bool,
    ) -> Result<Self, PostgresError> {
        let tasks = TaskTracker::new();
        let (dialer, connection) = dial(options, POSTGRES_TASK_STATEMENT_MAX, &tasks).await?;
        if may_create {
            tables::create_or_expect(&connection, dialer.url()).await?;
        } else {
            tables::expect(&connection).await?;
        }
        Ok(Self::start(dialer, connection, tasks, CommitMetrics::default()))
    }

    fn start(
        dialer: Arc<Dialer>,
        connection: Connection,
        tasks: TaskTracker,
        metrics: CommitMetrics,
    ) -> Self {
        let (places, reads) = (POSTGRES_CONNECTIONS, POSTGRES_READS_MAX);
        let pool = ConnectionPool::new(Arc::clone(&dialer), tasks.clone(), places, reads);
        let last_heartbeat = Arc::<LastHeartbeat>::default();
        let pool = pool.counting(metrics).beating(Arc::clone(&last_heartbeat));
        pool.add(connection);
        let events = EventQueue::default();
        let journal = JournalTasks::start(&pool, &events, &tasks);
        let lists = Arc::new(Semaphore::new(LIST_READERS_MAX));
        Self { dialer, pool, journal, lists, events, last_heartbeat, tasks }
    }

    /// Runs a transaction until its commit is confirmed by a standby, as
    /// [`ConnectionPool::transact`].
    pub(in crate::store) async fn transact<V, T, F>(
        &self,
        value: V,
        operation: F,
    ) -> Result<T, StoreError>
    where
        V: Send + Sync + 'static,
        T: Send + 'static,
        F: for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, Failure>>
            + Send
            + Sync
            + 'static,
    {
        self.pool.transact(value, operation).await
    }

    /// Reads from the primary. A standby has what it returns.
    pub(in crate::store) async fn read_confirmed<V, T, F>(
        &self,
        value: V,
        operation: F,
    ) -> Result<T, StoreError>
    where
        F: for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, Failure>>,
    {
        self.pool.read_confirmed(value, operation).await
    }

    /// Reads from the primary what may be told before a standby has it.
    pub(in crate::store) async fn read_unconfirmed<V, T, F>(
        &self,
        value: V,
        operation: F,
    ) -> Result<T, StoreError>
    where
        F: for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, Failure>>,
    {
        self.pool.read(value, operation).await
    }

    /// Reads a list. Only a few are read at the same time, so that they do not delay rooms and
    /// log-ins.
    pub(in crate::store) async fn read_list<V, T, F>(
        &self,
        value: V,
        operation: F,
    ) -> Result<T, StoreError>
    where
        F: for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, Failure>>,
    {
        let _place = timeout(LIST_WAIT_MAX, self.lists.acquire())
            .await
            .map_err(|_| StoreError::Busy)?
            .map_err(|_| StoreError::Stopped)?;
        self.pool.read_confirmed(value, operation).await
    }

    /// The tasks of the journal.
    pub(super) fn journal(&self) -> &JournalTasks {
        &self.journal
    }

    /// The connections for operations.
    pub(super) fn pool(&self) -> &ConnectionPool {
        &self.pool
    }

    /// Finds the primary.
    pub(super) fn dialer(&self) -> &Arc<Dialer> {
        &self.dialer
    }

    /// What this node announces to the others. Appends are announced after their commit.
    pub(super) fn events(&self) -> &EventQueue {
        &self.events
    }

    /// When this node last sent a heartbeat.
    pub(super) fn last_heartbeat(&self) -> &LastHeartbeat {
        &self.last_heartbeat
    }

    /// The tasks of the connections.
    pub(super) fn tasks(&self) -> &TaskTracker {
        &self.tasks
    }
}
