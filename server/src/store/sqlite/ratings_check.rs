//! The ratings from scratch, out of the records of the games that count, compared with those that
//! are stored; or stored in their place.

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
    OpenError,
    database::DATABASE_FILE,
    integrity_check,
    lock::DirectoryLock,
    migrations, record_blocks,
    results::{
        self, ResultSeat, STRENGTH_COLUMNS, Strength, put_strength, read_pool, read_seats,
        read_strength, seats_after, write_seats,
    },
};
use crate::{
    limits::CHECK_FINDINGS_MAX,
    ratings::{Pool, RatedResult},
};

/// What an audit has found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// How many results were rated again.
    pub results: u64,
    /// What is stored or recorded otherwise than it should be: the first few of them.
    pub differences: Vec<String>,
    /// How many there are.
    pub found: u64,
}

impl Report {
    fn differs(&mut self, difference: String) {
        self.found += 1;
        if self.differences.len() < CHECK_FINDINGS_MAX {
            self.differences.push(difference);
        }
    }
}

/// What to do about differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Name them. A server may be running.
    Check,
    /// Store what was computed. No server may be running.
    Rebuild,
}

/// Rates every result again, in order. `progress` is told how many of how many are done.
pub(crate) fn audit(
    directory: &Path,
    mode: Mode,
    mut progress: impl FnMut(u64, u64),
) -> Result<Report, OpenError> {
    let database = directory.join(DATABASE_FILE);
    let (_lock, mut connection) = match mode {
        Mode::Check => (None, integrity_check::open(&database)?),
        Mode::Rebuild => {
            let lock = DirectoryLock::take(directory)?;
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(database, flags)?;
            migrations::prepare(&connection)?;
            migrations::expect_current(&connection)?;
            (Some(lock), connection)
        }
    };
    let behavior = match mode {
        Mode::Check => TransactionBehavior::Deferred,
        Mode::Rebuild => TransactionBehavior::Immediate,
    };
    // One transaction: whatever a running server does meanwhile is not seen.
    let transaction = connection.transaction_with_behavior(behavior)?;
    let report = compare(&transaction, mode, &mut progress)?;
    transaction.commit()?;
    Ok(report)
}

/// The same in a transaction that is open.
pub(super) fn compare(
    connection: &Connection,
    mode: Mode,
    progress: &mut impl FnMut(u64, u64),
) -> rusqlite::Result<Report> {
    let mut audit = Audit { connection, mode, ledger: Ledger::new(), report: Report::default() };
    audit.run(progress)?;
    Ok(audit.report)
}

/// What everybody has come to, by pool and user.
type Ledger = BTreeMap<(String, UserName), Strength>;

struct Audit<'a> {
    connection: &'a Connection,
    mode: Mode,
    ledger: Ledger,
    report: Report,
}

/// What a game's records say about its result.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Recorded {
    result: RatedResult,
    told: Vec<RatingChange>,
}

