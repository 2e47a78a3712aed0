//! Copies the database as it is at one moment. The copy receives its name after it is checked.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use rusqlite::params;

use super::{
    check::{check_games, check_wal},
    open_error::OpenError,
    open_mode::open_existing,
};
use crate::{
    runtime::files,
    store::check_report::{CheckStep, IntegrityReport, Progress},
};

/// A finished copy.
#[derive(Debug)]
pub(crate) struct BackupReport {
    /// The copy: the target, or `TARGET.damaged` if the check found anything.
    pub path: PathBuf,
    /// The result of the check.
    pub report: IntegrityReport,
}

/// Copies a database to a file that does not exist yet. A server may be running: the copy does not
/// take its lock. A damaged copy is kept as `TARGET.damaged`.
pub(crate) fn copy(
    database: &Path,
    target: &Path,
    progress: &mut Progress<'_>,
) -> Result<BackupReport, OpenError> {
    let failed =
        |path: &Path, error| OpenError::Directory { path: path.display().to_string(), error };
    let target = std::path::absolute(target).map_err(|error| failed(target, error))?;
    expect_free(&target).map_err(|error| failed(&target, error))?;
    let draft = files::temporary_path(&target);
    make_draft(&draft).map_err(|error| failed(&draft, error))?;
    let copied = fill(database, &draft, progress).and_then(|report| {
        let path = if report.found == 0 { target } else { damaged(&target) };
        finish(&draft, &path).map_err(|error| failed(&path, error))?;
        Ok(BackupReport { path, report })
    });
    if copied.is_err() {
        // If the file cannot be removed, the next backup reports it.
        drop(fs::remove_file(&draft));
    }
    copied
}

/// Returns the name of a damaged copy.
fn damaged(target: &Path) -> PathBuf {
    let mut path = target.to_owned();
    path.add_extension("damaged");
    path
}

fn expect_free(path: &Path) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        let why = "this file exists already; a backup overwrites nothing";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
    }
    Ok(())
}

/// Creates the empty file for the copy. Two backups never write the same one.
fn make_draft(draft: &Path) -> io::Result<()> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(draft);
    made.map(drop).map_err(|error| {
        if error.kind() != io::ErrorKind::AlreadyExists {
            return error;
        }
        let why = "another backup is being written here, or one was stopped: then remove it";
        io::Error::new(error.kind(), why)
    })
}

fn fill(
    database: &Path,
    draft: &Path,
    progress: &mut Progress<'_>,
) -> Result<IntegrityReport, OpenError> {
    let mut report = IntegrityReport::default();
    progress(CheckStep::Copy, 0, 0);
    check_wal(database, &mut report)?;
    let source = open_existing(database)?;
    let name = draft.to_str().ok_or_else(|| rusqlite::Error::InvalidPath(draft.to_owned()))?;
    // `query_only` forbids writes to other files, too.
    source.pragma_update(None, "query_only", "OFF")?;
    source.execute("VACUUM INTO ?1", params![name])?;
    drop(source);
    check_games(&open_existing(draft)?, &mut report, progress);
    Ok(report)
}

/// Renames a copy durably.
fn finish(draft: &Path, path: &Path) -> io::Result<()> {
    File::open(draft)?.sync_all()?;
    fs::rename(draft, path)?;
    files::sync_parent_directory(path)
}
