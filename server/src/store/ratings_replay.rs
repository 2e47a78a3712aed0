//! Rates the results of recorded games again, and compares what is stored with what they lead to.
//! The databases read the records and the stored ratings.

use std::collections::BTreeMap;

use adamant_protocol::{
    EventBody, EventFrame, GameId, UserName,
    values::{RatingChange, SeatUser},
};
use bytes::Bytes;

use super::rated_results::{ResultSeat, StoredRating, change, seats_after};
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

/// The ratings of all users, by pool and user.
pub(crate) type RatingTable = BTreeMap<(String, UserName), StoredRating>;

/// A result as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredResult {
    pub(crate) pool: Pool,
    pub(crate) seats: Vec<ResultSeat>,
}

/// The result of a game by its records, with the rating changes that these have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordedResult {
    result: RatedResult,
    published: Vec<RatingChange>,
}

/// Rates results one after the other.
#[derive(Debug, Default)]
pub(crate) struct RatingsReplay {
    table: RatingTable,
    report: RatingsReport,
}

impl RatingsReplay {
    /// Rates the next result and compares. Returns the computed result if another or none is
    /// stored. A game that `is_live` may not have its `rated` event yet.
    pub(crate) fn rate(
        &mut self,
        game: &GameId,
        recorded: Result<RecordedResult, String>,
        stored: Option<&StoredResult>,
        is_live: bool,
    ) -> Option<StoredResult> {
        self.report.results += 1;
        let RecordedResult { result, published } = match recorded {
            Ok(recorded) => recorded,
            Err(why) => {
                self.report.add_difference(format!("game {game}: {why}"));
                return None;
            }
        };
        let pool = result.pool.to_string();
        let users = result.users.iter().map(UserName::folded);
        let keys: Vec<_> = users.map(|user| (pool.clone(), user)).collect();
        let start = StoredRating::START;
        let before: Vec<StoredRating> =
            keys.iter().map(|key| *self.table.get(key).unwrap_or(&start)).collect();
        let (seats, after) = seats_after(&result, &before);
        self.table.extend(keys.into_iter().zip(after));
        self.compare_published(game, &published, &change(&seats), is_live);
        let computed = StoredResult { pool: result.pool, seats };
        self.compare_stored(game, stored, &computed).then_some(computed)
    }

    /// Compares with the recorded `rated` event. A live game may have none.
    fn compare_published(
        &mut self,
        game: &GameId,
        published: &[RatingChange],
        computed: &RatingChange,
        is_live: bool,
    ) {
        match published {
            [] if is_live => {}
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

    /// Compares a stored result with the computed one; returns whether they differ.
    fn compare_stored(
        &mut self,
        game: &GameId,
        stored: Option<&StoredResult>,
        computed: &StoredResult,
    ) -> bool {
        match stored {
            Some(stored) if stored == computed => return false,
            Some(stored) => self.report.add_difference(format!(
                "game {game}: its result is stored as {} {}, computed {} {}",
                stored.pool,
                format_seats(&stored.seats),
                computed.pool,
                format_seats(&computed.seats)
            )),
            None => {
                self.report.add_difference(format!("game {game}: it counts, but has no result"));
            }
        }
        true
    }

    /// Compares the stored ratings with the computed ones.
    pub(crate) fn compare_ratings(&mut self, mut stored: RatingTable) {
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
    }

    /// The computed ratings.
    pub(crate) fn table(&self) -> &RatingTable {
        &self.table
    }

    /// The number of results so far.
    pub(crate) const fn results(&self) -> u64 {
        self.report.results
    }

    /// Returns what was found.
    pub(crate) fn into_report(self) -> RatingsReport {
        self.report
    }
}

/// Reads the result of a game from its records.
pub(crate) fn recorded(records: &[Bytes]) -> Result<RecordedResult, String> {
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
