//! Where connections to the store lead, and what they may do there.

use std::{
    io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags};

use super::{
    connection::{configure, configure_read_only, version},
    migrations,
    open_error::OpenError,
};

/// An empty store in memory, for as long as a connection to it is open.
const EMPTY: &str = "file:adamant-empty?mode=memory&cache=shared";

/// Keeps what readers share about the log in memory and not in a file, for which there may be no
/// room. Then no other process can open the database.
const EXCLUSIVE_VFS: &str = "unix-excl";

/// What connections are opened to.
#[derive(Debug, Clone)]
pub(super) enum OpenMode {
    /// A database that may be written.
    ReadWrite(PathBuf),
    /// One that must not change by what this process does, not even when it ends.
    ReadOnly {
        /// Which.
        path: PathBuf,
        /// Whether no other process need open it.
        exclusive: bool,
    },
    /// None: there is no database yet, and none can be made.
    Empty,
}

impl OpenMode {
    /// The way to read a database, with as little need for room as it takes; `None` if there is none,
    /// or there are no tables in it yet.
    pub(super) fn read_only(path: &Path) -> rusqlite::Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let way = |exclusive| Self::ReadOnly { path: path.to_owned(), exclusive };
        let version_of = |way: &Self| version(&way.connect()?);
        let shared = way(false);
        let (way, version) = match version_of(&shared) {
            Ok(version) => (shared, version),
            Err(error) => {
                tracing::debug!(%error, "the database cannot be read beside other processes");
                let exclusive = way(true);
                let version = version_of(&exclusive)?;
                (exclusive, version)
            }
        };
        Ok((version > 0).then_some(way))
    }

    /// Opens a connection.
    pub(super) fn connect(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        match self {
            Self::ReadWrite(path) => {
                let connection = Connection::open(path)?;
                configure(&connection)?;
                Ok(connection)
            }
            Self::ReadOnly { path, exclusive } => {
                let connection = if *exclusive {
                    Connection::open_with_flags_and_vfs(path, flags, EXCLUSIVE_VFS)?
                } else {
                    Connection::open_with_flags(path, flags)?
                };
                configure_read_only(&connection)?;
                Ok(connection)
            }
            Self::Empty => {
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                let mut connection = Connection::open_with_flags(EMPTY, flags)?;
                if version(&connection)? == 0 {
                    migrations::create(&mut connection)?;
                }
                configure_read_only(&connection)?;
                Ok(connection)
            }
        }
    }
}

/// Opens a database of this server's version without changing it.
pub(super) fn open_existing(database: &Path) -> Result<Connection, OpenError> {
    let Some(mode) = OpenMode::read_only(database)? else {
        let error = io::Error::new(io::ErrorKind::NotFound, "there is no database of a server");
        return Err(OpenError::Directory { path: database.display().to_string(), error });
    };
    let connection = mode.connect()?;
    migrations::expect_current(&connection)?;
    Ok(connection)
}
