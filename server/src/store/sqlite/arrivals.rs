//! The records of live games, in the order of their arrival, and how they move to the rows of the
//! journal. There a row has a block of records: reading a few records of a long game costs no more
//! than of a short one.

use std::sync::LazyLock;

use adamant_protocol::{EventFrame, GameId, ids::Chain, to_client::GameEntry};
use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension as _};

use crate::{
    limits::RECORDS_PER_BLOCK,
    store::{
        ArchivedGame, games, ratings,
        sql::{Embedded, Sql as _, SqlError, SqlResult, at_once, params},
    },
};

#[derive(Debug, Clone, Copy)]
pub(super) struct NewRow<'a> {
    pub(super) game: &'a str,
    pub(super) seq: u64,
    pub(super) record: &'a [u8],
}

impl<'a> NewRow<'a> {
    pub(super) fn all(
        game: &'a GameId,
        after: u64,
        records: impl Iterator<Item = &'a [u8]>,
    ) -> impl Iterator<Item = Self> {
        let row = |(seq, record)| Self { game: game.as_str(), seq, record };
        (after + 1..).zip(records).map(row)
    }
}

const COLUMNS: usize = 3;

/// Statements that insert several rows each, the largest first: a start costs more than a row.
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

/// Rows of other games that are passed over, because that costs less than another statement.
const PASSED_OVER_MAX: i64 = 16;

/// Reads the records of rows, in order of their ids. Each row has a place, which `read` gets.
pub(super) fn scan(
    connection: &Connection,
    mut rows: &[(i64, usize)],
    mut read: impl FnMut(usize, &[u8]),
) -> SqlResult<()> {
    let select = "SELECT id, record FROM arrivals WHERE id BETWEEN ?1 AND ?2 ORDER BY id";
    let mut select = connection.prepare_cached(select)?;
    let is_near = |pair: &&[(i64, usize)]| pair[1].0 - pair[0].0 <= PASSED_OVER_MAX;
    while let (Some(&(first, _)), near) = (rows.first(), rows.windows(2).take_while(is_near)) {
        let (run, later) = rows.split_at(1 + near.count());
        let last = run.last().map_or(first, |(id, _)| *id);
        let mut found = select.query([first, last])?;
        let mut wanted = run.iter().copied().peekable();
        while let Some(row) = found.next()? {
            let id: i64 = row.get(0)?;
            if let Some((_, place)) = wanted.next_if(|(wanted, _)| *wanted == id) {
                read(place, row.get_ref(1)?.as_blob()?);
            }
        }
        if let Some((id, _)) = wanted.next() {
            return Err(SqlError::Unreadable(format!("no arrival {id}")));
        }
        rows = later;
    }
    Ok(())
}

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

/// Archives a game whose records after the seq `after` have arrived as these rows. From then on the
/// rows are stale, and [`delete`] deletes them.
pub(super) fn archive(
    connection: &Connection,
    game: &ArchivedGame,
    row_ids: &[i64],
    after: u64,
) -> SqlResult<()> {
    let sql = Embedded(connection);
    let last_seq = at_once(games::last_seq(&sql, &game.game))?;
    // With other rows than the game has archived, records would be lost or doubled.
    let select = "SELECT 1 FROM games WHERE game = $1 AND archived_seq = $2";
    if last_seq < after || !at_once(sql.exists(select, params![game.game.as_str(), last_seq]))? {
        return Err(SqlError::Unreadable(format!("{last_seq} archived records, which do not fit")));
    }
    let mut blocks = BlockAppender::after(connection, game, last_seq)?;
    // The same transaction may have archived the game before.
    let archived = usize::try_from(last_seq - after).unwrap_or(usize::MAX);
    for id in row_ids.iter().skip(archived) {
        with_record(connection, *id, |record| blocks.push(record))?;
    }
    blocks.finish()?;
    at_once(ratings::archive(&sql, game))
}

struct BlockAppender<'a> {
    connection: &'a Connection,
    game: &'a ArchivedGame,
    first: u64,
    next: u64,
    lines: Vec<u8>,
    is_changed: bool,
}

impl<'a> BlockAppender<'a> {
    /// Continues after the last record, in the last block if it is not full.
    fn after(connection: &'a Connection, game: &'a ArchivedGame, last_seq: u64) -> SqlResult<Self> {
        let next = last_seq + 1;
        let select = "SELECT seq, records FROM journal WHERE game = $1 AND seq > $2
             ORDER BY seq DESC LIMIT 1";
        let full_from = next.saturating_sub(RECORDS_PER_BLOCK);
        let sql = Embedded(connection);
        let last = at_once(sql.first(select, params![game.game.as_str(), full_from]))?;
        let (first, lines) = match last {
            Some(mut last) => (last.get(0)?, last.get(1)?),
            None => (next, Vec::new()),
        };
        Ok(Self { connection, game, first, next, lines, is_changed: false })
    }

    fn push(&mut self, record: &[u8]) -> SqlResult<()> {
        if !self.lines.is_empty() {
            self.lines.push(b'\n');
        }
        self.lines.extend_from_slice(record);
        self.next += 1;
        self.is_changed = true;
        if self.next - self.first < RECORDS_PER_BLOCK {
            return Ok(());
        }
        self.write_block()
    }

    fn finish(mut self) -> SqlResult<()> {
        if self.is_changed { self.write_block() } else { Ok(()) }
    }

    fn write_block(&mut self) -> SqlResult<()> {
        let ArchivedGame { game, entry, deadline, .. } = self.game;
        let replace = "INSERT INTO journal
                 (game, seq, events, chain, ply, to_move, last_at, deadline, records)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             ON CONFLICT (game, seq) DO UPDATE SET events = excluded.events,
                 chain = excluded.chain, ply = excluded.ply, to_move = excluded.to_move,
                 last_at = excluded.last_at, deadline = excluded.deadline,
                 records = excluded.records";
        let (chain, lines) = (last_chain(&self.lines), std::mem::take(&mut self.lines));
        let (first, events, chain) = (self.first, self.next - self.first, chain.0.as_slice());
        let GameEntry { ply, to_move, last_at, .. } = **entry;
        let game = game.as_str();
        let params = params![game, first, events, chain, ply, to_move, last_at, *deadline, lines];
        at_once(Embedded(self.connection).execute(replace, params))?;
        (self.first, self.is_changed) = (self.next, false);
        Ok(())
    }
}

/// Returns the chain of the last record of a block. A record without one is found by the check.
fn last_chain(lines: &[u8]) -> Chain {
    let last = lines.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    EventFrame::unseal(last).map(|(_, chain)| chain).unwrap_or_default()
}
