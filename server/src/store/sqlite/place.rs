//! Whether the store's files are still those at their paths. `SQLite` writes on into a file that
//! was moved, replaced or deleted, and nobody would find those commits again. Once the lock file is
//! gone, another server may use the directory.

use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use super::lock::LockedDatabase;

/// Files by the identity that the file system gives them.
#[derive(Debug)]
pub(super) struct Place {
    files: Vec<(PathBuf, Identity)>,
    _database: Option<LockedDatabase>,
}

/// What tells a file from every other on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    pub(super) inode: u64,
}

impl Place {
    /// Notes which files are at these paths now, and keeps the open database.
    pub(super) fn of<const N: usize>(
        paths: [PathBuf; N],
        database: Option<LockedDatabase>,
    ) -> io::Result<Self> {
        let noted = paths.into_iter().map(|path| Ok((identity(&path)?, path)));
        let files = noted.map(|file| file.map(|(identity, path)| (path, identity)));
        Ok(Self { files: files.collect::<io::Result<_>>()?, _database: database })
    }

    /// Returns the first path at which another file stands, or none.
    pub(super) fn lost(&self) -> Option<&Path> {
        let mut files = self.files.iter();
        let lost = files.find(|(path, noted)| identity(path).ok().as_ref() != Some(noted));
        lost.map(|(path, _)| path.as_path())
    }
}

/// Returns which file is at a path.
pub(super) fn identity(path: &Path) -> io::Result<Identity> {
    fs::metadata(path).map(|file| Identity { device: file.dev(), inode: file.ino() })
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
        let place = Place::of([at("a"), at("b")], None).unwrap();
        fs::write(at("a"), "2").unwrap();
        assert_eq!(place.lost(), None, "the same file with another content");
        fs::rename(at("b"), at("c")).unwrap();
        assert_eq!(place.lost(), Some(&*at("b")));
        fs::write(at("b"), "1").unwrap();
        assert_eq!(place.lost(), Some(&*at("b")), "a copy is another file");
        fs::rename(at("c"), at("b")).unwrap();
        assert_eq!(place.lost(), None);
        fs::remove_file(at("a")).unwrap();
        assert_eq!(place.lost(), Some(&*at("a")));
    }
}
