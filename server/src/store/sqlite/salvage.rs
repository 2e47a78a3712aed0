//! A damaged store as the source of a rescue. All is read from a copy, so that nothing in the
//! original changes, not even by `SQLite` opening it.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use rusqlite::{Connection, OpenFlags};

use super::{
    connection::{configure, create},
    database,
    errors::{OpenError, is_malformed},
    place::{DATABASE_FILE, LOCK_FILE},
    readable::{Gap, Readable},
    wal::{self, Loss},
};
use crate::{
    runtime::files,
    store::{
        games::split_lines,
        schema::CopiedTable,
        sql::{Embedded, Row, Sql as _, SqlResult, at_once, params},
    },
};

/// Where the records of a game are, and what the list of games says of it.
#[derive(Debug, Default)]
pub(crate) struct FoundGame {
    /// The blocks of the journal, by the seq of their first record, with their lengths and rows.
    blocks: BTreeMap<u64, (u64, i64)>,
    /// The rows in which records have arrived, by seq.
    arrivals: BTreeMap<u64, i64>,
    pub listed: Option<ListedGame>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ListedGame {
    pub is_finished: bool,
    pub archived_seq: u64,
    pub is_published: bool,
    pub is_counted: bool,
}

impl FoundGame {
    /// Forgets the arrivals that have been archived since.
    pub(super) fn forget_stale(&mut self) {
        if let Some(listed) = self.listed {
            self.arrivals.retain(|seq, _| *seq > listed.archived_seq);
        }
    }

    /// The last record of which anything says that it was stored.
    pub(crate) fn last_seq(&self) -> u64 {
        let archived = self.listed.map_or(0, |listed| listed.archived_seq);
        let block = self
            .blocks
            .last_key_value()
            .map_or(0, |(seq, (events, _))| seq.saturating_add(*events) - 1);
        let arrived = self.arrivals.last_key_value().map_or(0, |(seq, _)| *seq);
        archived.max(block).max(arrived)
    }
}

/// The records of a game that can be read, by seq: some are stored twice.
pub(crate) type FoundRecords = BTreeMap<u64, Vec<Bytes>>;

#[derive(Debug)]
pub(crate) struct SalvageSource {
    connection: Connection,
    /// The copy of the damaged files.
    directory: PathBuf,
    /// What the WAL has lost.
    pub loss: Option<Loss>,
    _locks: Vec<File>,
}

impl SalvageSource {
    /// Copies a database with its WAL into a new directory, and opens the copy. No server may use
    /// the database.
    pub(crate) fn open(database: &Path, copy: &Path) -> Result<Self, OpenError> {
        let locks = lock(database)?;
        let failed = |path: &Path| {
            let path = path.display().to_string();
            move |error| OpenError::Directory { path, error }
        };
        let mut wal = database.as_os_str().to_owned();
        wal.push("-wal");
        let present = [database.to_owned(), wal.into()].into_iter().filter(|path| path.exists());
        files::copy_into(copy, &present.collect::<Vec<_>>()).map_err(failed(database))?;
        let name = database.file_name().unwrap_or_default();
        let database = copy.join(name);
        let mut wal = database.as_os_str().to_owned();
        wal.push("-wal");
        // A WAL that cannot even be looked at has no readable frame.
        let loss = wal::examine(Path::new(&wal), &database).ok().flatten();
        let connection = match connect(&database) {
            Err(error) if is_malformed(&error) => {
                mend_header(&database, copy).map_err(failed(&database))?;
                connect(&database)?
            }
            opened => opened?,
        };
        Ok(Self { connection, directory: copy.to_owned(), loss, _locks: locks })
    }

    /// Gives each readable row of a table to `take`. Returns what is unreadable.
    pub(crate) fn rows(&self, table: &CopiedTable, take: &mut dyn FnMut(Row)) -> Vec<Gap> {
        let connection = &self.connection;
        let CopiedTable { name, key } = *table;
        Readable { connection, table: name, columns: "*", key }.read(take)
    }

    /// Finds the games and their records. Returns what is unreadable, too.
    pub(crate) fn games(&self) -> (BTreeMap<String, FoundGame>, Vec<Gap>) {
        let mut found: BTreeMap<String, FoundGame> = BTreeMap::new();
        let connection = &self.connection;
        let table = |table: &'static str, columns: &'static str, key: &'static [&'static str]| {
            Readable { connection, table, columns, key }
        };
        let mut add = |row: &mut Row| {
            let id = row.get(0)?;
            found.entry(id).or_default().listed = Some(read_listed(row, 1)?);
            SqlResult::Ok(())
        };
        let columns = "game, finished, archived_seq, published, counted";
        // A row with a value that cannot be is as good as none: the records say what it said.
        let mut gaps = table("games", columns, &["game"]).read(&mut |mut row| drop(add(&mut row)));
        let mut add = |row: &mut Row| {
            let (id, seq, events): (i64, u64, u64) = (row.get(0)?, row.get(2)?, row.get(3)?);
            found.entry(row.get(1)?).or_default().blocks.insert(seq, (events.max(1), id));
            SqlResult::Ok(())
        };
        let columns = "rowid, game, seq, events";
        gaps.extend(table("journal", columns, &["rowid"]).read(&mut |mut row| drop(add(&mut row))));
        let mut add = |row: &mut Row| {
            let (id, seq): (i64, u64) = (row.get(0)?, row.get(2)?);
            found.entry(row.get(1)?).or_default().arrivals.insert(seq, id);
            SqlResult::Ok(())
        };
        let arrivals = table("arrivals", "id, game, seq", &["id"]);
        gaps.extend(arrivals.read(&mut |mut row| drop(add(&mut row))));
        (found, gaps)
    }

