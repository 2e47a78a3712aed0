//! A damaged log, kept as it was found: nothing of it is written over before there is a copy.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    file_names::{DATABASE_FILE, WAL_FILE},
    wal,
};
use crate::runtime::files;

/// Copies the log and its database into a directory beside them that is named after the log's
/// generation, unless they are there already.
pub(super) fn keep(directory: &Path) -> io::Result<PathBuf> {
    let files = [directory.join(WAL_FILE), directory.join(DATABASE_FILE)];
    let generation = wal::generation(&files[0])?.unwrap_or_default();
    let aside = directory.join(format!("damaged-{generation}"));
    if !aside.try_exists()? {
        files::copy_into(&aside, &files)?;
    }
    Ok(aside)
}
