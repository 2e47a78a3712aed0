//! Room on a disk, and files that belong to the server alone.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use nix::sys::statvfs::statvfs;

/// The file with which it is tried whether there is room.
const TRIAL_FILE: &str = "adamant.room";

/// How many bytes this process may still write where a directory is; `None` if the system does not
/// say. A quota is not part of it.
pub(crate) fn free_bytes(directory: &Path) -> Option<u64> {
    let found = statvfs(directory).ok()?;
    Some(found.blocks_available() * found.fragment_size())
}

/// Whether a write has failed for want of room: the disk, a quota or the largest size of a file.
pub(crate) fn is_disk_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// Whether so many bytes can be stored in a directory, which is made if need be. They are really
/// written, for nothing else is certain, and taken away again.
pub(crate) fn has_room(directory: &Path, bytes: usize) -> bool {
    let path = directory.join(TRIAL_FILE);
    let tried = make_directory(directory).and_then(|()| {
        let mut file = create_private(&path)?;
        file.write_all(&vec![0; bytes])?;
        file.sync_all()
    });
    // A trial that failed may have left as much as there was room for.
    let removed = fs::remove_file(&path);
    tried.is_ok() && removed.is_ok()
}

/// Makes a directory that is the server's alone, unless it is there.
pub(crate) fn make_directory(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// Makes a file anew that its owner alone may read.
fn create_private(path: &Path) -> io::Result<File> {
    // What a crash has left is not to lend its permissions.
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Where a file is written before it takes its name.
pub(crate) fn draft_of(path: &Path) -> PathBuf {
    let mut draft = path.to_owned();
    draft.add_extension("new");
    draft
}

/// Makes the names in a file's directory durable.
pub(crate) fn sync_directory_of(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
}

/// Writes a file so that after a crash it is there whole or as it was.
pub(crate) fn replace(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let draft = draft_of(path);
    let mut file = create_private(&draft)?;
    file.write_all(text.as_bytes())?;
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    sync_directory_of(path)
}

/// Copies files into a new directory, which has its name only once they are all there and durable.
pub(crate) fn copy_into(directory: &Path, files: &[PathBuf]) -> io::Result<()> {
    let draft = draft_of(directory);
    if let Err(error) = fs::remove_dir_all(&draft)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    make_directory(&draft)?;
    for file in files {
        let Some(name) = file.file_name() else { continue };
        let copy = draft.join(name);
        fs::copy(file, &copy)?;
        File::open(&copy)?.sync_all()?;
    }
    File::open(&draft)?.sync_all()?;
    fs::rename(&draft, directory)?;
    sync_directory_of(directory)
}
