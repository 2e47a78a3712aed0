//! Recomputes the ratings from the records of rated games, and compares them with the stored ones
//! or replaces these.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

use adamant_protocol::{
    EventBody, EventFrame, GameId, UserName,
    values::{RatingChange, SeatUser},
};
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
    results::{
        self, RATING_COLUMNS, ResultSeat, StoredRating, read_pool, read_rating, read_seats,
        seats_after, write_rating, write_seats,
    },
};
use crate::{
    limits::CHECK_FINDINGS_MAX,
    ratings::{Pool, RatedResult},
};

/// The result of a check of the ratings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RatingsReport {
    /// Number of recomputed results.
    pub results: u64,
    /// The first differences between stored or recorded and computed ratings.
    pub differences: Vec<String>,
    /// Number of all differences.
    pub found: u64,
}

impl RatingsReport {
    fn add_difference(&mut self, difference: String) {
        self.found += 1;
        if self.differences.len() < CHECK_FINDINGS_MAX {
            self.differences.push(difference);
        }
    }
}

/// What to do with differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RatingsMode {
    /// Report them. A server may be running.
    Check,
    /// Store the computed ratings. No server may be running.
    Rebuild,
}

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
    let mut check = RatingsCheck {
        connection,
        mode,
        table: RatingTable::new(),
        report: RatingsReport::default(),
    };
    check.run(progress)?;
    Ok(check.report)
}

/// The ratings of all users, by pool and user.
type RatingTable = BTreeMap<(String, UserName), StoredRating>;

struct RatingsCheck<'a> {
    connection: &'a Connection,
    mode: RatingsMode,
    table: RatingTable,
    report: RatingsReport,
}

