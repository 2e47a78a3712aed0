//! Where connections to the store lead, and what they may do there.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::migrations;

/// An empty store in memory, for as long as a connection to it is open.
const EMPTY: &str = "file:adamant-empty?mode=memory&cache=shared";

/// Keeps what readers share about the log in memory and not in a file, for which there may be no
/// room. Then no other process can open the database.
const ALONE: &str = "unix-excl";

/// What connections are opened to.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// A database that may be written.
    File(PathBuf),
    /// One that must not change by what this process does, not even when it ends.
    Untouched {
        /// Which.
        path: PathBuf,
        /// Whether no other process need open it.
        alone: bool,
    },
    /// None: there is no database yet, and none can be made.
    Empty,
}

impl Source {
    /// The way to read a database, with as little need for room as it takes; `None` if there is none,
    /// or there are no tables in it yet.
    pub(super) fn untouched(path: &Path) -> rusqlite::Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let way = |alone| Self::Untouched { path: path.to_owned(), alone };
        let version = |way: &Self| migrations::version(&way.connect()?);
        let shared = way(false);
        let (way, version) = match version(&shared) {
            Ok(version) => (shared, version),
            Err(error) => {
                tracing::debug!(%error, "the database cannot be read beside other processes");
                let alone = way(true);
                let version = version(&alone)?;
                (alone, version)
            }
        };
        Ok((version > 0).then_some(way))
    }

    /// Opens a connection.
    pub(super) fn connect(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        match self {
            Self::File(path) => {
                let connection = Connection::open(path)?;
                migrations::prepare(&connection)?;
                Ok(connection)
            }
            Self::Untouched { path, alone } => {
                let connection = if *alone {
                    Connection::open_with_flags_and_vfs(path, flags, ALONE)?
                } else {
                    Connection::open_with_flags(path, flags)?
                };
                migrations::prepare_to_read(&connection)?;
                Ok(connection)
            }
            Self::Empty => {
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                let mut connection = Connection::open_with_flags(EMPTY, flags)?;
                if migrations::version(&connection)? == 0 {
                    migrations::make(&mut connection)?;
                }
                migrations::prepare_to_read(&connection)?;
                Ok(connection)
            }
        }
    }
}
