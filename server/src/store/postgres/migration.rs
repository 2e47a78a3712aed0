//! The versions of the tables in a database. The first server of a newer release creates or migrates
//! them, while nodes of earlier releases go on if they can use the new ones.

use tokio::time::Instant;

use super::{
    clock::{JOIN_LOCK, living},
    connection::Connection,
    errors::{Failure, PostgresError},
    url::PostgresUrl,
};
use crate::{
    limits::{POSTGRES_MIGRATION_MAX, POSTGRES_NODE_GONE_MS, POSTGRES_STATEMENT_MAX},
    store::schema,
};

/// The oldest schema of a server that may use a database of this server's schema.
pub(super) const MIN_READER: i32 = 1;

/// The oldest schema that may use a database into which an import is copying: none.
pub(super) const DURING_IMPORT: i32 = i32::MAX;

/// The advisory lock that one node holds while it changes tables: "adamant" in ASCII.
const MIGRATION_LOCK: &str = "SELECT pg_advisory_xact_lock(27411072711225972)";

/// The statements that create the first version of the tables, and those that lead from each
/// version to the next.
#[derive(Debug)]
pub(super) struct Versions {
    pub(super) steps: Vec<String>,
    /// The oldest version of a server that may use the newest tables.
    pub(super) min_reader: i32,
}

impl Versions {
    /// Those that this server knows.
    pub(super) fn known() -> Self {
        Self { steps: schema::postgres(), min_reader: MIN_READER }
    }

    pub(super) fn newest(&self) -> i32 {
        i32::try_from(self.steps.len()).unwrap_or(i32::MAX)
    }

    /// Refuses a database without the newest tables.
    pub(super) async fn expect(&self, connection: &Connection) -> Result<(), PostgresError> {
        let known = self.newest();
        match self.find(connection).await? {
            None => Err(PostgresError::Empty),
            Some(found) if found < known => Err(PostgresError::Older { found, known }),
            Some(_) => Ok(()),
        }
    }

    /// Creates the newest tables in an empty database, or leads older ones there, in one
    /// transaction, one node after the other.
    pub(super) async fn lead(
        &self,
        connection: &Connection,
        url: &PostgresUrl,
    ) -> Result<(), PostgresError> {
        if self.is_there(self.find(connection).await?) {
            return Ok(());
        }
        let may = "SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)";
        let may = connection.query(may, &[]).await?;
        if !may.first().is_some_and(|row| row.try_get(0).unwrap_or(false)) {
            let (database, user) = (url.database().to_owned(), url.user().to_owned());
            return Err(PostgresError::NoRights { database, user });
        }
        connection.batch("BEGIN", POSTGRES_STATEMENT_MAX).await?;
        connection.batch(MIGRATION_LOCK, POSTGRES_MIGRATION_MAX).await?;
        // Another node may have done it meanwhile.
        let found = self.find(connection).await?;
        if !self.is_there(found) {
            self.run(connection, found.unwrap_or(0)).await?;
        }
        connection.commit().await?;
        Ok(())
    }

    fn is_there(&self, found: Option<i32>) -> bool {
        found.is_some_and(|found| found >= self.newest())
    }

    async fn run(&self, connection: &Connection, from: i32) -> Result<(), PostgresError> {
        let (begun, to) = (Instant::now(), self.newest());
        if from > 0 && from < self.min_reader {
            expect_no_node(connection, from, to).await?;
        }
        for statements in &self.steps[usize::try_from(from).unwrap_or(0)..] {
            connection.batch(statements, POSTGRES_MIGRATION_MAX).await?;
        }
        let versions: [&(dyn tokio_postgres::types::ToSql + Sync); 2] = [&to, &self.min_reader];
        if from == 0 {
            let insert = "INSERT INTO cluster (alive_at, schema, min_reader) VALUES (0, $1, $2)";
            connection.execute(insert, &versions).await?;
            // operator: the PostgreSQL database was empty
            tracing::info!(schema = to, "created the tables of the database");
        } else {
            let update = "UPDATE cluster SET schema = $1, min_reader = $2";
            connection.execute(update, &versions).await?;
            let seconds = begun.elapsed().as_secs_f64();
            // operator: the database has the tables of this version of the server now. To go back,
            // restore a base backup
            tracing::info!(from, to, seconds, "the database was migrated");
        }
        Ok(())
    }

    /// Returns the version of the tables; `None` if a database is empty. Refuses one that this
    /// server may not use.
    async fn find(&self, connection: &Connection) -> Result<Option<i32>, PostgresError> {
        // Versions from before the first release had no offers.
        let exists = "SELECT to_regclass('cluster') IS NOT NULL, to_regclass('offers') IS NOT NULL";
        let exists = connection.query(exists, &[]).await?;
        let exists = exists.first().map(|row| Ok::<_, Failure>((row.try_get(0)?, row.try_get(1)?)));
        match exists.transpose()? {
            Some((true, true)) => {}
            Some((true, false)) => return Err(PostgresError::OtherTables),
            Some((false, _)) | None => return Ok(None),
        }
        let versions = connection.query("SELECT schema, min_reader FROM cluster", &[]).await?;
        let Some(row) = versions.first() else { return Ok(None) };
        let read = |column| row.try_get::<_, i32>(column).map_err(Failure::from);
        let (found, min_reader, known) = (read(0)?, read(1)?, self.newest());
        if min_reader == DURING_IMPORT {
            return Err(PostgresError::HalfImported);
        }
        if min_reader > known {
            return Err(PostgresError::Newer { found, min_reader, known });
        }
        Ok(Some(found))
    }
}

/// Refuses to migrate below a node that could not use the new tables, and keeps further ones out
/// until the transaction ends.
async fn expect_no_node(connection: &Connection, from: i32, to: i32) -> Result<(), PostgresError> {
    connection.query(JOIN_LOCK, &[]).await?;
    match connection.query(&living(), &[&(2 * POSTGRES_NODE_GONE_MS)]).await?.first() {
        Some(row) => {
            let node = row.try_get(0).map_err(Failure::from)?;
            Err(PostgresError::OlderNode { node, from, to })
        }
        None => Ok(()),
    }
}
