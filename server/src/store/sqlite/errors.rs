//! What the errors of `SQLite` mean, and why a database cannot be opened.

use rusqlite::{ErrorCode, ffi};

use super::wal::Loss;
use crate::{
    runtime::files,
    store::{StoreError, sql::SqlError},
};

/// Converts the error of a commit. If a write to the WAL failed, the end of the transaction is not
/// in it, and the transaction is certainly lost. After other errors, such as a failed sync, the
/// whole transaction may be in the WAL, and a restart may find it.
pub(super) fn commit_error(error: SqlError) -> StoreError {
    let is_read_only = |error: &rusqlite::Error| {
        error.sqlite_error().is_some_and(|error| {
            error.code == ErrorCode::DiskFull || error.extended_code == ffi::SQLITE_IOERR_WRITE
        })
    };
    match &error {
        SqlError::Sqlite(cause) if is_read_only(cause) => StoreError::ReadOnly,
        SqlError::Sqlite(_) | SqlError::Postgres(_) | SqlError::Unreadable(_) => error.into(),
    }
}

pub(super) fn store_error(error: &rusqlite::Error) -> StoreError {
    StoreError::Failed(error.to_string().into())
}

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{path}: {error}")]
    Directory { path: String, error: std::io::Error },
    #[error("{path} is in use by another server")]
    InUse { path: String },
    #[error("adamant.db is not a database of this server: give another directory as --data")]
    Foreign,
    #[error(
        "adamant.db has tables of another version ({found}; this server has {known}): use the \
         server that made it, or give another directory as --data"
    )]
    OtherTables { found: usize, known: usize },
    #[error("adamant.db has tables of an earlier version: start this server on it once")]
    Older,
    #[error(
        "adamant.db has tables of an earlier version, and {path} has {free_mib} MiB free of the \
         {needed_mib} MiB that a copy before the migration needs: free space, or start once with \
         --migrate-without-copy"
    )]
    NoSpaceForCopy { path: String, needed_mib: u64, free_mib: u64 },
    #[error("{path}: {error}")]
    Wal { path: String, error: std::io::Error },
    #[error("the WAL is damaged: {0}")]
    Damaged(Loss),
    #[error("the store is damaged: {0}")]
    Found(String),
    #[error(
        "{path} has a signing key and no database: bring the database back, such as by mounting \
         its volume, or start once with --new-database"
    )]
    NoDatabase { path: String },
    #[error("the store cannot be opened: {0}{advice}", advice = advice(.0))]
    Database(#[from] rusqlite::Error),
    #[error("the store cannot be read: {0}")]
    Unreadable(String),
}

/// What to do about a database that cannot even be read.
fn advice(error: &rusqlite::Error) -> &'static str {
    if is_malformed(error) {
        ": restore a backup, or rescue what is whole with `adamant-server salvage`"
    } else {
        ""
    }
}

impl From<SqlError> for OpenError {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::Sqlite(error) => Self::Database(error),
            SqlError::Postgres(_) | SqlError::Unreadable(_) => Self::Unreadable(error.to_string()),
        }
    }
}

impl OpenError {
    pub(crate) fn is_malformed(&self) -> bool {
        matches!(self, Self::Database(error) if is_malformed(error))
    }

    pub(crate) fn is_disk_full(&self) -> bool {
        match self {
            Self::Directory { error, .. } | Self::Wal { error, .. } => files::is_disk_full(error),
            Self::Database(error) => error.sqlite_error().is_some_and(|error| {
                error.code == ErrorCode::DiskFull
                    || [ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_IOERR_SHMSIZE]
                        .contains(&error.extended_code)
            }),
            _ => false,
        }
    }
}

/// Whether `SQLite` has found the file itself wrong.
pub(super) fn is_malformed(error: &rusqlite::Error) -> bool {
    let codes = [ErrorCode::DatabaseCorrupt, ErrorCode::NotADatabase];
    error.sqlite_error_code().is_some_and(|code| codes.contains(&code))
}
