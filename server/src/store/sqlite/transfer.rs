//! An embedded store as the source or the target of a transfer.

use std::path::Path;

use adamant_protocol::GameId;
use bytes::Bytes;
use rusqlite::{
    Connection, OptionalExtension as _, ToSql, params,
    types::{Null, ToSqlOutput, ValueRef},
};

use super::{
    file_names::DATABASE_FILE,
    games,
    lock::DirectoryLock,
    migrations,
    open_error::OpenError,
    open_mode::{OpenMode, open_existing},
    outages,
    record_blocks::{self, BlockAppender},
    rows::{from_sql, read_game, to_sql},
    transfer_tables::{TransferColumn, TransferGame, TransferRow, TransferTable, Value},
};
use crate::{
    runtime::files,
    store::{ArchivedGame, ArchivedState, StoredSeek},
};

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::from(Null),
            Self::Integer(number) => ToSqlOutput::from(*number),
            Self::Text(text) => ToSqlOutput::from(text.as_str()),
            Self::Bytes(bytes) => ToSqlOutput::from(bytes.as_slice()),
        })
    }
}

/// Reads a value as PostgreSQL will have it.
fn value(found: ValueRef<'_>, column: &TransferColumn) -> rusqlite::Result<Value> {
    Ok(match found {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Text(text) if column.is_text => Value::Bytes(text.to_owned()),
        ValueRef::Text(_) => Value::Text(found.as_str()?.to_owned()),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_owned()),
        ValueRef::Real(_) => {
            let (name, kind) = (column.embedded.to_owned(), found.data_type());
            return Err(rusqlite::Error::InvalidColumnType(0, name, kind));
        }
    })
}

/// An embedded store, which no server uses meanwhile. All reads see the same state.
#[derive(Debug)]
pub(crate) struct EmbeddedSource {
    connection: Connection,
    _lock: DirectoryLock,
}

impl EmbeddedSource {
    /// Opens the store in a directory.
    pub(crate) fn open(directory: &Path) -> Result<Self, OpenError> {
        let lock = DirectoryLock::acquire(directory)?;
        let connection = open_existing(&directory.join(DATABASE_FILE))?;
        connection.execute_batch("BEGIN")?;
        Ok(Self { connection, _lock: lock })
    }

    /// Returns the number of rows of a table.
    pub(crate) fn count(&self, table: &TransferTable) -> Result<u64, OpenError> {
        let count = format!("SELECT COUNT(*) FROM {}", table.embedded);
        Ok(self.connection.query_row(&count, [], |row| row.get(0)).map(from_sql)?)
    }

