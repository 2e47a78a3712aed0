//! The locks that keep a data directory to one process. One is on the lock file. The other is on
//! the database, which a hard link or another mount can reach beside another lock file.
//!
//! A file in the top layer of a container has locks of its own there: they keep nobody out who
//! opens the layer itself. Therefore each server writes a mark into the lock file, and finds there
//! that another one has come after it.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::Path,
    sync::Arc,
};

use nix::fcntl::OFlag;
use rand::RngExt as _;

use super::{
    file_names::{DATABASE_FILE, LOCK_FILE},
    open_error::OpenError,
};
use crate::runtime::entropy::Entropy;

/// The locks on a directory. Dropping it unlocks the directory.
#[derive(Debug)]
pub(super) struct DirectoryLock {
    lock_file: File,
    database: Option<LockedDatabase>,
}

/// The open database. Whoever has a connection keeps it: when a process closes any descriptor of a
/// file, it loses the locks that `SQLite` has on that file.
pub(super) type LockedDatabase = Arc<File>;

/// The mark of this server in the lock file.
#[derive(Debug)]
pub(super) struct Mark {
    lock_file: File,
    text: String,
}

impl Mark {
    /// Whether no other server has written its mark since.
    pub(super) fn stands(&self) -> bool {
        let mut found = vec![0; self.text.len()];
        let read = self.lock_file.read_exact_at(&mut found, 0);
        read.is_ok() && found == self.text.as_bytes()
    }
}

impl DirectoryLock {
    /// Locks a directory with its database, if it has one.
    ///
    /// # Errors
    ///
    /// [`OpenError::InUse`] if another process has locked one of them.
    pub(super) fn acquire(directory: &Path) -> Result<Self, OpenError> {
        // Follows no symbolic link, and truncates nothing.
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        options.custom_flags(OFlag::O_NOFOLLOW.bits());
        let lock_file = lock(directory, LOCK_FILE, &options)?;
        let database = lock(directory, DATABASE_FILE, OpenOptions::new().read(true));
        let database = match database {
            Ok(file) => Some(Arc::new(file)),
            Err(OpenError::Directory { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
                None
            }
            Err(error) => return Err(error),
        };
        Ok(Self { lock_file, database })
    }

    /// Locks a directory whose database may not exist yet: creates an empty file for it.
    pub(super) fn with_database(mut self, directory: &Path) -> Result<Self, OpenError> {
        if self.database.is_none() {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true).mode(0o600);
            self.database = Some(Arc::new(lock(directory, DATABASE_FILE, &options)?));
        }
        Ok(self)
    }

    /// Writes a mark of this server into the lock file, before it reads anything.
    pub(super) fn mark(&self) -> io::Result<Mark> {
        let text = format!("{:032x}\n", Entropy::System.random::<u128>());
        self.lock_file.write_all_at(text.as_bytes(), 0)?;
        Ok(Mark { lock_file: self.lock_file.try_clone()?, text })
    }

    /// The open database, or none if there was no file.
    pub(super) fn database(&self) -> Option<LockedDatabase> {
        self.database.clone()
    }
}

/// Opens and locks a file.
fn lock(directory: &Path, name: &str, options: &OpenOptions) -> Result<File, OpenError> {
    let path = directory.display().to_string();
    match options.open(directory.join(name)).map(|file| (file.try_lock(), file)) {
        Ok((Ok(()), file)) => Ok(file),
        Ok((Err(TryLockError::WouldBlock), _)) => Err(OpenError::InUse { path }),
        Ok((Err(TryLockError::Error(error)), _)) | Err(error) => {
            Err(OpenError::Directory { path, error })
        }
    }
}

impl Drop for DirectoryLock {
    /// Unlocks explicitly: closing a file does not unlock it while a forked child process has not
    /// yet run its own program, because the child shares the open file.
    fn drop(&mut self) {
        // If this fails, the end of the process unlocks the directory.
        drop(self.database.as_ref().map(|file| file.unlock()));
        drop(self.lock_file.unlock());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_lock_is_free_even_if_a_child_process_shares_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let acquire = || DirectoryLock::acquire(directory.path());
        let held = acquire().unwrap().with_database(directory.path()).unwrap();
        assert!(matches!(acquire(), Err(OpenError::InUse { .. })));
        // Duplicates of the open files, as a forked child has them.
        let inherited = (held.lock_file.try_clone().unwrap(), held.database());
        drop(held);
        acquire().unwrap();
        drop(inherited);
    }
}
