//! How connections open the database: for writing, read-only, or an empty one in memory.

use std::{
    io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags};

use super::{
    connection::{configure, configure_read_only, version},
    open_error::OpenError,
    tables,
};

/// An empty database in memory, which exists while a connection to it is open.
const EMPTY: &str = "file:adamant-empty?mode=memory&cache=shared";

/// The VFS that keeps the WAL's index in memory instead of a file, for which a full disk has no
/// space. No other process can open the database then.
const EXCLUSIVE_VFS: &str = "unix-excl";

/// How a connection opens the database.
#[derive(Debug, Clone)]
pub(super) enum OpenMode {
    /// For reading and writing.
    ReadWrite(PathBuf),
    /// Without any change, not even when the last connection closes.
    ReadOnly {
        /// The database.
        path: PathBuf,
        /// Whether to keep other processes out.
        exclusive: bool,
    },
    /// An empty database in memory: there is no file, and none can be created.
    Empty,
}

impl OpenMode {
    /// Returns how to read a database, with as little disk space as possible; `None` if there is no
    /// database or it has no tables.
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
                tracing::debug!(%error, "no shared access to the database; opening it exclusively");
                let exclusive = way(true);
                let version = version_of(&exclusive)?;
                (exclusive, version)
            }
        };
        Ok((version > 0).then_some(way))
    }

    /// Opens and configures a connection.
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
                    tables::create(&mut connection)?;
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
    tables::expect(&connection)?;
    Ok(connection)
}
