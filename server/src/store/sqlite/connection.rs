//! How connections open the database: for writing, read-only, or an empty one in memory; their
//! settings; and the tables, which are created in an empty database.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, config::DbConfig, ffi};

use super::{
    errors::OpenError,
    migration::{Versions, application_id, definitions, version},
};
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

/// An empty database in memory, which exists while a connection to it is open.
const EMPTY: &str = "file:adamant-empty?mode=memory&cache=shared";

/// The VFS that keeps the WAL's index in memory instead of a file, for which a full disk has no
/// space. No other process can open the database then.
const EXCLUSIVE_VFS: &str = "unix-excl";

#[derive(Debug, Clone)]
pub(super) enum OpenMode {
    ReadWrite(PathBuf),
    /// Without any change, not even when the last connection closes.
    ReadOnly {
        path: PathBuf,
        exclusive: bool,
    },
    /// An empty database in memory: there is no file, and none can be created.
    Empty,
}

impl OpenMode {
    /// Returns how to read a database, with as little disk space as possible; `None` if there is no
    /// database or it has no tables.
    pub(super) fn read_only(path: &Path) -> rusqlite::Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let way = |exclusive| Self::ReadOnly { path: path.to_owned(), exclusive };
        let version_of = |way: &Self| version(&way.connect()?);
        let shared = way(false);
        let (way, version) = match version_of(&shared) {
            Ok(version) => (shared, version),
            Err(error) => {
                tracing::debug!(%error, "no shared access to the database; opening it exclusively");
                let exclusive = way(true);
                let version = version_of(&exclusive)?;
                (exclusive, version)
            }
        };
        Ok((version > 0).then_some(way))
    }

    pub(super) fn connect(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        match self {
            Self::ReadWrite(path) => {
                let connection = Connection::open(path)?;
                configure(&connection)?;
                Ok(connection)
            }
            Self::ReadOnly { path, exclusive } => {
                let connection = if *exclusive {
                    Connection::open_with_flags_and_vfs(path, flags, EXCLUSIVE_VFS)?
                } else {
                    Connection::open_with_flags(path, flags)?
                };
                configure_read_only(&connection)?;
                Ok(connection)
            }
            Self::Empty => {
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                let mut connection = Connection::open_with_flags(EMPTY, flags)?;
                if version(&connection)? == 0 {
                    create(&mut connection)?;
                }
                configure_read_only(&connection)?;
                Ok(connection)
            }
        }
    }
}

/// Opens a database without changing it. One of an older version is read as a temporary copy, which
/// has the present one.
pub(super) fn open_existing(database: &Path) -> Result<Connection, OpenError> {
    let (connection, is_newest) = open_any(database)?;
    if is_newest { Ok(connection) } else { Versions::known().migrated_copy(database) }
}

/// Opens a database of any version that this server knows, without changing it. Returns whether it
/// is the present one.
pub(super) fn open_any(database: &Path) -> Result<(Connection, bool), OpenError> {
    let Some(mode) = OpenMode::read_only(database)? else {
        let error = io::Error::new(io::ErrorKind::NotFound, "there is no database of a server");
        return Err(OpenError::Directory { path: database.display().to_string(), error });
    };
    let connection = mode.connect()?;
    let is_newest = Versions::known().is_newest(&connection)?;
    Ok((connection, is_newest))
}

/// Creates the tables in a database that is empty, leads older ones to the present version, and
/// refuses one that has others. Returns whether it was empty.
pub(super) fn create_or_migrate(
    connection: &mut Connection,
    directory: &Path,
    without_copy: bool,
) -> Result<bool, OpenError> {
    if is_empty(connection)? {
        create(connection)?;
        return Ok(true);
    }
    Versions::known().migrate(connection, directory, without_copy).map(|()| false)
}

/// Whether a database has no tables, of whatever program.
pub(super) fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(application_id(connection)? == 0 && definitions(connection)?.is_empty())
}

pub(super) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    Versions::known().create(connection)
}

/// Refuses a database whose tables are not those of this server.
pub(super) fn expect(connection: &Connection) -> Result<(), OpenError> {
    if Versions::known().is_newest(connection)? { Ok(()) } else { Err(OpenError::Older) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_disk_space_the_wal_stays_small_and_the_store_works() {
        let directory = tempfile::tempdir().unwrap();
        let mut connection = Connection::open(directory.path().join("a.db")).unwrap();
        let wal = directory.path().join("a.db-wal");
        configure(&connection).unwrap();
        create(&mut connection).unwrap();
        let pages: i64 =
            connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        connection.pragma_update(None, "max_page_count", pages + 100).unwrap();
        assert!(grow_wal(&connection, 1024 * 1024).is_err());
        preallocate_wal(&connection, 1, &wal).unwrap();
        assert!(connection.is_autocommit(), "the transaction is rolled back");
        assert_eq!(std::fs::metadata(&wal).unwrap().len(), 0, "the space is freed");
        connection.execute("INSERT INTO alive VALUES (1, 2)", []).unwrap();
    }

    #[test]
    fn a_database_with_other_tables_is_refused_and_unchanged() {
        let mut foreign = Connection::open_in_memory().unwrap();
        foreign.execute_batch("CREATE TABLE notes (text TEXT); PRAGMA user_version = 1").unwrap();
        let create_or_expect = |connection: &mut Connection| {
            create_or_migrate(connection, Path::new("/nowhere"), false)
        };
        assert!(matches!(create_or_expect(&mut foreign), Err(OpenError::Foreign)));
        assert_eq!(definitions(&foreign).unwrap().len(), 1);
        let mut ours = Connection::open_in_memory().unwrap();
        assert!(create_or_expect(&mut ours).unwrap());
        assert!(!create_or_expect(&mut ours).unwrap());
        for change in [
            "PRAGMA user_version = 19",
            "PRAGMA user_version = 1; ALTER TABLE talk ADD COLUMN more TEXT",
            "DROP TABLE talk; CREATE VIEW talk AS SELECT 1",
        ] {
            ours.execute_batch(change).unwrap();
            let refused = create_or_expect(&mut ours).unwrap_err();
            assert!(matches!(refused, OpenError::OtherTables { .. }), "{change}: {refused}");
        }
    }
}
