//! The files of a data directory, and the locks that keep it to one process.
//!
//! One lock is on the lock file. The other is on the database, which a hard link or another mount
//! can reach beside another lock file. A file in the top layer of a container has locks of its own
//! there: they keep nobody out who opens the layer itself. Therefore each server writes a mark into
//! the lock file, and finds there that another one has come after it.
//!
//! `SQLite` writes on into a file that was moved, replaced or deleted, and nobody would find those
//! commits again. Once the lock file is gone or has another server's mark, another server may use
//! the directory.

use std::{
    fmt,
    fs::{self, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use nix::fcntl::OFlag;
use rand::RngExt as _;
use rusqlite::{Connection, OptionalExtension as _};

use super::errors::OpenError;
use crate::runtime::{entropy::Entropy, files};

pub(super) const DATABASE_FILE: &str = "adamant.db";
pub(super) const LOCK_FILE: &str = "adamant.lock";
/// SQLite's write-ahead log: commits that have not been copied into the database.
pub(super) const WAL_FILE: &str = "adamant.db-wal";
/// An empty file as old as the last good backup.
pub(crate) const LAST_BACKUP_FILE: &str = "last-backup";

/// Files by the identity that the file system gives them.
#[derive(Debug)]
pub(super) struct Place {
    files: Vec<(PathBuf, Identity)>,
    mark: Option<Mark>,
    _database: Option<LockedDatabase>,
}

/// What tells a file from every other on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    pub(super) inode: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lost<'a> {
    File(&'a Path),
    Taken,
}

impl fmt::Display for Lost<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(
                f,
                "{} was moved, replaced or deleted: nothing is stored until it is back or the \
                 server restarts",
                path.display()
            ),
            Self::Taken => {
                f.write_str("another server has started on the data directory: nothing is stored")
            }
        }
    }
}

impl Place {
    /// Notes which files are at these paths now, and keeps the open database.
    pub(super) fn of<const N: usize>(
        paths: [PathBuf; N],
        mark: Option<Mark>,
        database: Option<LockedDatabase>,
    ) -> io::Result<Self> {
        let noted = paths.into_iter().map(|path| Ok((identity(&path)?, path)));
        let files = noted.map(|file| file.map(|(identity, path)| (path, identity)));
        Ok(Self { files: files.collect::<io::Result<_>>()?, mark, _database: database })
    }

    /// Returns why nothing more may be stored, or none.
    pub(super) fn lost(&self) -> Option<Lost<'_>> {
        let mut files = self.files.iter();
        let lost = files.find(|(path, noted)| identity(path).ok().as_ref() != Some(noted));
        let is_taken = || self.mark.as_ref().is_some_and(|mark| !mark.stands());
        let lost = lost.map(|(path, _)| Lost::File(path));
        lost.or_else(|| is_taken().then_some(Lost::Taken))
    }
}

pub(super) fn identity(path: &Path) -> io::Result<Identity> {
    fs::metadata(path).map(|file| Identity { device: file.dev(), inode: file.ino() })
}

#[derive(Debug)]
pub(super) struct DirectoryLock {
    lock_file: File,
    database: Option<LockedDatabase>,
}

/// The open database. Whoever has a connection keeps it: when a process closes any descriptor of a
/// file, it loses the locks that `SQLite` has on that file.
pub(super) type LockedDatabase = Arc<File>;

/// A number in hexadecimal digits, and the end of its line.
const MARK_BYTES: usize = 33;

#[derive(Debug)]
pub(super) struct Mark {
    lock_file: File,
    text: String,
}

impl Mark {
    /// Whether no other server has written its mark since.
    pub(super) fn stands(&self) -> bool {
        let mut found = [0; MARK_BYTES];
        let read = self.lock_file.read_exact_at(&mut found, 0);
        read.is_ok() && found == *self.text.as_bytes()
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
            options.read(true).write(true).create_new(true).mode(0o600);
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

    pub(super) fn database(&self) -> Option<LockedDatabase> {
        self.database.clone()
    }
}

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

/// What a file keeps when the machine starts again, and a copy does not have: its number, but not
/// that of its device. In the layers of a container a copy has the number of the original, so that
/// a number counts as negative there.
pub(super) fn number(file: &Path) -> io::Result<i64> {
    let inode = identity(file)?.inode.cast_signed();
    Ok(if files::is_layered(file) { -inode } else { inode })
}

/// Notes the number of the database's file. Returns whether it was another one at the last start:
/// then the database is a copy, and whoever has the original may have gone on with the same games.
pub(super) fn move_in(connection: &Connection, number: i64) -> rusqlite::Result<bool> {
    let known: Option<i64> =
        connection.query_row("SELECT inode FROM home", [], |row| row.get(0)).optional()?;
    if known != Some(number) {
        let note = "INSERT OR REPLACE INTO home (one, inode) VALUES (1, ?1)";
        connection.execute(note, [number])?;
    }
    Ok(known.is_some_and(|known| known != number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_moved_replaced_or_deleted_is_lost_until_it_is_back() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("a"), "1").unwrap();
        fs::write(at("b"), "1").unwrap();
        let place = Place::of([at("a"), at("b")], None, None).unwrap();
        fs::write(at("a"), "2").unwrap();
        assert_eq!(place.lost(), None, "the same file with another content");
        fs::rename(at("b"), at("c")).unwrap();
        assert_eq!(place.lost(), Some(Lost::File(&at("b"))));
        fs::write(at("b"), "1").unwrap();
        assert_eq!(place.lost(), Some(Lost::File(&at("b"))), "a copy is another file");
        fs::rename(at("c"), at("b")).unwrap();
        assert_eq!(place.lost(), None);
        fs::remove_file(at("a")).unwrap();
        assert_eq!(place.lost(), Some(Lost::File(&at("a"))));
    }

    #[test]
    fn a_directory_is_taken_once_another_server_has_written_its_mark() {
        let directory = tempfile::tempdir().unwrap();
        let mark = || DirectoryLock::acquire(directory.path()).unwrap().mark().unwrap();
        let place = Place::of([], Some(mark()), None).unwrap();
        assert_eq!(place.lost(), None);
        mark();
        assert_eq!(place.lost(), Some(Lost::Taken));
    }

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
