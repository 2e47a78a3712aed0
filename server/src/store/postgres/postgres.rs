//! The handle on a database.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::{
    announcements::EventQueue,
    connection::Connection,
    dialer::Dialer,
    errors::PostgresError,
    journal_tasks::JournalTasks,
    migration::Versions,
    pool::{ConnectionPool, LastHeartbeat},
    url::PostgresUrl,
};
use crate::{
    limits::{
        POSTGRES_CONNECTIONS, POSTGRES_READS_MAX, POSTGRES_START_PATIENCE, POSTGRES_STATEMENT_MAX,
        POSTGRES_TASK_STATEMENT_MAX,
    },
    runtime::metrics::Metrics,
};

#[derive(Debug, Clone)]
pub(crate) struct PostgresOptions {
    pub(crate) url: PostgresUrl,
    /// The name of this node, under which PostgreSQL lists its connections.
    pub(crate) node: String,
    pub(crate) is_unreplicated: bool,
    pub(crate) metrics: Arc<Metrics>,
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

#[derive(Debug, Clone)]
pub(crate) struct Postgres {
    dialer: Arc<Dialer>,
    pool: ConnectionPool,
    journal: JournalTasks,
    events: EventQueue,
    last_heartbeat: Arc<LastHeartbeat>,
    tasks: TaskTracker,
}

impl Postgres {
    /// Connects to the primary, checks that it can keep what it acknowledges, and creates the
    /// tables in an empty database, or migrates them. The tasks of its connections run on `tasks`.
    pub(crate) async fn open(
        options: PostgresOptions,
        tasks: TaskTracker,
    ) -> Result<Self, PostgresError> {
        let metrics = options.metrics.clone();
        let (dialer, connection) = dial(options, POSTGRES_STATEMENT_MAX, &tasks).await?;
        Versions::known().lead(&connection, dialer.url()).await?;
        Ok(Self::start(dialer, connection, tasks, metrics))
    }

    /// Opens the database for a task of the operator, whose statements may read whole tables.
    /// Creates or migrates tables only if the task may.
    pub(crate) async fn open_for_task(
        options: PostgresOptions,
        may_create: bool,
    ) -> Result<Self, PostgresError> {
        let tasks = TaskTracker::new();
        let (dialer, connection) = dial(options, POSTGRES_TASK_STATEMENT_MAX, &tasks).await?;
        if may_create {
            Versions::known().lead(&connection, dialer.url()).await?;
        } else {
            Versions::known().expect(&connection).await?;
        }
        Ok(Self::start(dialer, connection, tasks, Arc::default()))
    }

    fn start(
        dialer: Arc<Dialer>,
        connection: Connection,
        tasks: TaskTracker,
        metrics: Arc<Metrics>,
    ) -> Self {
        let (places, reads) = (POSTGRES_CONNECTIONS, POSTGRES_READS_MAX);
        let pool = ConnectionPool::new(Arc::clone(&dialer), tasks.clone(), places, reads);
        let last_heartbeat = Arc::<LastHeartbeat>::default();
        let pool = pool.serving(metrics, Arc::clone(&last_heartbeat));
        pool.add(connection);
        let events = EventQueue::default();
        let journal = JournalTasks::start(&pool, &events, &tasks);
        Self { dialer, pool, journal, events, last_heartbeat, tasks }
    }

    pub(super) fn journal(&self) -> &JournalTasks {
        &self.journal
    }

    pub(in crate::store) fn pool(&self) -> &ConnectionPool {
        &self.pool
    }

    pub(super) fn dialer(&self) -> &Arc<Dialer> {
        &self.dialer
    }

    /// What this node announces to the others. Appends are announced after their commit.
    pub(super) fn events(&self) -> &EventQueue {
        &self.events
    }

    pub(super) fn last_heartbeat(&self) -> &LastHeartbeat {
        &self.last_heartbeat
    }

    pub(super) fn tasks(&self) -> &TaskTracker {
        &self.tasks
    }
}
