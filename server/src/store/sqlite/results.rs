//! Statements that rate a result. They run in the transaction that appends the game's end, so that
//! neither is stored without the other.

use adamant_protocol::{GameId, UserName, values::RatingChange};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::{
    ratings::{Pool, RatedResult, Rating},
    store::{
        Score,
        rated_results::{ResultSeat, StoredRating, change, rank_key, seats_after, seats_text},
    },
};

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
        .execute(params![game.as_str(), pool, seats_text(&seats)])?;
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
                 games, wins, draws, losses, bot)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, EXISTS
                 (SELECT 1 FROM users WHERE folded = ?1 AND (house OR owner IS NOT NULL)))",
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
