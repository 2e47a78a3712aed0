//! Why a database cannot be opened.

use rusqlite::{ErrorCode, ffi};

use super::wal::Loss;
use crate::runtime::files;

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
    /// The database belongs to another program, or was made by a version before the first release.
    #[error(
        "adamant.db is not a database of this version of the server: give another directory as --data"
    )]
    Foreign,
    /// A newer server has migrated the database.
    #[error("the store has version {found}, this server knows versions up to {known}")]
    Newer {
        /// The database's version.
        found: usize,
        /// The newest version that this server knows.
        known: usize,
    },
    /// The database has not been migrated to this server's version.
    #[error(
        "the store has version {found}, not {known}: start the server once to bring it up to date"
    )]
    Older {
        /// The database's version.
        found: usize,
        /// The version that this server knows.
        known: usize,
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
            | Self::Newer { .. }
            | Self::Older { .. }
            | Self::Damaged(_) => false,
        }
    }
}
