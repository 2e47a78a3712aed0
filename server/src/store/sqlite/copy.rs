//! An embedded store as the source or the target of a move between the databases.

use std::path::Path;

use adamant_protocol::{GameId, to_client::GameEntry};
use bytes::Bytes;
use rusqlite::Connection;

use super::{
    arrivals::{self, NewRow},
    connection::{self, OpenMode, open_existing},
    database,
    errors::OpenError,
    live::{OpenGameRow, arrived},
    place::{DATABASE_FILE, DirectoryLock},
};
use crate::{
    runtime::files,
    store::{
        games,
        schema::{CopiedTable, add_copied_rows, copied_rows, count_copied, end_sessions},
        sql::{Embedded, Row, Sql as _, SqlResult, at_once, params},
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
        let (games, _) = arrived(&self.connection)?;
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

fn park(sql: &Embedded<'_>, game: &GameId, entry: &GameEntry) -> SqlResult<()> {
    let last_seq = at_once(games::last_seq(sql, game))?;
    let update = "UPDATE games SET entry = $2, archived_seq = $3, wake_at = (
             SELECT deadline FROM journal WHERE journal.game = $1 ORDER BY seq DESC LIMIT 1)
         WHERE game = $1";
    let entry = games::entry_text(entry);
    at_once(sql.execute(update, params![game.as_str(), entry, last_seq])).map(drop)
}