impl Audit<'_> {
    fn run(&mut self, progress: &mut impl FnMut(u64, u64)) -> rusqlite::Result<()> {
        let hot = self.hot_records()?;
        let listed = self.listed()?;
        let unlisted = self.unlisted()?;
        let total = (listed.len() + unlisted.len()) as u64;
        for (id, game) in listed
            .into_iter()
            .map(|(id, game)| (Some(id), game))
            .chain(unlisted.into_iter().map(|game| (None, game)))
        {
            let records = match hot.get(&game) {
                Some(records) => records.clone(),
                None => record_blocks::read_all(self.connection, &game)?,
            };
            self.rate(id, &game, &records, hot.contains_key(&game))?;
            self.report.results += 1;
            progress(self.report.results, total);
        }
        self.compare_ratings()
    }

    /// The games that are rated, in the order in which they were.
    fn listed(&self) -> rusqlite::Result<Vec<(i64, GameId)>> {
        self.connection
            .prepare("SELECT id, game FROM results ORDER BY id")?
            .query_map([], |row| Ok((row.get(0)?, read_game(row, 1)?)))?
            .collect()
    }

    /// Finished games whose records tell of a rating, but that are not listed, in the order in which
    /// they ended.
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

    /// The records of rated games that have yet to leave the journal.
    fn hot_records(&self) -> rusqlite::Result<HashMap<GameId, Vec<Bytes>>> {
        let mut select = self.connection.prepare(
            "SELECT game, record FROM journal WHERE game IN (SELECT game FROM results)
             AND seq > COALESCE((SELECT last_seq FROM games WHERE games.id = game), 0) ORDER BY id",
        )?;
        let mut rows = select.query([])?;
        let mut hot: HashMap<GameId, Vec<Bytes>> = HashMap::new();
        while let Some(row) = rows.next()? {
            let game = read_game(row, 0)?;
            let record = Bytes::from(row.get::<_, Vec<u8>>(1)?);
            if let Some(records) = hot.get_mut(&game) {
                records.push(record);
            } else {
                // A game that was parked before has its first records in pieces.
                let mut records = record_blocks::read_all(self.connection, &game)?;
                records.push(record);
                hot.insert(game, records);
            }
        }
        Ok(hot)
    }

    /// Rates one game again and compares.
    fn rate(
        &mut self,
        id: Option<i64>,
        game: &GameId,
        records: &[Bytes],
        is_hot: bool,
    ) -> rusqlite::Result<()> {
        let recorded = match recorded(records) {
            Ok(recorded) => recorded,
            Err(why) => {
                self.report.differs(format!("game {game}: {why}"));
                return Ok(());
            }
        };
        let pool = recorded.result.pool.to_string();
        let users = recorded.result.users.iter().map(UserName::folded);
        let keys: Vec<_> = users.map(|user| (pool.clone(), user)).collect();
        let start = Strength::START;
        let before: Vec<Strength> =
            keys.iter().map(|key| *self.ledger.get(key).unwrap_or(&start)).collect();
        let (seats, after) = seats_after(&recorded.result, &before);
        self.ledger.extend(keys.into_iter().zip(after));
        self.compare_told(game, &recorded.told, &results::change(&seats), is_hot);
        self.compare_stored(id, game, &recorded.result.pool, &seats)
    }

    /// Compares with what everybody was told. Between the end and the telling a game is hot.
    fn compare_told(
        &mut self,
        game: &GameId,
        told: &[RatingChange],
        computed: &RatingChange,
        is_hot: bool,
    ) {
        match told {
            [] if is_hot => {}
            [once] if once == computed => {}
            [once] => self.report.differs(format!(
                "game {game}: its record tells {}, computed {}",
                shown(once),
                shown(computed)
            )),
            _ => {
                let times = told.len();
                self.report.differs(format!("game {game}: its record tells {times} ratings"));
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
            Some((stored_pool, stored_seats)) => self.report.differs(format!(
                "game {game}: its result is stored as {stored_pool} {}, computed {pool} {}",
                shown_seats(stored_seats),
                shown_seats(seats)
            )),
            None => self.report.differs(format!("game {game}: it counts, but has no result")),
        }
        if self.mode == Mode::Rebuild {
            self.connection.execute(
                "INSERT INTO results (id, game, pool, seats) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (id) DO UPDATE SET pool = excluded.pool, seats = excluded.seats",
                params![id, game.as_str(), pool.to_string(), write_seats(seats)],
            )?;
        }
        Ok(())
    }

    /// Compares what everybody has come to.
    fn compare_ratings(&mut self) -> rusqlite::Result<()> {
        let mut stored: Ledger = self
            .connection
            .prepare(&format!("SELECT {STRENGTH_COLUMNS}, pool, user FROM ratings"))?
            .query_map([], |row| {
                let user = super::users::read_name(row, 8)?;
                Ok(((row.get(7)?, user), read_strength(row, 0)?))
            })?
            .collect::<rusqlite::Result<_>>()?;
        for ((pool, user), computed) in &self.ledger {
            let found = stored.remove(&(pool.clone(), user.clone()));
            if found != Some(*computed) {
                let computed = shown_strength(computed);
                let found = found.as_ref().map_or_else(|| "no rating".to_owned(), shown_strength);
                self.report.differs(format!("{pool} {user}: stored {found}, computed {computed}"));
            }
        }
        for ((pool, user), found) in stored {
            let found = shown_strength(&found);
            self.report.differs(format!("{pool} {user}: stored {found}, but no game counts"));
        }
        if self.mode == Mode::Rebuild {
            self.connection.execute("DELETE FROM ratings", [])?;
            for ((pool, user), strength) in &self.ledger {
                put_strength(self.connection, pool, user, *strength)?;
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

/// What records say about the result of their game.
fn recorded(records: &[Bytes]) -> Result<Recorded, String> {
    let mut agreed: Option<(Box<str>, bool)> = None;
    let mut seats: Vec<SeatUser> = Vec::new();
    let (mut places, mut told) = (None, Vec::new());
    for (number, record) in (1..).zip(records) {
        let frame = EventFrame::from_bytes(record)
            .map_err(|error| format!("its record {number} cannot be read: {error}"))?;
        match frame.body {
            EventBody::Created(created) => {
                agreed = Some((created.rules.name, created.rated));
                seats = created.seats;
            }
            EventBody::Swapped(swapped) => seats = swapped.seats,
            EventBody::Ended(ended) => places = Some(ended.places),
            EventBody::Rated(rated) => {
                told.push(RatingChange { before: rated.before, after: rated.after });
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
    Ok(Recorded { result, told })
}

fn shown(change: &RatingChange) -> String {
    format!("{:?} -> {:?}", change.before, change.after)
}

fn shown_seats(seats: &[ResultSeat]) -> String {
    let seat = |seat: &ResultSeat| {
        let (before, after) = (seat.before.milli, seat.after.milli);
        format!("{} {}. {:.3} -> {:.3}", seat.user, seat.place, units(before), units(after))
    };
    seats.iter().map(seat).collect::<Vec<_>>().join(", ")
}

fn shown_strength(strength: &Strength) -> String {
    let (rating, score) = (strength.rating, strength.score);
    format!(
        "{:.3} ±{:.3} after {} games ({} won, {} drawn, {} lost)",
        units(rating.milli),
        units(rating.deviation_milli),
        score.games,
        score.wins,
        score.draws,
        score.losses
    )
}

fn units(milli: u32) -> f64 {
    f64::from(milli) / 1000.0
}
