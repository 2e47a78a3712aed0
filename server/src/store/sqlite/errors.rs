//! What the errors of `SQLite` mean: why a database cannot be opened, and whether it was found
//! malformed.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

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
    OtherTables { found: i32, known: i32 },
    #[error("{path}: {error}")]
    Wal { path: String, error: std::io::Error },
    #[error("the WAL is damaged: {0}")]
    Damaged(Loss),
    #[error("the store cannot be opened: {0}")]
    Database(#[from] rusqlite::Error),
    #[error("the store cannot be read: {0}")]
    Unreadable(String),
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

/// What the writer and the readers know of it until a restart. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Malformed(Arc<AtomicBool>);

impl Malformed {
    pub(super) fn is_known(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn note(&self, error: &rusqlite::Error) {
        let codes = [ErrorCode::DatabaseCorrupt, ErrorCode::NotADatabase];
        let is_malformed = error.sqlite_error_code().is_some_and(|code| codes.contains(&code));
        if is_malformed && !self.0.swap(true, Ordering::Relaxed) {
            // operator: SQLite found the file malformed. `/readyz` answers 503 until a restart;
            // restore a backup
            tracing::error!(%error, "the database is malformed: nothing is stored any more");
        }
    }
}
