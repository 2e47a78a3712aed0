//! The handle on a database.

use std::{sync::Arc, time::Duration};

use tokio::{sync::Semaphore, time::Instant};
use tokio_util::task::TaskTracker;

use super::{
    commit_metrics::CommitMetrics, connection::Connection, dialer::Dialer, event_queue::EventQueue,
    journal_tasks::JournalTasks, last_heartbeat::LastHeartbeat, migrations, pool::ConnectionPool,
    postgres_error::PostgresError, url::PostgresUrl,
};
use crate::limits::{
    LIST_READERS_MAX, POSTGRES_CONNECTIONS, POSTGRES_READS_MAX, POSTGRES_START_PATIENCE,
    POSTGRES_STATEMENT_MAX, POSTGRES_TASK_STATEMENT_MAX,
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
    /// Connects to the primary, checks that it can keep what it acknowledges, and migrates the
    /// tables. The tasks of its connections run on `tasks`.
    pub(crate) async fn open(
        options: PostgresOptions,
        tasks: TaskTracker,
    ) -> Result<Self, PostgresError> {
        let metrics = options.metrics.clone();
        let (dialer, connection) = dial(options, POSTGRES_STATEMENT_MAX, &tasks).await?;
        migrations::migrate(&connection, dialer.url()).await?;
        Ok(Self::start(dialer, connection, tasks, metrics))
    }

    /// Opens the database for a task of the operator, whose statements may read whole tables.
    /// Migrates the tables only if the task may.
    pub(crate) async fn open_for_task(
        options: PostgresOptions,
        may_migrate: bool,
    ) -> Result<Self, PostgresError> {
        let tasks = TaskTracker::new();
        let (dialer, connection) = dial(options, POSTGRES_TASK_STATEMENT_MAX, &tasks).await?;
        if may_migrate {
            migrations::migrate(&connection, dialer.url()).await?;
        } else {
            migrations::expect_current(&connection).await?;
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

    /// Places for queries of lists.
    pub(super) fn list_places(&self) -> &Semaphore {
        &self.lists
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
