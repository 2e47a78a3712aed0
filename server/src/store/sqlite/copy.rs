//! An embedded store as the source or the target of a move between the databases, and of a game that
//! is restored.

use std::path::{Path, PathBuf};

use adamant_protocol::{GameId, to_client::GameEntry};
use bytes::Bytes;
use rusqlite::Connection;

use super::{
    arrivals::{self, NewRow},
    connection::{self, OpenMode, open_existing},
    damage, database,
    errors::OpenError,
    live::{OpenGameRow, arrived},
    place::{DATABASE_FILE, DirectoryLock, WAL_FILE},
    salvage::{FoundGame, FoundRecords, find_game, records_of},
    wal,
};
use crate::{
    runtime::files,
    store::{
        ArchivedGame, ArchivedState, Begin,
        check::LOST_GAME,
        games,
        schema::{CopiedTable, add_copied_rows, copied_rows, count_copied, end_sessions},
        sql::{Embedded, RELEASE, Row, SAVEPOINT, Sql as _, SqlError, SqlResult, at_once, params},
    },
};

/// An embedded store, which no server uses meanwhile. All reads see the same state.
#[derive(Debug)]
pub(crate) struct EmbeddedSource {
    connection: Connection,
    _lock: DirectoryLock,
}

impl EmbeddedSource {
    pub(crate) fn open(directory: &Path) -> Result<Self, OpenError> {
        let lock = DirectoryLock::acquire(directory)?;
        let connection = open_existing(&directory.join(DATABASE_FILE))?;
        connection.execute_batch("BEGIN")?;
        Ok(Self { connection, _lock: lock })
    }

    pub(crate) fn count(&self, table: &CopiedTable) -> Result<u64, OpenError> {
        Ok(at_once(count_copied(&Embedded(&self.connection), table))?)
    }

    pub(crate) fn rows(
        &self,
        table: &CopiedTable,
        after: Option<&Row>,
        limit: usize,
    ) -> Result<Vec<Row>, OpenError> {
        Ok(at_once(copied_rows(&Embedded(&self.connection), table, after, limit))?)
    }

    /// Returns the last heartbeat of a server, in epoch milliseconds.
    pub(crate) fn last_heartbeat(&self) -> Result<Option<u64>, OpenError> {
        Ok(database::last_heartbeat(&Embedded(&self.connection))?)
    }

    /// Returns the games with records that are in no row of the journal.
    pub(crate) fn arrived(&self) -> Result<Vec<OpenGameRow>, OpenError> {
        let games = arrived(&self.connection, |_, _, _| {})?;
        let mut games: Vec<OpenGameRow> = games.into_values().collect();
        games.sort_unstable_by(|a, b| a.game.cmp(&b.game));
        Ok(games)
    }

    pub(crate) fn records(&self, found: &OpenGameRow) -> Result<Vec<Bytes>, OpenError> {
        let sql = Embedded(&self.connection);
        let mut records = at_once(games::records(&sql, &found.game, 1, usize::MAX))?;
        records.extend(arrivals::read(&self.connection, &found.row_ids)?.unwrap_or_default());
        Ok(records)
    }
}

/// Forgets what is published.
const UNPUBLISH: &str = "
DELETE FROM download_state;
DELETE FROM download_files;
DELETE FROM download_games;
DELETE FROM download_lines;
UPDATE games SET published = false;
";

/// Has the next server of a store publish all games. No server uses it meanwhile.
pub(crate) fn unpublish(directory: &Path) -> Result<(), OpenError> {
    let _lock = DirectoryLock::acquire(directory)?;
    let mut connection = OpenMode::ReadWrite(directory.join(DATABASE_FILE)).connect()?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(UNPUBLISH)?;
    transaction.commit()?;
    Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
}

/// A new embedded store that is being filled. Nothing of it is kept before [`Self::finish`].
#[derive(Debug)]
pub(crate) struct EmbeddedTarget {
    connection: Connection,
    _lock: DirectoryLock,
}

