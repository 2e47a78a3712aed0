//! Whether the database was found malformed. From then on nothing is written to it: every commit
//! could destroy more of what a backup does not have.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use rusqlite::ErrorCode;

/// What the writer and the readers know of it until a restart. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Malformed(Arc<AtomicBool>);

impl Malformed {
    pub(super) fn is_known(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Notes an error of the database, if it says so.
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
