//! Statements that rate a result. They run in the transaction that appends the game's end, so that
//! neither is stored without the other.

use adamant_protocol::{GameId, UserName, values::RatingChange};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize};

use crate::{
    ratings::{self, Pool, RatedResult, Rating},
    store::Score,
};

/// A seat of a stored result, in the order of the seats at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ResultSeat {
    /// The folded name.
    pub(super) user: UserName,
    /// The place from 1.
    pub(super) place: u8,
    /// The rating before the game.
    pub(super) before: Rating,
    /// The rating after the game.
    pub(super) after: Rating,
}

/// A user's rating and score in a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredRating {
    pub(super) rating: Rating,
    pub(super) score: Score,
}

impl StoredRating {
    /// The rating before the first game.
    pub(super) const START: Self = Self { rating: Rating::START, score: Score::NONE };
}

/// Higher than every rating, in thousandths: it sorts provisional ratings behind the others.
const RANK_STEP: i64 = 1 << 32;

/// Returns the key that sorts ratings: the strongest first, provisional ones last.
pub(super) fn rank_key(rating: Rating) -> i64 {
    let step = if rating.is_provisional() { 2 * RANK_STEP } else { RANK_STEP };
    step - i64::from(rating.milli)
}

/// Computes the seats of a result and the ratings after it, in the order of the seats.
pub(super) fn seats_after(
    result: &RatedResult,
    before: &[StoredRating],
) -> (Vec<ResultSeat>, Vec<StoredRating>) {
    let ratings: Vec<Rating> = before.iter().map(|strength| strength.rating).collect();
    let after = ratings::rate(&ratings, &result.places);
    let seats = result.users.iter().zip(&result.places).zip(ratings.iter().zip(&after));
    let seats = seats
        .map(|((user, place), (before, after))| ResultSeat {
            user: user.folded(),
            place: *place,
            before: *before,
            after: *after,
        })
        .collect();
    let strengths = before
        .iter()
        .zip(&after)
        .zip(&result.places)
        .map(|((before, rating), place)| StoredRating {
            rating: *rating,
            score: before.score.with(*place, &result.places),
        })
        .collect();
    (seats, strengths)
}

/// Returns the rating change that clients receive.
pub(super) fn change(seats: &[ResultSeat]) -> RatingChange {
    let all = |rating: fn(&ResultSeat) -> Rating| seats.iter().map(rating).collect::<Vec<_>>();
    ratings::change(&all(|seat| seat.before), &all(|seat| seat.after))
}

/// Rates a result and stores it.
pub(super) fn rate(
    connection: &Connection,
    game: &GameId,
    result: &RatedResult,
) -> rusqlite::Result<RatingChange> {
    let pool = result.pool.to_string();
    let before = result
        .users
        .iter()
        .map(|user| stored_rating(connection, &pool, user))
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let (seats, after) = seats_after(result, &before);
    connection
        .prepare_cached("INSERT INTO results (game, pool, seats) VALUES (?1, ?2, ?3)")?
        .execute(params![game.as_str(), pool, write_seats(&seats)])?;
    for (seat, strength) in seats.iter().zip(&after) {
        write_rating(connection, &pool, &seat.user, *strength)?;
    }
    Ok(change(&seats))
}

/// Returns the rating change of a game.
pub(super) fn change_of(
    connection: &Connection,
    game: &GameId,
) -> rusqlite::Result<Option<RatingChange>> {
    connection
        .prepare_cached("SELECT seats FROM results WHERE game = ?1")?
        .query_row([game.as_str()], |row| read_seats(row, 0))
        .optional()
        .map(|seats| seats.map(|seats| change(&seats)))
}

pub(super) fn write_seats(seats: &[ResultSeat]) -> String {
    serde_json::to_string(seats).expect("seats are plain data")
}

pub(super) fn read_seats(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<ResultSeat>> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            Box::new(error),
        )
    })
}

pub(super) fn read_pool(row: &Row<'_>, column: usize) -> rusqlite::Result<Pool> {
    let text: String = row.get(column)?;
    Pool::parse(&text).ok_or_else(|| {
        rusqlite::Error::InvalidColumnType(column, text, rusqlite::types::Type::Text)
    })
}

/// The columns that [`read_rating`] reads, in its order.
pub(super) const RATING_COLUMNS: &str = "ratings.rating, ratings.deviation, ratings.volatility, \
                                           ratings.games, ratings.wins, ratings.draws, ratings.losses";

/// Reads the columns from `first` on.
pub(super) fn read_rating(row: &Row<'_>, first: usize) -> rusqlite::Result<StoredRating> {
    Ok(StoredRating {
        rating: Rating {
            milli: row.get(first)?,
            deviation_milli: row.get(first + 1)?,
            volatility_nano: row.get(first + 2)?,
        },
        score: Score {
            games: row.get(first + 3)?,
            wins: row.get(first + 4)?,
            draws: row.get(first + 5)?,
            losses: row.get(first + 6)?,
        },
    })
}

fn stored_rating(
    connection: &Connection,
    pool: &str,
    user: &UserName,
) -> rusqlite::Result<StoredRating> {
    connection
        .prepare_cached(&format!(
            "SELECT {RATING_COLUMNS} FROM ratings WHERE user = ?1 AND pool = ?2"
        ))?
        .query_row([user.folded().as_str(), pool], |row| read_rating(row, 0))
        .optional()
        .map(|strength| strength.unwrap_or(StoredRating::START))
}

/// Writes a user's rating and score in a pool.
pub(super) fn write_rating(
    connection: &Connection,
    pool: &str,
    user: &UserName,
    strength: StoredRating,
) -> rusqlite::Result<()> {
    let StoredRating { rating, score } = strength;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO ratings (user, pool, rank_key, rating, deviation, volatility,
                 games, wins, draws, losses)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            user.as_str(),
            pool,
            rank_key(rating),
            rating.milli,
            rating.deviation_milli,
            rating.volatility_nano,
            score.games,
            score.wins,
            score.draws,
            score.losses,
        ])?;
    Ok(())
}
