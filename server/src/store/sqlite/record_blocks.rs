//! Statements on archived records. They are in blocks: each row of the table `pieces` has a number
//! of a game's records, one per line. Reading a few records of a long game costs no more than of a
//! short one.

use adamant_protocol::GameId;
use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::rows::{from_sql, to_sql};
use crate::limits::RECORDS_PER_BLOCK;

/// Returns at most `max` archived records of a game, from a seq on.
pub(super) fn read(
    connection: &Connection,
    game: &GameId,
    from: u64,
    max: usize,
) -> rusqlite::Result<Vec<Bytes>> {
    let mut select = connection.prepare_cached(
        "SELECT first, records FROM pieces WHERE game = ?1 AND first >=
             (SELECT MAX(first) FROM pieces WHERE game = ?1 AND first <= ?2)
         ORDER BY first",
    )?;
    let mut rows = select.query(params![game.as_str(), to_sql(from)])?;
    let mut records = Vec::new();
    while records.len() < max
        && let Some(row) = rows.next()?
    {
        let skip =
            usize::try_from(from.saturating_sub(from_sql(row.get(0)?))).unwrap_or(usize::MAX);
        let room = max - records.len();
        records.extend(split_lines(row.get(1)?).skip(skip).take(room));
    }
    Ok(records)
}

/// Returns all archived records of a game.
pub(super) fn read_all(connection: &Connection, game: &GameId) -> rusqlite::Result<Vec<Bytes>> {
    read(connection, game, 1, usize::MAX)
}

/// Splits a block into its records.
fn split_lines(lines: Vec<u8>) -> impl Iterator<Item = Bytes> {
    let lines = Bytes::from(lines);
    let mut from = 0;
    std::iter::from_fn(move || {
        let length = lines[from..].iter().position(|&byte| byte == b'\n')?;
        let line = lines.slice(from..from + length);
        from += length + 1;
        Some(line)
    })
}

/// Appends records to the blocks of a game.
pub(super) struct BlockAppender<'a> {
    connection: &'a Connection,
    game: &'a str,
    /// The seq of the first record of the current block.
    first: u64,
    /// The seq of the next record.
    next: u64,
    lines: Vec<u8>,
}

impl<'a> BlockAppender<'a> {
    /// Continues after the last record, in the last block if it is not full.
    pub(super) fn after(
        connection: &'a Connection,
        game: &'a str,
        last_seq: u64,
    ) -> rusqlite::Result<Self> {
        let next = last_seq + 1;
        let last: Option<(i64, Vec<u8>)> = connection
            .prepare_cached(
                "SELECT first, records FROM pieces WHERE game = ?1 AND first > ?2
                 ORDER BY first DESC LIMIT 1",
            )?
            .query_row(params![game, to_sql(next) - to_sql(RECORDS_PER_BLOCK)], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        let (first, lines) =
            last.map_or((next, Vec::new()), |(first, lines)| (from_sql(first), lines));
        Ok(Self { connection, game, first, next, lines })
    }

    /// Appends a record.
    pub(super) fn push(&mut self, record: &[u8]) -> rusqlite::Result<()> {
        self.lines.extend_from_slice(record);
        self.lines.push(b'\n');
        self.next += 1;
        if self.next - self.first < RECORDS_PER_BLOCK {
            return Ok(());
        }
        self.write_block()
    }

    /// Writes the last block; returns the seq of the last record.
    pub(super) fn finish(mut self) -> rusqlite::Result<u64> {
        if !self.lines.is_empty() {
            self.write_block()?;
        }
        Ok(self.next - 1)
    }

    fn write_block(&mut self) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO pieces (game, first, records) VALUES (?1, ?2, ?3)
                 ON CONFLICT (game, first) DO UPDATE SET records = excluded.records",
            )?
            .execute(params![self.game, to_sql(self.first), self.lines])?;
        self.lines.clear();
        self.first = self.next;
        Ok(())
    }
}

/// Splits the records of a database of an older version, which has one row for each game, into
/// blocks. One game's records are in memory at a time.
pub(super) fn split_rows(connection: &Connection) -> rusqlite::Result<()> {
    let mut select = connection.prepare("SELECT id, records FROM games")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let mut blocks = BlockAppender::after(connection, row.get_ref(0)?.as_str()?, 0)?;
        let lines = row.get_ref(1)?.as_blob()?;
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            blocks.push(line.strip_suffix(b"\n").unwrap_or(line))?;
        }
        blocks.finish()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::migrations;

    /// More records than several blocks have.
    const RECORDS: u64 = 5 * RECORDS_PER_BLOCK / 2;

    fn game() -> GameId {
        "g1".parse().unwrap()
    }

    fn record(seq: u64) -> Bytes {
        format!("{{\"seq\":{seq}}}").into()
    }

    fn database() -> Connection {
        let mut connection = Connection::open_in_memory().unwrap();
        migrations::migrate(&mut connection).unwrap();
        connection
    }

    fn add(connection: &Connection, records: std::ops::RangeInclusive<u64>) {
        let game = game();
        let last = records.start() - 1;
        let mut blocks = BlockAppender::after(connection, game.as_str(), last).unwrap();
        for seq in records {
            blocks.push(&record(seq)).unwrap();
        }
        blocks.finish().unwrap();
    }

    fn firsts(connection: &Connection) -> Vec<u64> {
        let mut select = connection.prepare("SELECT first FROM pieces ORDER BY first").unwrap();
        let firsts = select.query_map([], |row| row.get(0)).unwrap();
        firsts.map(|first| from_sql(first.unwrap())).collect()
    }

    #[test]
    fn records_are_read_from_any_seq_after_any_appends() {
        let whole = database();
        add(&whole, 1..=RECORDS);
        let in_steps = database();
        let mut last = 0;
        for step in [1, 2, RECORDS_PER_BLOCK, RECORDS_PER_BLOCK - 3, 7].into_iter().cycle() {
            let next = (last + step).min(RECORDS);
            add(&in_steps, last + 1..=next);
            last = next;
            if last == RECORDS {
                break;
            }
        }
        let blocks = [1, 1 + RECORDS_PER_BLOCK, 1 + 2 * RECORDS_PER_BLOCK];
        assert_eq!((firsts(&whole), firsts(&in_steps)), (blocks.to_vec(), blocks.to_vec()));
        for connection in [whole, in_steps] {
            for from in 1..=RECORDS + 2 {
                for max in [0, 1, 5, 128, 1000] {
                    let until = (from + max).min(RECORDS + 1);
                    let expected: Vec<Bytes> = (from..until).map(record).collect();
                    let max = usize::try_from(max).unwrap();
                    assert_eq!(read(&connection, &game(), from, max).unwrap(), expected);
                }
            }
            assert_eq!(read(&connection, &"g2".parse().unwrap(), 1, 9).unwrap(), [] as [Bytes; 0]);
        }
    }
}
