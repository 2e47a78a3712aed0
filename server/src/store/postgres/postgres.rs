//! The handle on a database.

use std::sync::Arc;

use tokio::{sync::Semaphore, time::Instant};
use tokio_util::task::TaskTracker;

use super::{
    dialer::Dialer, event_queue::EventQueue, journal_tasks::JournalTasks, migrations,
    pool::ConnectionPool, postgres_error::PostgresError, url::PostgresUrl,
};
use crate::limits::{LIST_READERS_MAX, POSTGRES_CONNECTIONS, POSTGRES_START_PATIENCE};

/// How a node opens its database.
#[derive(Debug, Clone)]
pub(crate) struct PostgresOptions {
    /// The database.
    pub(crate) url: PostgresUrl,
    /// The name of this node, under which PostgreSQL lists its connections.
    pub(crate) node: String,
    /// Whether commits count that are on no standby.
    pub(crate) is_unreplicated: bool,
}

/// A PostgreSQL database. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Postgres {
    dialer: Arc<Dialer>,
    pool: ConnectionPool,
    journal: JournalTasks,
    lists: Arc<Semaphore>,
    events: EventQueue,
    tasks: TaskTracker,
}

impl Postgres {
    /// Connects to the primary, checks that it can keep what it acknowledges, and migrates the
    /// tables. The tasks of its connections run on `tasks`.
    pub(crate) async fn open(
        options: PostgresOptions,
        tasks: TaskTracker,
    ) -> Result<Self, PostgresError> {
        let PostgresOptions { mut url, node, is_unreplicated } = options;
        url.set_application_name(&format!("adamant/{node}"));
        let dialer = Arc::new(Dialer::new(url, !is_unreplicated, tasks.clone()));
        let deadline = Instant::now() + POSTGRES_START_PATIENCE;
        let connection = dialer.dial_at_start(deadline).await?;
        migrations::migrate(&connection, dialer.url()).await?;
        let pool = ConnectionPool::new(Arc::clone(&dialer), tasks.clone(), POSTGRES_CONNECTIONS);
        pool.add(connection);
        let events = EventQueue::default();
        let journal = JournalTasks::start(&pool, &events, &tasks);
        let lists = Arc::new(Semaphore::new(LIST_READERS_MAX));
        Ok(Self { dialer, pool, journal, lists, events, tasks })
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

    /// The tasks of the connections.
    pub(super) fn tasks(&self) -> &TaskTracker {
        &self.tasks
    }
}
