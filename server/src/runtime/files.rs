//! Free disk space, and files that only the server's user may read.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use nix::sys::{
    statfs::{OVERLAYFS_SUPER_MAGIC, statfs},
    statvfs::statvfs,
};

/// File that tests whether there is free space.
const TRIAL_FILE: &str = "adamant.room";

/// Returns the free space of a directory's disk in bytes; `None` if the system does not report it.
/// Ignores quotas.
pub(crate) fn free_bytes(directory: &Path) -> Option<u64> {
    let found = statvfs(directory).ok()?;
    Some(found.blocks_available() * found.fragment_size())
}

/// Whether a path lies in the layers of a container.
pub(crate) fn is_layered(path: &Path) -> bool {
    statfs(path).is_ok_and(|found| found.filesystem_type() == OVERLAYFS_SUPER_MAGIC)
}

/// Whether a write failed because the disk is full, or a quota or the maximum file size is reached.
pub(crate) fn is_disk_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// Whether this many bytes can be stored in a directory, which is created if it does not exist.
/// Writes and deletes them, because nothing else is certain.
pub(crate) fn has_free_space(directory: &Path, bytes: usize) -> bool {
    let path = directory.join(TRIAL_FILE);
    let tried = create_private_directory(directory).and_then(|()| {
        let mut file = create_private(&path)?;
        file.write_all(&vec![0; bytes])?;
        file.sync_all()
    });
    // A failed write may have left a part of the file.
    let removed = fs::remove_file(&path);
    tried.is_ok() && removed.is_ok()
}

/// Creates a directory that only its owner may enter, if it does not exist.
pub(crate) fn create_private_directory(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// Creates a new file that only its owner may read. Deletes an existing one.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    // A file that a crash has left may have other permissions.
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Returns the path under which a file is written before it is renamed.
pub(crate) fn temporary_path(path: &Path) -> PathBuf {
    let mut temporary = path.to_owned();
    temporary.add_extension("new");
    temporary
}

/// Syncs the directory of a file, so that its name is durable.
pub(crate) fn sync_parent_directory(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
}

/// Replaces a file; after a crash it has the whole new text or the old one.
pub(crate) fn replace_atomically(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let temporary = temporary_path(path);
    let mut file = create_private(&temporary)?;
    file.write_all(text.as_bytes())?;
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    sync_parent_directory(path)
}

/// Copies files into a new directory, which gets its name once all copies are durable.
pub(crate) fn copy_into(directory: &Path, files: &[PathBuf]) -> io::Result<()> {
    let temporary = temporary_path(directory);
    if let Err(error) = fs::remove_dir_all(&temporary)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    create_private_directory(&temporary)?;
    for file in files {
        let Some(name) = file.file_name() else { continue };
        let copy = temporary.join(name);
        fs::copy(file, &copy)?;
        File::open(&copy)?.sync_all()?;
    }
    File::open(&temporary)?.sync_all()?;
    fs::rename(&temporary, directory)?;
    sync_parent_directory(directory)
}
