//! The lock file, which keeps a data directory to one process.

use std::{
    fs::{File, OpenOptions, TryLockError},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use nix::fcntl::OFlag;

use super::{file_names::LOCK_FILE, open_error::OpenError};

/// The lock on a directory. Dropping it unlocks the directory.
#[derive(Debug)]
pub(super) struct DirectoryLock(File);

impl DirectoryLock {
    /// Locks a directory, or returns [`OpenError::InUse`].
    pub(super) fn acquire(directory: &Path) -> Result<Self, OpenError> {
        let path = directory.display().to_string();
        // Follows no symbolic link, and truncates nothing.
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
    /// Unlocks explicitly: closing the file does not unlock it while a forked child process has not
    /// yet run its own program, because the child shares the open file.
    fn drop(&mut self) {
        // If this fails, the end of the process unlocks the directory.
        drop(self.0.unlock());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_lock_is_free_even_if_a_child_process_shares_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let held = DirectoryLock::acquire(directory.path()).unwrap();
        assert!(matches!(DirectoryLock::acquire(directory.path()), Err(OpenError::InUse { .. })));
        // A duplicate of the open file, as a forked child has it.
        let inherited = held.0.try_clone().unwrap();
        drop(held);
        DirectoryLock::acquire(directory.path()).unwrap();
        drop(inherited);
    }
}
