//! Whether the store's files are still those at their paths. `SQLite` writes on into a file that
//! was moved, replaced or deleted, and nobody would find those commits again. Once the lock file is
//! gone or has another server's mark, another server may use the directory.

use std::{
    fmt, fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use super::lock::{LockedDatabase, Mark};

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

/// Why nothing more may be stored.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lost<'a> {
    /// Another file or none is at this path.
    File(&'a Path),
    /// Another server has started on the directory.
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

/// Returns which file is at a path.
pub(super) fn identity(path: &Path) -> io::Result<Identity> {
    fs::metadata(path).map(|file| Identity { device: file.dev(), inode: file.ino() })
}

#[cfg(test)]
mod tests {
    use super::{super::lock::DirectoryLock, *};

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
}
