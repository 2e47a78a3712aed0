//! Settings of connections, and what every connection can do.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, config::DbConfig, ffi};

use crate::{
    limits::{FILLING_CACHE_KIB, STATEMENTS_KEPT, WAL_SPACE_FACTOR},
    runtime::files,
    store::sql::SqlResult,
};

/// Configures a connection that may write. With WAL and synchronous FULL a commit returns after the
/// WAL has been synced, and readers never wait for the writer.
pub(super) fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    configure_common(connection)
}

/// Configures a connection that must not change the database, not even by a checkpoint when it is
/// the last one to close.
pub(super) fn configure_read_only(connection: &Connection) -> rusqlite::Result<()> {
    leave_wal_on_close(connection)?;
    connection.pragma_update(None, "query_only", "ON")?;
    configure_common(connection)
}

/// Leaves the WAL as it is when the last connection of the process closes: another server may have
/// begun to use it.
pub(super) fn leave_wal_on_close(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map(drop)
}

fn configure_common(connection: &Connection) -> rusqlite::Result<()> {
    // SQLite opens no further files: descriptors and space may have run out.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // A cached statement is not planned again for other values.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    connection.busy_timeout(Duration::from_secs(5))
}

/// Bounds a connection's page cache. The operating system caches the same pages.
pub(super) fn set_cache_size(connection: &Connection, kib: i64) -> rusqlite::Result<()> {
    connection.pragma_update(None, "cache_size", -kib)
}

/// Sets the size at which the writer's WAL is copied into the database, and preallocates the WAL: a
/// sync of a file that has grown takes half as long again as one of a file that has not. The disk
/// may lack the space for that, and nothing depends on it.
pub(super) fn preallocate_wal(
    connection: &Connection,
    mib: u32,
    wal: &Path,
) -> rusqlite::Result<()> {
    let page_bytes: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let bytes = i64::from(mib) * 1024 * 1024;
    let checkpoint_at = |bytes: i64| {
        connection.pragma_update(None, "wal_autocheckpoint", (bytes / page_bytes).max(1))
    };
    checkpoint_at(bytes)?;
    let wanted = bytes.cast_unsigned();
    if std::fs::metadata(wal).is_ok_and(|found| found.len() >= wanted) {
        return Ok(());
    }
    let free = wal.parent().and_then(files::free_bytes);
    if free.is_some_and(|free| free / WAL_SPACE_FACTOR < wanted) {
        // operator: the disk has less free space than twice `store.wal_mib`. Free space, or lower
        // the key
        tracing::warn!(?free, wanted, "too little free space to preallocate the WAL");
        // The database needs space to grow at the checkpoint: the WAL must not take all of it.
        let share = free.map_or(0, |free| free / (WAL_SPACE_FACTOR * WAL_SPACE_FACTOR));
        checkpoint_at(i64::try_from(share).unwrap_or(bytes))?;
    } else if let Err(error) = grow_wal(connection, bytes) {
        // operator: commits take longer until the WAL has its full size
        tracing::warn!(%error, "preallocating the WAL failed");
        // Frees the space that the WAL has taken.
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    }
    Ok(())
}

/// Writes pages to the WAL and rolls them back. Pages that do not fit into the cache are written
/// before the commit, and after the rollback only their space remains.
fn grow_wal(connection: &Connection, bytes: i64) -> rusqlite::Result<()> {
    // Copies the commits that a crash has left, so that the WAL restarts from its beginning.
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    set_cache_size(connection, FILLING_CACHE_KIB)?;
    let transaction = connection.unchecked_transaction()?;
    transaction.execute_batch("CREATE TABLE filling (bytes BLOB)")?;
    transaction.execute("INSERT INTO filling VALUES (zeroblob(?1))", [bytes])?;
    transaction.rollback()
}

/// Copies the WAL into the database and restarts it with other salts, so that no old frame is taken
/// for a part of it.
pub(super) fn reset_wal(connection: &Connection) -> rusqlite::Result<()> {
    let busy: bool =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy {
        let why = "the WAL cannot be reset while another process reads it".to_owned();
        return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), Some(why)));
    }
    Ok(())
}

/// Returns the version of the schema; 0 if there are no tables.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<usize> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}

/// Runs several reads in one transaction: they see one state of the database, and cost less.
pub(super) fn in_transaction<T>(
    connection: &Connection,
    read: impl FnOnce(&Connection) -> SqlResult<T>,
) -> SqlResult<T> {
    let execute = |statement| connection.prepare_cached(statement)?.execute([]).map(drop);
    execute("BEGIN")?;
    let result = read(connection);
    execute("COMMIT")?;
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::tables;

    #[test]
    fn without_disk_space_the_wal_stays_small_and_the_store_works() {
        let directory = tempfile::tempdir().unwrap();
        let mut connection = Connection::open(directory.path().join("a.db")).unwrap();
        let wal = directory.path().join("a.db-wal");
        configure(&connection).unwrap();
        tables::create(&mut connection).unwrap();
        let pages: i64 =
            connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        connection.pragma_update(None, "max_page_count", pages + 100).unwrap();
        assert!(grow_wal(&connection, 1024 * 1024).is_err());
        preallocate_wal(&connection, 1, &wal).unwrap();
        assert!(connection.is_autocommit(), "the transaction is rolled back");
        assert_eq!(std::fs::metadata(&wal).unwrap().len(), 0, "the space is freed");
        connection.execute("INSERT INTO alive VALUES (1, 2)", []).unwrap();
    }
}
