//! The lock on a data directory, by which one process holds it.

use std::{
    fs::{File, OpenOptions, TryLockError},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use nix::fcntl::OFlag;

use super::open_error::OpenError;

/// The file that is locked while a server holds the directory.
const LOCK_FILE: &str = "adamant.lock";

/// A directory that is held as long as this lives.
#[derive(Debug)]
pub(super) struct DirectoryLock(File);

impl DirectoryLock {
    /// Takes a directory for oneself, or says that another has it.
    pub(super) fn acquire(directory: &Path) -> Result<Self, OpenError> {
        let path = directory.display().to_string();
        // A link laid in its place is not followed, and what it is is not emptied.
        let opened = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(OFlag::O_NOFOLLOW.bits())
            .open(directory.join(LOCK_FILE));
        match opened.map(|file| (file.try_lock(), file)) {
            Ok((Ok(()), file)) => Ok(Self(file)),
            Ok((Err(TryLockError::WouldBlock), _)) => Err(OpenError::InUse { path }),
            Ok((Err(TryLockError::Error(error)), _)) | Err(error) => {
                Err(OpenError::Directory { path, error })
            }
        }
    }
}

impl Drop for DirectoryLock {
    /// Closing the file would do only if nobody shared it. A process that is being started does,
    /// until it runs its own program.
    fn drop(&mut self) {
        // What cannot be unlocked is unlocked at the end of the process.
        drop(self.0.unlock());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_free_once_it_is_let_go_whoever_shares_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let held = DirectoryLock::acquire(directory.path()).unwrap();
        assert!(matches!(DirectoryLock::acquire(directory.path()), Err(OpenError::InUse { .. })));
        // The same open file again, as a process has it that is just being started.
        let inherited = held.0.try_clone().unwrap();
        drop(held);
        DirectoryLock::acquire(directory.path()).unwrap();
        drop(inherited);
    }
}
