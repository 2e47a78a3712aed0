//! Conversions of `SQLite`'s errors into the store's.

use rusqlite::{ErrorCode, ffi};

use crate::store::StoreError;

/// Converts the error of a commit. If a write to the WAL failed, the end of the transaction is not
/// in it, and the transaction is certainly lost. After other errors, such as a failed sync, the
/// whole transaction may be in the WAL, and a restart may find it.
pub(super) fn commit_error(error: &rusqlite::Error) -> StoreError {
    let is_read_only = error.sqlite_error().is_some_and(|error| {
        error.code == ErrorCode::DiskFull || error.extended_code == ffi::SQLITE_IOERR_WRITE
    });
    if is_read_only { StoreError::ReadOnly } else { store_error(error) }
}

/// Converts any other error.
pub(super) fn store_error(error: &rusqlite::Error) -> StoreError {
    StoreError::Failed(error.to_string().into())
}