    /// Returns the next rows of a table after a key.
    pub(crate) fn rows(
        &self,
        table: &TransferTable,
        after: Option<&TransferRow>,
        limit: usize,
    ) -> Result<Vec<TransferRow>, OpenError> {
        let columns: Vec<&str> = table.columns.iter().map(|column| column.embedded).collect();
        let key = columns[..table.key_columns].join(", ");
        let places: Vec<String> = (1..=table.key_columns).map(|n| format!("?{n}")).collect();
        let from = if after.is_some() {
            format!("WHERE ({key}) > ({})", places.join(", "))
        } else {
            String::new()
        };
        let (all, name) = (columns.join(", "), table.embedded);
        let select = format!("SELECT {all} FROM {name} {from} ORDER BY {key} LIMIT {limit}");
        let mut select = self.connection.prepare_cached(&select)?;
        let key = after.map_or(&[][..], |row| &row[..table.key_columns]);
        // The embedded store has the labels of tokens as text, but no key is one.
        let mut rows = select.query(rusqlite::params_from_iter(key))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let values = table.columns.iter().enumerate();
            let values = values.map(|(index, column)| value(row.get_ref(index)?, column));
            found.push(values.collect::<rusqlite::Result<TransferRow>>()?);
        }
        Ok(found)
    }

    /// Returns the lasting seeks, the oldest first, as JSON.
    pub(crate) fn seeks(&self) -> Result<Vec<String>, OpenError> {
        let mut select =
            self.connection.prepare("SELECT seek FROM seeks ORDER BY length(id), id")?;
        Ok(select.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the last heartbeat of a server, in epoch milliseconds.
    pub(crate) fn last_heartbeat(&self) -> Result<Option<u64>, OpenError> {
        Ok(outages::last_heartbeat(&self.connection)?)
    }

    /// Returns the ids of all games.
    pub(crate) fn games(&self) -> Result<Vec<GameId>, OpenError> {
        let select = "SELECT id FROM games UNION SELECT game FROM journal
             WHERE seq > COALESCE((SELECT last_seq FROM games WHERE games.id = game), 0)
             ORDER BY 1";
        let mut select = self.connection.prepare(select)?;
        let games = select.query_map([], |row| read_game(row, 0))?;
        Ok(games.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the records in the journal that are not in blocks, by game.
    pub(crate) fn journal_rows(&self) -> Result<JournalRows, OpenError> {
        let select = "SELECT game, id FROM journal
             WHERE seq > COALESCE((SELECT last_seq FROM games WHERE games.id = game), 0)
             ORDER BY id";
        let mut rows = JournalRows::new();
        let mut select = self.connection.prepare(select)?;
        let mut found = select.query([])?;
        while let Some(row) = found.next()? {
            rows.entry(read_game(row, 0)?).or_default().push(row.get(1)?);
        }
        Ok(rows)
    }

    /// Reads a game.
    pub(crate) fn game(
        &self,
        game: &GameId,
        in_journal: &JournalRows,
    ) -> Result<TransferGame, OpenError> {
        let listed: Option<(String, String, Option<i64>)> = self
            .connection
            .prepare_cached("SELECT state, entry, deadline FROM games WHERE id = ?1")?
            .query_row([game.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let mut records = record_blocks::read_all(&self.connection, game)?;
        let rows = in_journal.get(game).map(Vec::as_slice).unwrap_or_default();
        let mut select =
            self.connection.prepare_cached("SELECT record FROM journal WHERE id = ?1")?;
        for row in rows {
            records.push(select.query_row([row], |row| row.get::<_, Vec<u8>>(0).map(Bytes::from))?);
        }
        let mut found = TransferGame {
            game: game.clone(),
            entry: None,
            is_finished: false,
            deadline: None,
            records,
        };
        // The list entry of a game that goes on in the journal is out of date.
        if let Some((state, entry, deadline)) = listed
            && rows.is_empty()
        {
            let unreadable = |error| {
                let kind = rusqlite::types::Type::Text;
                rusqlite::Error::FromSqlConversionFailure(1, kind, Box::new(error))
            };
            found.entry = Some(serde_json::from_str(&entry).map_err(unreadable)?);
            found.is_finished = state == "finished";
            found.deadline = deadline.map(from_sql);
        }
        Ok(found)
    }
}

/// The rows in the journal by game.
pub(crate) type JournalRows = std::collections::BTreeMap<GameId, Vec<i64>>;

/// A new embedded store that is being filled. Nothing of it is kept before [`Self::finish`].
#[derive(Debug)]
pub(crate) struct EmbeddedTarget {
    connection: Connection,
    _lock: DirectoryLock,
}

impl EmbeddedTarget {
    /// Creates the store in a directory that has none.
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
        migrations::migrate(&mut connection)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self { connection, _lock: lock })
    }

    /// Adds rows to a table.
    pub(crate) fn add_rows(
        &self,
        table: &TransferTable,
        rows: &[TransferRow],
    ) -> Result<(), OpenError> {
        let stored = || table.columns.iter().enumerate().filter(|(_, column)| !column.is_derived);
        let names: Vec<&str> = stored().map(|(_, column)| column.embedded).collect();
        let places: Vec<String> = (1..=names.len()).map(|n| format!("?{n}")).collect();
        let (names, places) = (names.join(", "), places.join(", "));
        let insert = format!("INSERT INTO {} ({names}) VALUES ({places})", table.embedded);
        let mut insert = self.connection.prepare_cached(&insert)?;
        for row in rows {
            for (place, (index, column)) in (1..).zip(stored()) {
                match &row[index] {
                    Value::Bytes(label) if column.is_text => {
                        insert.raw_bind_parameter(place, String::from_utf8_lossy(label))?;
                    }
                    value
                    @ (Value::Null | Value::Integer(_) | Value::Text(_) | Value::Bytes(_)) => {
                        insert.raw_bind_parameter(place, value)?;
                    }
                }
            }
            insert.raw_execute()?;
        }
        Ok(())
    }

    /// Adds a lasting seek.
    pub(crate) fn add_seek(&self, seek: &StoredSeek) -> Result<(), OpenError> {
        let text = serde_json::to_string(seek).expect("seeks are plain data");
        let insert = "INSERT INTO seeks (id, seek) VALUES (?1, ?2)";
        self.connection.execute(insert, [seek.entry.seek.as_str(), &text])?;
        Ok(())
    }

    /// Stores the last heartbeat.
    pub(crate) fn set_heartbeat(&self, at: u64) -> Result<(), OpenError> {
        let insert = "INSERT INTO alive (one, alive_at) VALUES (1, ?1)";
        self.connection.execute(insert, [to_sql(at)])?;
        Ok(())
    }

    /// Adds a game. One without an entry goes into the journal, which a server reads at its start.
    pub(crate) fn add_game(&self, game: &TransferGame) -> Result<(), OpenError> {
        let TransferGame { game, entry, is_finished, deadline, records } = game;
        let Some(entry) = entry else {
            let mut insert = self
                .connection
                .prepare_cached("INSERT INTO journal (game, seq, record) VALUES (?1, ?2, ?3)")?;
            for (seq, record) in (1_i64..).zip(records) {
                insert.execute(params![game.as_str(), seq, record.as_ref()])?;
            }
            return Ok(());
        };
        let mut blocks = BlockAppender::after(&self.connection, game.as_str(), 0)?;
        records.iter().try_for_each(|record| blocks.push(record))?;
        let last_seq = blocks.finish()?;
        let state = if *is_finished { ArchivedState::Finished } else { ArchivedState::Parked };
        let (game, entry, deadline) = (game.clone(), Box::new(entry.clone()), *deadline);
        let archived = ArchivedGame { game, seq: last_seq, state, entry, deadline };
        Ok(games::list(&self.connection, &archived, last_seq)?)
    }

    /// Makes everything durable.
    pub(crate) fn finish(self) -> Result<(), OpenError> {
        self.connection.execute_batch(
            "UPDATE games SET to_publish = NULL WHERE id IN (SELECT game FROM download_games);
             COMMIT",
        )?;
        Ok(self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
    }
}