impl EmbeddedTarget {
    pub(crate) fn create(directory: &Path) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Directory { path: directory.display().to_string(), error };
        files::create_private_directory(directory).map_err(failed)?;
        let lock = DirectoryLock::acquire(directory)?;
        let path = directory.join(DATABASE_FILE);
        if path.exists() {
            let text = "there is a store already";
            let error = std::io::Error::new(std::io::ErrorKind::AlreadyExists, text);
            return Err(OpenError::Directory { path: path.display().to_string(), error });
        }
        let lock = lock.with_database(directory)?;
        let mut connection = OpenMode::ReadWrite(path).connect()?;
        connection::create(&mut connection)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self { connection, _lock: lock })
    }

    /// Adds a row, unless it does not fit those that are there.
    pub(crate) fn add_row(&self, table: &CopiedTable, row: Row) -> Result<(), SqlError> {
        at_once(add_copied_rows(&Embedded(&self.connection), table, &[row]))
    }

    /// Adds a game with all its records.
    pub(crate) fn add_game(&self, game: &WholeGame) -> Result<(), OpenError> {
        Ok(add_game(&self.connection, game)?)
    }

    /// Has the next server publish all games.
    pub(crate) fn unpublish(&self) -> Result<(), OpenError> {
        Ok(self.connection.execute_batch(UNPUBLISH)?)
    }

    /// Notes in the audit that a game is lost, so that its result counts nonetheless.
    pub(crate) fn note_lost(&self, game: &str, why: &str, at: u64) -> Result<(), OpenError> {
        let insert = "INSERT INTO admin_acts (at, who, subject, reason, request)
             VALUES ($1, 'salvage', $2, $3, $4)";
        let sql = Embedded(&self.connection);
        Ok(at_once(sql.execute(insert, params![at, game, why, LOST_GAME])).map(drop)?)
    }

    pub(crate) fn add_rows(&self, table: &CopiedTable, rows: &[Row]) -> Result<(), OpenError> {
        Ok(at_once(add_copied_rows(&Embedded(&self.connection), table, rows))?)
    }

    /// Makes everything durable, as the server that was alive at `alive_at` has left it.
    pub(crate) fn finish(self, alive_at: u64) -> Result<(), OpenError> {
        database::record_heartbeat(&Embedded(&self.connection), alive_at)?;
        at_once(end_sessions(&Embedded(&self.connection)))?;
        self.settle_live_games()?;
        self.connection.execute_batch("COMMIT")?;
        Ok(self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
    }

    /// Nodes change nothing but the journal while a game goes on. A server that is alone expects
    /// more of a game without a room: what its last row says, in its list entry.
    fn settle_live_games(&self) -> SqlResult<()> {
        let sql = Embedded(&self.connection);
        for mut row in at_once(sql.query("SELECT game FROM games WHERE NOT finished", &[]))? {
            let game: GameId = row.parse(0)?;
            match at_once(games::entry(&sql, &game))? {
                Some(entry) if entry.to_move.is_some() => park(&sql, &game, &entry)?,
                // It is over, and the next server finishes it.
                Some(_) | None => self.reopen(&game)?,
            }
        }
        Ok(())
    }

    /// Moves the records of a game to the arrivals, so that it is opened at the start.
    fn reopen(&self, game: &GameId) -> SqlResult<()> {
        let sql = Embedded(&self.connection);
        let records = at_once(games::records(&sql, game, 1, usize::MAX))?;
        let rows: Vec<NewRow<'_>> =
            NewRow::all(game, 0, records.iter().map(|record| &record[..])).collect();
        arrivals::insert(&self.connection, &rows)?;
        let delete = "DELETE FROM journal WHERE game = $1";
        at_once(sql.execute(delete, params![game.as_str()]))?;
        let update = "UPDATE games SET archived_seq = 0, wake_at = NULL WHERE game = $1";
        at_once(sql.execute(update, params![game.as_str()])).map(drop)
    }
}

/// A game with all its records, which have been replayed.
#[derive(Debug)]
pub(crate) struct WholeGame {
    pub begin: Begin,
    /// Whether nothing can follow. Otherwise the next server opens the game.
    pub is_finished: bool,
    pub is_published: bool,
    pub is_counted: bool,
}

