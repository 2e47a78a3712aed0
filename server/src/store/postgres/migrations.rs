//! Brings a database to this server's schema.

use super::{
    connection::Connection,
    failure::Failure,
    postgres_error::PostgresError,
    schema::{DURING_IMPORT, MIGRATIONS, MIN_READER},
    url::PostgresUrl,
};
use crate::limits::{POSTGRES_MIGRATION_MAX, POSTGRES_STATEMENT_MAX};

/// The advisory lock that one migrating node holds: "adamant" in ASCII.
const LOCK: &str = "SELECT pg_advisory_xact_lock(27411072711225972)";

/// Creates or migrates the tables in one transaction, one node after the other.
pub(super) async fn migrate(
    connection: &Connection,
    url: &PostgresUrl,
) -> Result<(), PostgresError> {
    let known = known();
    match usable(connection).await? {
        Some(found) if found >= known => return Ok(()),
        Some(_) => {}
        None => expect_rights(connection, url).await?,
    }
    let failed = |failure: Failure| PostgresError::Store(failure.into_error());
    connection.batch("BEGIN", POSTGRES_STATEMENT_MAX).await.map_err(failed)?;
    connection.batch(LOCK, POSTGRES_MIGRATION_MAX).await.map_err(failed)?;
    // Another node may have done it meanwhile.
    let found = schema(connection).await?.map_or(0, |(found, _)| found);
    let done = usize::try_from(found).unwrap_or(0);
    for tables in MIGRATIONS.iter().skip(done).copied().flatten() {
        connection.batch(tables, POSTGRES_MIGRATION_MAX).await.map_err(failed)?;
    }
    let write = if found == 0 {
        "INSERT INTO cluster (alive_at, schema, min_reader) VALUES (0, $1, $2)"
    } else {
        "UPDATE cluster SET schema = $1, min_reader = $2 WHERE schema < $1"
    };
    connection.execute(write, &[&known, &MIN_READER]).await.map_err(failed)?;
    connection.commit().await.map_err(failed)?;
    tracing::info!(from = found, to = known, "migrated the database");
    Ok(())
}

/// Refuses a database whose tables are not up to date.
pub(super) async fn expect_current(connection: &Connection) -> Result<(), PostgresError> {
    let (found, known) = (usable(connection).await?.unwrap_or(0), known());
    if found < known { Err(PostgresError::Older { found, known }) } else { Ok(()) }
}

/// The schema of this server.
fn known() -> i32 {
    i32::try_from(MIGRATIONS.len()).expect("there are few migrations")
}

/// Returns the schema of a database that this server may use; `None` if the database is empty.
async fn usable(connection: &Connection) -> Result<Option<i32>, PostgresError> {
    let Some((found, min_reader)) = schema(connection).await? else { return Ok(None) };
    let known = known();
    if min_reader == DURING_IMPORT {
        return Err(PostgresError::HalfImported);
    }
    if min_reader > known {
        return Err(PostgresError::Newer { found, min_reader, known });
    }
    Ok(Some(found))
}

/// Returns the schema of the database and the oldest one of a server that may use it; `None` if the
/// database is empty.
async fn schema(connection: &Connection) -> Result<Option<(i32, i32)>, PostgresError> {
    let read = async {
        let exists = "SELECT to_regclass('cluster') IS NOT NULL";
        let rows = connection.query(exists, &[]).await?;
        let exists: bool = rows.first().map_or(Ok(false), |row| row.try_get(0))?;
        if !exists {
            return Ok(None);
        }
        let rows = connection.query("SELECT schema, min_reader FROM cluster", &[]).await?;
        let row = rows.first();
        row.map(|row| Ok::<_, Failure>((row.try_get(0)?, row.try_get(1)?))).transpose()
    };
    read.await.map_err(|failure: Failure| PostgresError::Store(failure.into_error()))
}

/// Rejects a user who may not create tables.
async fn expect_rights(connection: &Connection, url: &PostgresUrl) -> Result<(), PostgresError> {
    let may = "SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)";
    let read = async {
        let rows = connection.query(may, &[]).await?;
        rows.first().map_or(Ok(false), |row| row.try_get::<_, bool>(0)).map_err(Failure::from)
    };
    match read.await {
        Ok(true) => Ok(()),
        Ok(false) => Err(PostgresError::NoRights {
            database: url.database().to_owned(),
            user: url.user().to_owned(),
        }),
        Err(failure) => Err(PostgresError::Store(failure.into_error())),
    }
}
