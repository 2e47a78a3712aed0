//! The records of live games, in the order of their arrival. A row has one record of one game.

use std::sync::LazyLock;

use adamant_protocol::GameId;
use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension as _};

use crate::store::sql::SqlResult;

/// A row to insert.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewRow<'a> {
    pub(super) game: &'a str,
    pub(super) seq: u64,
    pub(super) record: &'a [u8],
}

impl<'a> NewRow<'a> {
    /// Returns the rows of a game's records after a seq.
    pub(super) fn all(
        game: &'a GameId,
        after: u64,
        records: &'a [Bytes],
    ) -> impl Iterator<Item = Self> {
        let row = |(seq, record): (u64, &'a Bytes)| Self { game: game.as_str(), seq, record };
        (after + 1..).zip(records).map(row)
    }
}

/// Number of parameters of a row.
const COLUMNS: usize = 3;

/// Statements that insert several rows each, the largest first: to start a statement costs more
/// than a row.
static INSERTS: LazyLock<[(usize, String); 4]> = LazyLock::new(|| {
    [64, 16, 4, 1].map(|rows| {
        let mut insert = "INSERT INTO arrivals (game, seq, record) VALUES (?,?,?)".to_owned();
        insert.push_str(&",(?,?,?)".repeat(rows - 1));
        (rows, insert)
    })
});

const SELECT: &str = "SELECT record FROM arrivals WHERE id = ?1";

/// Inserts rows; returns the id of the first one. The ids of the others follow it.
pub(super) fn insert(connection: &Connection, rows: &[NewRow<'_>]) -> rusqlite::Result<i64> {
    let mut left = rows;
    for (size, insert) in &*INSERTS {
        while let Some((some, others)) = left.split_at_checked(*size) {
            let mut insert = connection.prepare_cached(insert)?;
            for (column, row) in (1..).step_by(COLUMNS).zip(some) {
                insert.raw_bind_parameter(column, row.game)?;
                insert.raw_bind_parameter(column + 1, row.seq.cast_signed())?;
                insert.raw_bind_parameter(column + 2, row.record)?;
            }
            insert.raw_execute()?;
            left = others;
        }
    }
    // There is one writer, so that nothing has come between them.
    Ok(connection.last_insert_rowid() + 1 - (rows.len() as u64).cast_signed())
}

/// Reads the records of rows; `None` if a row has been deleted.
pub(super) fn read(
    connection: &Connection,
    row_ids: &[i64],
) -> rusqlite::Result<Option<Vec<Bytes>>> {
    let mut select = connection.prepare_cached(SELECT)?;
    row_ids
        .iter()
        .map(|id| {
            let record = select.query_row([id], |row| row.get::<_, Vec<u8>>(0)).optional()?;
            Ok(record.map(Bytes::from))
        })
        .collect()
}

/// Calls a function with the record of a row.
pub(super) fn with_record<T>(
    connection: &Connection,
    id: i64,
    read: impl FnOnce(&[u8]) -> SqlResult<T>,
) -> SqlResult<T> {
    let mut select = connection.prepare_cached(SELECT)?;
    select.query_row([id], |row| Ok(read(row.get_ref(0)?.as_blob()?)))?
}

/// Deletes rows, in order of their ids. Rows side by side are deleted by one statement.
pub(super) fn delete<'a>(
    connection: &Connection,
    row_ids: impl Iterator<Item = &'a i64>,
) -> rusqlite::Result<()> {
    let mut delete =
        connection.prepare_cached("DELETE FROM arrivals WHERE id BETWEEN ?1 AND ?2")?;
    let mut run: Option<(i64, i64)> = None;
    for &id in row_ids {
        run = match run {
            Some((first, last)) if last + 1 == id => Some((first, id)),
            Some(before) => {
                delete.execute(before)?;
                Some((id, id))
            }
            None => Some((id, id)),
        };
    }
    run.map_or(Ok(()), |last| delete.execute(last).map(drop))
}
