//! Why a task of the operator failed.

use std::{io, path::Path};

use crate::{
    signing::SigningError,
    store::{PostgresError, StoreError, sqlite::OpenError},
};

/// Why a task on a data directory failed.
#[derive(Debug, thiserror::Error)]
pub enum MaintenanceError {
    /// The database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// The cause.
        error: io::Error,
    },
    /// The database cannot be opened.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The public keys cannot be read or written.
    #[error(transparent)]
    Signing(#[from] SigningError),
    /// The database has users or games.
    #[error("the database is not empty: create a new one, and import into that")]
    NotEmpty,
    /// A node has used the database a moment ago.
    #[error("node {node} uses the database: stop all nodes first")]
    InUse {
        /// The node.
        node: String,
    },
    /// Another server's key is beside the backup.
    #[error("{path} is not this server's key: move it away, or back up to another directory")]
    OtherKey {
        /// The file.
        path: String,
    },
}

impl MaintenanceError {
    pub(super) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::File { path: path.display().to_string(), error }
    }
}