/// Adds a game as a server does that plays it.
pub(super) fn add_game(connection: &Connection, game: &WholeGame) -> SqlResult<()> {
    let WholeGame { begin, is_finished, is_published, is_counted } = game;
    let (sql, id) = (Embedded(connection), &begin.entry.game);
    connection.execute_batch(SAVEPOINT)?;
    let begun = at_once(games::begin(&sql, begin))?;
    connection.execute_batch(RELEASE)?;
    begun.map_err(|refusal| SqlError::Unreadable(refusal.to_string()))?;
    let rows = NewRow::all(id, 0, begin.records.iter().map(|record| &record[..]));
    let first = arrivals::insert(connection, &rows.collect::<Vec<_>>())?;
    if *is_finished {
        let row_ids: Vec<i64> = (first..).take(begin.records.len()).collect();
        let archived = ArchivedGame {
            game: id.clone(),
            seq: begin.records.len() as u64,
            state: ArchivedState::Finished,
            entry: begin.entry.clone(),
            deadline: None,
        };
        arrivals::archive(connection, &archived, &row_ids, 0)?;
        arrivals::delete(connection, row_ids.iter())?;
    }
    let update = "UPDATE games SET published = $2, counted = $3 WHERE game = $1";
    at_once(sql.execute(update, params![id.as_str(), *is_published, *is_counted])).map(drop)
}

fn park(sql: &Embedded<'_>, game: &GameId, entry: &GameEntry) -> SqlResult<()> {
    let last_seq = at_once(games::last_seq(sql, game))?;
    let update = "UPDATE games SET entry = $2, archived_seq = $3, wake_at = (
             SELECT deadline FROM journal WHERE journal.game = $1 ORDER BY seq DESC LIMIT 1)
         WHERE game = $1";
    let entry = games::entry_text(entry);
    at_once(sql.execute(update, params![game.as_str(), entry, last_seq])).map(drop)
}

/// A store of which one game is read. A server may be running.
#[derive(Debug)]
pub(crate) struct GameSource(Connection);

impl GameSource {
    pub(crate) fn open(database: &Path) -> Result<Self, OpenError> {
        let connection = open_existing(database)?;
        connection.execute_batch("BEGIN")?;
        Ok(Self(connection))
    }

    pub(crate) fn find(&self, game: &str) -> Result<FoundGame, OpenError> {
        Ok(find_game(&self.0, game)?)
    }

    pub(crate) fn records(&self, found: &FoundGame) -> FoundRecords {
        records_of(&self.0, found)
    }
}

/// A store in which one game is replaced. No server uses it meanwhile.
#[derive(Debug)]
pub(crate) struct GameTarget {
    connection: Connection,
    directory: PathBuf,
    _lock: DirectoryLock,
}

impl GameTarget {
    pub(crate) fn open(directory: &Path) -> Result<Self, OpenError> {
        let lock = DirectoryLock::acquire(directory)?;
        let (database, wal) = (directory.join(DATABASE_FILE), directory.join(WAL_FILE));
        let failed = |error| OpenError::Wal { path: wal.display().to_string(), error };
        if let Some(loss) = wal::examine(&wal, &database).map_err(failed)? {
            return Err(OpenError::Damaged(loss));
        }
        let connection = OpenMode::ReadWrite(database).connect()?;
        connection::expect(&connection)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self { connection, directory: directory.to_owned(), _lock: lock })
    }

    /// Finds what the server reads of a game: not what it has archived.
    pub(crate) fn find(&self, game: &str) -> Result<FoundGame, OpenError> {
        let mut found = find_game(&self.connection, game)?;
        found.forget_stale();
        Ok(found)
    }

    pub(crate) fn records(&self, found: &FoundGame) -> FoundRecords {
        records_of(&self.connection, found)
    }

    /// Puts a game in the place of what is there of it. Its damage is forgotten.
    pub(crate) fn replace(self, game: &WholeGame) -> Result<(), OpenError> {
        let (sql, id) = (Embedded(&self.connection), &game.begin.entry.game);
        for table in ["journal", "arrivals", "games"] {
            let delete = format!("DELETE FROM {table} WHERE game = $1");
            at_once(sql.execute(&delete, params![id.as_str()]))?;
        }
        add_game(&self.connection, game)?;
        self.connection.execute_batch("COMMIT")?;
        let Self { directory, .. } = &self;
        let failed = |error| OpenError::Directory { path: directory.display().to_string(), error };
        damage::forget_game(directory, id).map_err(failed)
    }
}
