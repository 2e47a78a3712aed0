//! Recomputes the ratings from the records of rated games, and compares them with the stored ones
//! or replaces these.

use std::{collections::HashMap, path::Path};

use adamant_protocol::GameId;
use bytes::Bytes;
use rusqlite::{Connection, OpenFlags, TransactionBehavior, params};

use super::{
    connection::configure,
    file_names::DATABASE_FILE,
    lock::DirectoryLock,
    migrations,
    open_error::OpenError,
    open_mode::open_existing,
    record_blocks,
    results::{RATING_COLUMNS, read_pool, read_rating, read_seats, write_rating},
};
use crate::store::{
    check_report::RatingsMode,
    rated_results::seats_text,
    ratings_replay::{RatingTable, RatingsReplay, RatingsReport, StoredResult, recorded},
};

/// Rates every result again, in order. `progress` receives the number done and the total.
pub(crate) fn check_ratings(
    directory: &Path,
    mode: RatingsMode,
    mut progress: impl FnMut(u64, u64),
) -> Result<RatingsReport, OpenError> {
    let database = directory.join(DATABASE_FILE);
    let (_lock, mut connection) = match mode {
        RatingsMode::Check => (None, open_existing(&database)?),
        RatingsMode::Rebuild => {
            let lock = DirectoryLock::acquire(directory)?;
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(database, flags)?;
            configure(&connection)?;
            migrations::expect_current(&connection)?;
            (Some(lock), connection)
        }
    };
    let behavior = match mode {
        RatingsMode::Check => TransactionBehavior::Deferred,
        RatingsMode::Rebuild => TransactionBehavior::Immediate,
    };
    // One transaction, so that the check sees no changes of a running server.
    let transaction = connection.transaction_with_behavior(behavior)?;
    let report = compare(&transaction, mode, &mut progress)?;
    transaction.commit()?;
    Ok(report)
}

/// Like [`check_ratings`], in an open transaction.
pub(super) fn compare(
    connection: &Connection,
    mode: RatingsMode,
    progress: &mut impl FnMut(u64, u64),
) -> rusqlite::Result<RatingsReport> {
    let mut check = RatingsCheck { connection, mode, replay: RatingsReplay::default() };
    check.run(progress)?;
    Ok(check.replay.into_report())
}

struct RatingsCheck<'a> {
    connection: &'a Connection,
    mode: RatingsMode,
    replay: RatingsReplay,
}

impl RatingsCheck<'_> {
    fn run(&mut self, progress: &mut impl FnMut(u64, u64)) -> rusqlite::Result<()> {
        let in_journal = self.journal_records()?;
        let listed = self.listed()?;
        let unlisted = self.unlisted()?;
        let total = (listed.len() + unlisted.len()) as u64;
        for (id, game) in listed
            .into_iter()
            .map(|(id, game)| (Some(id), game))
            .chain(unlisted.into_iter().map(|game| (None, game)))
        {
            let records = match in_journal.get(&game) {
                Some(records) => records.clone(),
                None => record_blocks::read_all(self.connection, &game)?,
            };
            self.rate(id, &game, &records, in_journal.contains_key(&game))?;
            progress(self.replay.results(), total);
        }
        self.compare_ratings()
    }

    /// Returns the games with a stored result, in the order in which they were rated.
    fn listed(&self) -> rusqlite::Result<Vec<(i64, GameId)>> {
        self.connection
            .prepare("SELECT id, game FROM results ORDER BY id")?
            .query_map([], |row| Ok((row.get(0)?, read_game(row, 1)?)))?
            .collect()
    }

    /// Returns finished games with a recorded rating but without a stored result, in the order in
    /// which they ended.
    fn unlisted(&self) -> rusqlite::Result<Vec<GameId>> {
        self.connection
            .prepare(
                "SELECT id FROM games WHERE state = 'finished' AND id NOT IN (SELECT game FROM results)
                   AND json_extract(entry, '$.ratings') IS NOT NULL
                 ORDER BY json_extract(entry, '$.last_at'), id",
            )?
            .query_map([], |row| read_game(row, 0))?
            .collect()
    }

    /// Returns the records of rated games with records in the journal.
    fn journal_records(&self) -> rusqlite::Result<HashMap<GameId, Vec<Bytes>>> {
        let mut select = self.connection.prepare(
            "SELECT game, record FROM journal WHERE game IN (SELECT game FROM results)
             AND seq > COALESCE((SELECT last_seq FROM games WHERE games.id = game), 0) ORDER BY id",
        )?;
        let mut rows = select.query([])?;
        let mut in_journal: HashMap<GameId, Vec<Bytes>> = HashMap::new();
        while let Some(row) = rows.next()? {
            let game = read_game(row, 0)?;
            let record = Bytes::from(row.get::<_, Vec<u8>>(1)?);
            if let Some(records) = in_journal.get_mut(&game) {
                records.push(record);
            } else {
                // The first records of a game that was parked are in blocks.
                let mut records = record_blocks::read_all(self.connection, &game)?;
                records.push(record);
                in_journal.insert(game, records);
            }
        }
        Ok(in_journal)
    }

    /// Rates a game again and compares.
    fn rate(
        &mut self,
        id: Option<i64>,
        game: &GameId,
        records: &[Bytes],
        is_live: bool,
    ) -> rusqlite::Result<()> {
        let stored = match id {
            Some(id) => Some(self.connection.query_row(
                "SELECT pool, seats FROM results WHERE id = ?1",
                [id],
                |row| Ok(StoredResult { pool: read_pool(row, 0)?, seats: read_seats(row, 1)? }),
            )?),
            None => None,
        };
        let differs = self.replay.rate(game, recorded(records), stored.as_ref(), is_live);
        if let Some(StoredResult { pool, seats }) = differs
            && self.mode == RatingsMode::Rebuild
        {
            self.connection.execute(
                "INSERT INTO results (id, game, pool, seats) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (id) DO UPDATE SET pool = excluded.pool, seats = excluded.seats",
                params![id, game.as_str(), pool.to_string(), seats_text(&seats)],
            )?;
        }
        Ok(())
    }

    /// Compares the computed with the stored ratings.
    fn compare_ratings(&mut self) -> rusqlite::Result<()> {
        let stored: RatingTable = self
            .connection
            .prepare(&format!("SELECT {RATING_COLUMNS}, pool, user FROM ratings"))?
            .query_map([], |row| {
                let user = super::rows::read_name(row, 8)?;
                Ok(((row.get(7)?, user), read_rating(row, 0)?))
            })?
            .collect::<rusqlite::Result<_>>()?;
        self.replay.compare_ratings(stored);
        if self.mode == RatingsMode::Rebuild {
            self.connection.execute("DELETE FROM ratings", [])?;
            for ((pool, user), rating) in self.replay.table() {
                write_rating(self.connection, pool, user, *rating)?;
            }
        }
        Ok(())
    }
}

fn read_game(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<GameId> {
    row.get::<_, String>(column)?.parse().map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            Box::new(error),
        )
    })
}
