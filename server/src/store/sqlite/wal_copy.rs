//! Copies a damaged WAL before anything overwrites it.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    file_names::{DATABASE_FILE, WAL_FILE},
    wal,
};
use crate::runtime::files;

/// Copies the WAL and the database into a directory that is named after the WAL's generation,
/// unless it exists.
pub(super) fn copy_aside(directory: &Path) -> io::Result<PathBuf> {
    let files = [directory.join(WAL_FILE), directory.join(DATABASE_FILE)];
    let generation = wal::generation(&files[0])?.unwrap_or_default();
    let aside = directory.join(format!("damaged-{generation}"));
    if !aside.try_exists()? {
        files::copy_into(&aside, &files)?;
    }
    Ok(aside)
}
