//! Why a database cannot be opened.

use rusqlite::{ErrorCode, ffi};

use super::wal::Loss;
use crate::{runtime::files, store::sql::SqlError};

/// Why a database cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The directory or the lock file cannot be used.
    #[error("{path}: {error}")]
    Directory {
        /// The directory or file.
        path: String,
        /// The operating system's error.
        error: std::io::Error,
    },
    /// Another server holds the directory's lock.
    #[error("{path} is in use by another server")]
    InUse {
        /// The directory.
        path: String,
    },
    /// The database belongs to another program.
    #[error("adamant.db is not a database of this server: give another directory as --data")]
    Foreign,
    /// The database has the tables of another version.
    #[error(
        "adamant.db has tables of another version ({found}; this server has {known}): use the \
         server that made it, or give another directory as --data"
    )]
    OtherTables {
        /// The database's version.
        found: i32,
        /// The version of this server.
        known: i32,
    },
    /// The WAL cannot be read or copied.
    #[error("{path}: {error}")]
    Wal {
        /// The WAL.
        path: String,
        /// The operating system's error.
        error: std::io::Error,
    },
    /// The WAL is damaged: acknowledged commits are lost.
    #[error("the WAL is damaged: {0}")]
    Damaged(Loss),
    /// The file is damaged, or is not a database.
    #[error("the store cannot be opened: {0}")]
    Database(#[from] rusqlite::Error),
    /// A row has a value that the server cannot read.
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
    /// Whether the disk is full.
    pub(crate) fn is_disk_full(&self) -> bool {
        match self {
            Self::Directory { error, .. } | Self::Wal { error, .. } => files::is_disk_full(error),
            Self::Database(error) => error.sqlite_error().is_some_and(|error| {
                error.code == ErrorCode::DiskFull
                    || [ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_IOERR_SHMSIZE]
                        .contains(&error.extended_code)
            }),
            Self::InUse { .. }
            | Self::Foreign
            | Self::OtherTables { .. }
            | Self::Damaged(_)
            | Self::Unreadable(_) => false,
        }
    }
}