/// The result of a game by its records.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RecordedResult {
    result: RatedResult,
    published: Vec<RatingChange>,
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
            self.report.results += 1;
            progress(self.report.results, total);
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
        is_in_journal: bool,
    ) -> rusqlite::Result<()> {
        let recorded = match recorded(records) {
            Ok(recorded) => recorded,
            Err(why) => {
                self.report.add_difference(format!("game {game}: {why}"));
                return Ok(());
            }
        };
        let pool = recorded.result.pool.to_string();
        let users = recorded.result.users.iter().map(UserName::folded);
        let keys: Vec<_> = users.map(|user| (pool.clone(), user)).collect();
        let start = StoredRating::START;
        let before: Vec<StoredRating> =
            keys.iter().map(|key| *self.table.get(key).unwrap_or(&start)).collect();
        let (seats, after) = seats_after(&recorded.result, &before);
        self.table.extend(keys.into_iter().zip(after));
        self.compare_published(game, &recorded.published, &results::change(&seats), is_in_journal);
        self.compare_stored(id, game, &recorded.result.pool, &seats)
    }

    /// Compares with the recorded `rated` event. A game that is still in the journal may have none.
    fn compare_published(
        &mut self,
        game: &GameId,
        published: &[RatingChange],
        computed: &RatingChange,
        is_in_journal: bool,
    ) {
        match published {
            [] if is_in_journal => {}
            [once] if once == computed => {}
            [once] => self.report.add_difference(format!(
                "game {game}: its record has {}, computed {}",
                format_change(once),
                format_change(computed)
            )),
            _ => {
                let times = published.len();
                self.report
                    .add_difference(format!("game {game}: its record has {times} rating changes"));
            }
        }
    }

    fn compare_stored(
        &mut self,
        id: Option<i64>,
        game: &GameId,
        pool: &Pool,
        seats: &[ResultSeat],
    ) -> rusqlite::Result<()> {
        let stored = match id {
            Some(id) => Some(self.connection.query_row(
                "SELECT pool, seats FROM results WHERE id = ?1",
                [id],
                |row| Ok((read_pool(row, 0)?, read_seats(row, 1)?)),
            )?),
            None => None,
        };
        match &stored {
            Some((stored_pool, stored_seats)) if stored_pool == pool && stored_seats == seats => {
                return Ok(());
            }
            Some((stored_pool, stored_seats)) => self.report.add_difference(format!(
                "game {game}: its result is stored as {stored_pool} {}, computed {pool} {}",
                format_seats(stored_seats),
                format_seats(seats)
            )),
            None => {
                self.report.add_difference(format!("game {game}: it counts, but has no result"));
            }
        }
        if self.mode == RatingsMode::Rebuild {
            self.connection.execute(
                "INSERT INTO results (id, game, pool, seats) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (id) DO UPDATE SET pool = excluded.pool, seats = excluded.seats",
                params![id, game.as_str(), pool.to_string(), write_seats(seats)],
            )?;
        }
        Ok(())
    }

    /// Compares the computed with the stored ratings.
    fn compare_ratings(&mut self) -> rusqlite::Result<()> {
        let mut stored: RatingTable = self
            .connection
            .prepare(&format!("SELECT {RATING_COLUMNS}, pool, user FROM ratings"))?
            .query_map([], |row| {
                let user = super::rows::read_name(row, 8)?;
                Ok(((row.get(7)?, user), read_rating(row, 0)?))
            })?
            .collect::<rusqlite::Result<_>>()?;
        for ((pool, user), computed) in &self.table {
            let found = stored.remove(&(pool.clone(), user.clone()));
            if found != Some(*computed) {
                let computed = format_rating(computed);
                let found = found.as_ref().map_or_else(|| "no rating".to_owned(), format_rating);
                self.report
                    .add_difference(format!("{pool} {user}: stored {found}, computed {computed}"));
            }
        }
        for ((pool, user), found) in stored {
            let found = format_rating(&found);
            self.report
                .add_difference(format!("{pool} {user}: stored {found}, but no game counts"));
        }
        if self.mode == RatingsMode::Rebuild {
            self.connection.execute("DELETE FROM ratings", [])?;
            for ((pool, user), rating) in &self.table {
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

/// Reads the result of a game from its records.
fn recorded(records: &[Bytes]) -> Result<RecordedResult, String> {
    let mut agreed: Option<(Box<str>, bool)> = None;
    let mut seats: Vec<SeatUser> = Vec::new();
    let (mut places, mut published) = (None, Vec::new());
    for (number, record) in (1..).zip(records) {
        let frame = EventFrame::from_bytes(record)
            .map_err(|error| format!("its record {number} is unreadable: {error}"))?;
        match frame.body {
            EventBody::Created(created) => {
                agreed = Some((created.rules.name, created.rated));
                seats = created.seats;
            }
            EventBody::Swapped(swapped) => seats = swapped.seats,
            EventBody::Ended(ended) => places = Some(ended.places),
            EventBody::Rated(rated) => {
                published.push(RatingChange { before: rated.before, after: rated.after });
            }
            EventBody::Started(_)
            | EventBody::Moved(_)
            | EventBody::Skipped(_)
            | EventBody::Removed(_)
            | EventBody::Offered(_)
            | EventBody::Agreed(_)
            | EventBody::OfferClosed(_)
            | EventBody::TakenBack(_)
            | EventBody::ClockAdjusted(_)
            | EventBody::Aborted(_)
            | EventBody::Unknown(_) => {}
        }
    }
    let (rules, rated) = agreed.ok_or("it has no records")?;
    let places = places.ok_or("it counts, but its record has no result")?;
    if !rated || seats.iter().any(|seat| seat.guest) || places.len() != seats.len() {
        return Err("it counts, but should not by its record".to_owned());
    }
    let players = u8::try_from(seats.len()).map_err(|error| error.to_string())?;
    let users = seats.into_iter().map(|seat| seat.user).collect();
    let result = RatedResult { pool: Pool { rules, players }, users, places };
    Ok(RecordedResult { result, published })
}

fn format_change(change: &RatingChange) -> String {
    format!("{:?} -> {:?}", change.before, change.after)
}

fn format_seats(seats: &[ResultSeat]) -> String {
    let seat = |seat: &ResultSeat| {
        let (before, after) = (seat.before.milli, seat.after.milli);
        format!("{} {}. {:.3} -> {:.3}", seat.user, seat.place, points(before), points(after))
    };
    seats.iter().map(seat).collect::<Vec<_>>().join(", ")
}

fn format_rating(rating: &StoredRating) -> String {
    let (rating, score) = (rating.rating, rating.score);
    format!(
        "{:.3} ±{:.3} after {} games ({} won, {} drawn, {} lost)",
        points(rating.milli),
        points(rating.deviation_milli),
        score.games,
        score.wins,
        score.draws,
        score.losses
    )
}

fn points(milli: u32) -> f64 {
    f64::from(milli) / 1000.0
}
