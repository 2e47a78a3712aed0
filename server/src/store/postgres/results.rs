//! Statements that rate a result, in the transaction that appends the game's end.

use std::collections::{BTreeSet, HashMap};

use adamant_protocol::{GameId, UserName, values::RatingChange};

use super::{failure::Failure, transaction::Transaction, values::parse};
use crate::{
    ratings::{RatedResult, Rating},
    store::{
        Score,
        rated_results::{ResultSeat, StoredRating, change, rank_key, seats_after, seats_text},
        ratings_replay::RatingTable,
    },
};

/// Adds the rows of users without a rating, in the order of the names, and waits for transactions
/// that add the same ones.
const ADD: &str = "INSERT INTO ratings (pool, user_name, rank_key, rating, deviation, volatility,
        games, wins, draws, losses)
    SELECT $1, user_name, $3, $4, $5, $6, 0, 0, 0, 0 FROM unnest($2::text[]) AS new (user_name)
    ORDER BY user_name
    ON CONFLICT DO NOTHING";

/// Locks the rows of users in the order of the names, so that no two transactions wait for each
/// other.
const LOCK: &str = "SELECT user_name, rating, deviation, volatility, games, wins, draws, losses
    FROM ratings WHERE pool = $1 AND user_name = ANY ($2)
    ORDER BY user_name FOR NO KEY UPDATE";

const UPDATE: &str = "UPDATE ratings SET rank_key = $3, rating = $4, deviation = $5,
        volatility = $6, games = $7, wins = $8, draws = $9, losses = $10
    WHERE pool = $1 AND user_name = $2";

/// Rates a result and stores it. The result draws its id while its users are locked: the ids of two
/// results with a common user are in the order in which they were rated.
pub(super) async fn rate(
    transaction: &Transaction,
    game: &GameId,
    result: &RatedResult,
) -> Result<RatingChange, Failure> {
    let pool = result.pool.to_string();
    let users: BTreeSet<UserName> = result.users.iter().map(UserName::folded).collect();
    let users: Vec<&str> = users.iter().map(UserName::as_str).collect();
    let found = locked(transaction, &pool, &users).await?;
    let stored = |user: &UserName| found.get(&user.folded()).copied();
    let before: Vec<StoredRating> =
        result.users.iter().map(|user| stored(user).unwrap_or(StoredRating::START)).collect();
    let (seats, after) = seats_after(result, &before);
    let insert = "INSERT INTO results (game, pool, seats) VALUES ($1, $2, $3)";
    transaction.execute(insert, &[&game.as_str(), &pool, &seats_text(&seats)]).await?;
    for (seat, strength) in seats.iter().zip(&after) {
        write(transaction, &pool, &seat.user, *strength).await?;
    }
    Ok(change(&seats))
}

/// Locks the users' rows, of which there is one for each, and reads them.
async fn locked(
    transaction: &Transaction,
    pool: &str,
    users: &[&str],
) -> Result<HashMap<UserName, StoredRating>, Failure> {
    let start = StoredRating::START.rating;
    let (rating, deviation, volatility) = columns(start);
    let add: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
        [&pool, &users, &rank_key(start), &rating, &deviation, &volatility];
    transaction.execute(ADD, &add).await?;
    let rows = transaction.query(LOCK, &[&pool, &users]).await?;
    let number = |row: &tokio_postgres::Row, column: usize| -> Result<u32, Failure> {
        let number: i32 = row.try_get(column)?;
        Ok(u32::try_from(number).unwrap_or(0))
    };
    rows.iter()
        .map(|row| {
            let rating = Rating {
                milli: number(row, 1)?,
                deviation_milli: number(row, 2)?,
                volatility_nano: number(row, 3)?,
            };
            let score = Score {
                games: number(row, 4)?,
                wins: number(row, 5)?,
                draws: number(row, 6)?,
                losses: number(row, 7)?,
            };
            Ok((parse(row, 0)?, StoredRating { rating, score }))
        })
        .collect()
}

fn columns(rating: Rating) -> (i32, i32, i32) {
    let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    (number(rating.milli), number(rating.deviation_milli), number(rating.volatility_nano))
}

async fn write(
    transaction: &Transaction,
    pool: &str,
    user: &UserName,
    strength: StoredRating,
) -> Result<(), Failure> {
    let StoredRating { rating, score } = strength;
    let (milli, deviation, volatility) = columns(rating);
    let [games, wins, draws, losses] = [score.games, score.wins, score.draws, score.losses]
        .map(|number| i32::try_from(number).unwrap_or(i32::MAX));
    transaction
        .execute(
            UPDATE,
            &[
                &pool,
                &user.as_str(),
                &rank_key(rating),
                &milli,
                &deviation,
                &volatility,
                &games,
                &wins,
                &draws,
                &losses,
            ],
        )
        .await?;
    Ok(())
}

/// Replaces all ratings.
pub(super) async fn replace_ratings(
    transaction: &Transaction,
    ratings: &RatingTable,
) -> Result<(), Failure> {
    transaction.execute("DELETE FROM ratings", &[]).await?;
    for ((pool, user), rating) in ratings {
        locked(transaction, pool, &[user.as_str()]).await?;
        write(transaction, pool, user, *rating).await?;
    }
    Ok(())
}

/// Returns the rating change of a game; `None` if it has not been rated.
pub(super) async fn change_of(
    transaction: &Transaction,
    game: &GameId,
) -> Result<Option<RatingChange>, Failure> {
    let select = "SELECT seats FROM results WHERE game = $1";
    let Some(row) = transaction.query_opt(select, &[&game.as_str()]).await? else {
        return Ok(None);
    };
    let seats: Vec<ResultSeat> = serde_json::from_str(row.try_get(0)?)
        .map_err(|error| Failure::fault(format!("the result of game {game}: {error}")))?;
    Ok(Some(change(&seats)))
}
