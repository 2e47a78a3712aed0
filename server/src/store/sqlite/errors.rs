//! Conversions of `SQLite`'s errors into the store's.

use rusqlite::{ErrorCode, ffi};

use crate::store::{StoreError, sql::SqlError};

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

/// Converts any other error.
pub(super) fn store_error(error: &rusqlite::Error) -> StoreError {
    StoreError::Failed(error.to_string().into())
}
