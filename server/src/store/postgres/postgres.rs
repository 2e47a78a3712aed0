//! The handle on a database. Its tables are created in an empty database, and a database that has
//! others is refused.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use tokio_postgres::types::FromSqlOwned;
use tokio_util::task::TaskTracker;

use super::{
    announcements::EventQueue,
    connection::Connection,
    dialer::Dialer,
    errors::{Failure, PostgresError},
    journal_tasks::JournalTasks,
    pool::{ConnectionPool, LastHeartbeat},
    url::PostgresUrl,
};
use crate::{
    limits::{
        POSTGRES_CONNECTIONS, POSTGRES_MIGRATION_MAX, POSTGRES_READS_MAX, POSTGRES_START_PATIENCE,
        POSTGRES_STATEMENT_MAX, POSTGRES_TASK_STATEMENT_MAX,
    },
    runtime::metrics::Metrics,
    store::schema,
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
    /// tables in an empty database. The tasks of its connections run on `tasks`.
    pub(crate) async fn open(
        options: PostgresOptions,
        tasks: TaskTracker,
    ) -> Result<Self, PostgresError> {
        let metrics = options.metrics.clone();
        let (dialer, connection) = dial(options, POSTGRES_STATEMENT_MAX, &tasks).await?;
        create_or_expect_tables(&connection, dialer.url()).await?;
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
            create_or_expect_tables(&connection, dialer.url()).await?;
        } else {
            has_tables(&connection).await?.then_some(()).ok_or(PostgresError::Empty)?;
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

/// The oldest schema of a server that may use a database of this server's schema.
pub(super) const MIN_READER: i32 = 1;

/// The oldest schema that may use a database into which an import is copying: none.
pub(super) const DURING_IMPORT: i32 = i32::MAX;

/// The advisory lock that one node holds while it creates tables: "adamant" in ASCII.
const CREATION_LOCK: &str = "SELECT pg_advisory_xact_lock(27411072711225972)";

/// Creates the tables in one transaction if the database is empty, one node after the other.
async fn create_or_expect_tables(
    connection: &Connection,
    url: &PostgresUrl,
) -> Result<(), PostgresError> {
    if has_tables(connection).await? {
        return Ok(());
    }
    let may = "SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), true";
    if first(connection, may).await? != Some((true, true)) {
        let (database, user) = (url.database().to_owned(), url.user().to_owned());
        return Err(PostgresError::NoRights { database, user });
    }
    connection.batch("BEGIN", POSTGRES_STATEMENT_MAX).await?;
    connection.batch(CREATION_LOCK, POSTGRES_MIGRATION_MAX).await?;
    // Another node may have done it meanwhile.
    if !has_tables(connection).await? {
        connection.batch(&schema::postgres(), POSTGRES_MIGRATION_MAX).await?;
        let insert = "INSERT INTO cluster (alive_at, schema, min_reader) VALUES (0, $1, $2)";
        connection.execute(insert, &[&schema::VERSION, &MIN_READER]).await?;
        // operator: the PostgreSQL database was empty
        tracing::info!(schema = schema::VERSION, "created the tables of the database");
    }
    connection.commit().await?;
    Ok(())
}

/// Returns false if a database is empty. Refuses one whose tables this server may not use.
async fn has_tables(connection: &Connection) -> Result<bool, PostgresError> {
    // Versions from before the first release had no offers.
    let exists = "SELECT to_regclass('cluster') IS NOT NULL, to_regclass('offers') IS NOT NULL";
    match first(connection, exists).await? {
        Some((true, true)) => {}
        Some((true, false)) => return Err(PostgresError::OtherTables),
        Some((false, _)) | None => return Ok(false),
    }
    let versions = first(connection, "SELECT schema, min_reader FROM cluster").await?;
    let known = schema::VERSION;
    match versions {
        None => Ok(false),
        Some((_, DURING_IMPORT)) => Err(PostgresError::HalfImported),
        Some((found, min_reader)) if min_reader > known => {
            Err(PostgresError::Newer { found, min_reader, known })
        }
        Some(_) => Ok(true),
    }
}

async fn first<T: FromSqlOwned>(
    connection: &Connection,
    select: &str,
) -> Result<Option<(T, T)>, Failure> {
    let rows = connection.query(select, &[]).await?;
    rows.first().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).transpose()
}