    /// Reads what can be read of a game's records.
    pub(crate) fn records(&self, found: &FoundGame) -> FoundRecords {
        records_of(&self.connection, found)
    }

    pub(crate) fn last_heartbeat(&self) -> Option<u64> {
        database::last_heartbeat(&Embedded(&self.connection)).ok().flatten()
    }

    /// Removes the copy.
    pub(crate) fn close(self) -> io::Result<()> {
        drop(self.connection);
        fs::remove_dir_all(self.directory)
    }
}

fn read_listed(row: &mut Row, first: usize) -> SqlResult<ListedGame> {
    Ok(ListedGame {
        is_finished: row.get(first)?,
        archived_seq: row.get(first + 1)?,
        is_published: row.get(first + 2)?,
        is_counted: row.get(first + 3)?,
    })
}

/// Finds one game.
pub(super) fn find_game(connection: &Connection, game: &str) -> SqlResult<FoundGame> {
    let (sql, mut found) = (Embedded(connection), FoundGame::default());
    let select = "SELECT finished, archived_seq, published, counted FROM games WHERE game = $1";
    if let Some(mut row) = at_once(sql.first(select, params![game]))? {
        found.listed = Some(read_listed(&mut row, 0)?);
    }
    let select = "SELECT seq, events, rowid FROM journal WHERE game = $1";
    for mut row in at_once(sql.query(select, params![game]))? {
        found.blocks.insert(row.get(0)?, (row.get::<u64>(1)?.max(1), row.get(2)?));
    }
    let select = "SELECT seq, id FROM arrivals WHERE game = $1";
    for mut row in at_once(sql.query(select, params![game]))? {
        found.arrivals.insert(row.get(0)?, row.get(1)?);
    }
    Ok(found)
}

pub(super) fn records_of(connection: &Connection, found: &FoundGame) -> FoundRecords {
    let mut records = FoundRecords::new();
    let read = |statement: &str, id: i64| -> rusqlite::Result<Bytes> {
        let mut select = connection.prepare_cached(statement)?;
        select.query_row([id], |row| row.get::<_, Vec<u8>>(0)).map(Bytes::from)
    };
    for (first, (_, row)) in &found.blocks {
        let Ok(block) = read("SELECT records FROM journal WHERE rowid = ?1", *row) else {
            continue;
        };
        for (seq, record) in (*first..).zip(split_lines(&block)) {
            records.entry(seq).or_default().push(record);
        }
    }
    for (seq, row) in &found.arrivals {
        if let Ok(record) = read("SELECT record FROM arrivals WHERE id = ?1", *row) {
            records.entry(*seq).or_default().push(record);
        }
    }
    records
}

/// Locks the database and its directory, as far as there are files to lock: a server has locked the
/// same.
fn lock(database: &Path) -> Result<Vec<File>, OpenError> {
    let mut locks = Vec::new();
    for path in [database.to_owned(), database.with_file_name(LOCK_FILE)] {
        let shown = path.display().to_string();
        match File::open(&path).map(|file| (file.try_lock(), file)) {
            Ok((Ok(()), file)) => locks.push(file),
            Ok((Err(TryLockError::WouldBlock), _)) => return Err(OpenError::InUse { path: shown }),
            Err(error) if error.kind() == io::ErrorKind::NotFound && path != database => {}
            Ok((Err(TryLockError::Error(error)), _)) | Err(error) => {
                return Err(OpenError::Directory { path: shown, error });
            }
        }
    }
    Ok(locks)
}

/// Opens a copy, and reads it although its schema or its size is not as it should be.
fn connect(database: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(database, flags)?;
    connection.pragma_update(None, "writable_schema", "ON")?;
    connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

/// Bytes of the header of a database, and the places of its numbers: the count of changes, the
/// pages, the first free page with the number of those, and the count of changes for which the
/// number of pages holds. See <https://www.sqlite.org/fileformat2.html>, "The Database Header".
const HEADER: usize = 100;
const CHANGES_AT: usize = 24;
const PAGES_AT: usize = 28;
const FREE_AT: usize = 32;
const VALID_FOR_AT: usize = 92;

/// Gives a database the header of a new one.
fn mend_header(database: &Path, directory: &Path) -> io::Result<()> {
    let new = directory.join("new").join(DATABASE_FILE);
    files::create_private_directory(&directory.join("new"))?;
    let made = Connection::open(&new).and_then(|mut connection| {
        configure(&connection)?;
        create(&mut connection)?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        connection.pragma_query_value(None, "page_size", |row| row.get::<_, u32>(0))
    });
    let page_bytes = made.map_err(io::Error::other)?;
    let mut header = [0; HEADER];
    File::open(&new)?.read_exact(&mut header)?;
    let pages = fs::metadata(database)?.len() / u64::from(page_bytes);
    let mut set =
        |at: usize, number: u32| header[at..at + 4].copy_from_slice(&number.to_be_bytes());
    set(CHANGES_AT, 1);
    set(VALID_FOR_AT, 1);
    set(PAGES_AT, u32::try_from(pages).unwrap_or(u32::MAX));
    set(FREE_AT, 0);
    set(FREE_AT + 4, 0);
    OpenOptions::new().write(true).open(database)?.write_all_at(&header, 0)
}
