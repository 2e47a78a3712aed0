//! Creates the tables of a new database, and refuses a database that has others.

use super::{
    connection::Connection, failure::Failure, postgres_error::PostgresError, url::PostgresUrl,
};
use crate::{
    limits::{POSTGRES_MIGRATION_MAX, POSTGRES_STATEMENT_MAX},
    store::schema,
};

/// The oldest schema of a server that may use a database of this server's schema.
pub(super) const MIN_READER: i32 = 1;

/// The oldest schema that may use a database into which an import is copying: none.
pub(super) const DURING_IMPORT: i32 = i32::MAX;

/// The advisory lock that one node holds while it creates tables: "adamant" in ASCII.
const LOCK: &str = "SELECT pg_advisory_xact_lock(27411072711225972)";

/// Creates the tables in one transaction if the database is empty, one node after the other.
pub(super) async fn create_or_expect(
    connection: &Connection,
    url: &PostgresUrl,
) -> Result<(), PostgresError> {
    if usable(connection).await?.is_some() {
        return Ok(());
    }
    expect_rights(connection, url).await?;
    let failed = |failure: Failure| PostgresError::Store(failure.into_error());
    connection.batch("BEGIN", POSTGRES_STATEMENT_MAX).await.map_err(failed)?;
    connection.batch(LOCK, POSTGRES_MIGRATION_MAX).await.map_err(failed)?;
    // Another node may have done it meanwhile.
    if usable(connection).await?.is_none() {
        let tables = schema::postgres();
        connection.batch(&tables, POSTGRES_MIGRATION_MAX).await.map_err(failed)?;
        let insert = "INSERT INTO cluster (alive_at, schema, min_reader) VALUES (0, $1, $2)";
        connection.execute(insert, &[&schema::VERSION, &MIN_READER]).await.map_err(failed)?;
        // operator: the PostgreSQL database was empty
        tracing::info!(schema = schema::VERSION, "created the tables of the database");
    }
    connection.commit().await.map_err(failed)?;
    Ok(())
}

/// Refuses a database without tables.
pub(super) async fn expect(connection: &Connection) -> Result<(), PostgresError> {
    match usable(connection).await? {
        Some(_) => Ok(()),
        None => Err(PostgresError::Empty),
    }
}

/// Returns the schema of a database that this server may use; `None` if the database is empty.
async fn usable(connection: &Connection) -> Result<Option<i32>, PostgresError> {
    let Some((found, min_reader)) = schema_of(connection).await? else { return Ok(None) };
    let known = schema::VERSION;
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
async fn schema_of(connection: &Connection) -> Result<Option<(i32, i32)>, PostgresError> {
    let failed = |failure: Failure| PostgresError::Store(failure.into_error());
    // Versions from before the first release had no offers.
    let exists = "SELECT to_regclass('cluster') IS NOT NULL, to_regclass('offers') IS NOT NULL";
    let rows = connection.query(exists, &[]).await.map_err(failed)?;
    let found = |column: usize| {
        let found = rows.first().map_or(Ok(false), |row| row.try_get::<_, bool>(column));
        found.map_err(|error| failed(error.into()))
    };
    match (found(0)?, found(1)?) {
        (false, _) => return Ok(None),
        (true, false) => return Err(PostgresError::OtherTables),
        (true, true) => {}
    }
    let rows = connection.query("SELECT schema, min_reader FROM cluster", &[]).await;
    let rows = rows.map_err(failed)?;
    let read = rows.first().map(|row| Ok::<_, Failure>((row.try_get(0)?, row.try_get(1)?)));
    read.transpose().map_err(failed)
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
