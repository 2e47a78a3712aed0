//! Names of files in the data directory.

/// The database.
pub(super) const DATABASE_FILE: &str = "adamant.db";
/// The file that a server locks.
pub(super) const LOCK_FILE: &str = "adamant.lock";
/// SQLite's write-ahead log: commits that have not been copied into the database.
pub(super) const WAL_FILE: &str = "adamant.db-wal";
