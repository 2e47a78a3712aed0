//! The rated results in the order in which they were rated, and the ratings that follow from them.

use std::collections::{BTreeMap, BTreeSet};

use adamant_protocol::{GameId, UserName, to_client::GameEntry, values::RatingChange};
use futures::future::{try_join, try_join_all};
use serde::{Deserialize, Serialize};

use super::{
    ArchivedGame, Score, games,
    sql::{Row, Sql, SqlError, SqlResult, params},
};
use crate::ratings::{self, Pool, RatedResult, Rating};

/// A seat of a stored result, in the order of the seats at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ResultSeat {
    /// The folded name.
    pub(crate) user: UserName,
    /// The place from 1.
    pub(crate) place: u8,
    pub(crate) before: Rating,
    pub(crate) after: Rating,
    /// Whether the game does not count for the user: a computer has played on for another.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unrated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredRating {
    pub(crate) rating: Rating,
    pub(crate) score: Score,
}

impl StoredRating {
    pub(crate) const START: Self = Self { rating: Rating::START, score: Score::NONE };
}

pub(crate) type RatingTable = BTreeMap<(String, UserName), StoredRating>;

/// Higher than every rating, in thousandths: it sorts provisional ratings behind the others.
const RANK_STEP: i64 = 1 << 32;

/// Returns the key that sorts ratings: the strongest first, provisional ones last.
pub(crate) fn rank_key(rating: Rating) -> i64 {
    let step = if rating.is_provisional() { 2 * RANK_STEP } else { RANK_STEP };
    step - i64::from(rating.milli)
}

/// Computes the seats of a result and the ratings after it, in the order of the seats.
pub(crate) fn seats_after(
    result: &RatedResult,
    before: &[StoredRating],
) -> (Vec<ResultSeat>, Vec<StoredRating>) {
    let ratings: Vec<Rating> = before.iter().map(|strength| strength.rating).collect();
    let after = ratings::rate(&ratings, &result.places);
    let seats = result.users.iter().zip(&result.places).zip(ratings.iter().zip(&after)).zip(0..);
    let seats: Vec<ResultSeat> = seats
        .map(|(((user, place), (before, after)), seat)| {
            let unrated = result.only.is_some_and(|only| only != seat);
            ResultSeat {
                user: user.folded(),
                place: *place,
                before: *before,
                after: if unrated { *before } else { *after },
                unrated,
            }
        })
        .collect();
    let strengths = before.iter().zip(&seats).map(|(before, seat)| {
        let score = before.score.with(seat.place, &result.places);
        if seat.unrated { *before } else { StoredRating { rating: seat.after, score } }
    });
    let strengths = strengths.collect();
    (seats, strengths)
}

/// Computes a stored result again, from the ratings before it. An annulled one changes none.
pub(crate) fn rated_again(
    seats: &[ResultSeat],
    before: &[Rating],
    is_annulled: bool,
) -> Vec<ResultSeat> {
    let places: Vec<u8> = seats.iter().map(|seat| seat.place).collect();
    let after = if is_annulled { before.to_vec() } else { ratings::rate(before, &places) };
    let rated = seats.iter().zip(before.iter().zip(after));
    let seat = |(seat, (before, after)): (&ResultSeat, (&Rating, Rating))| ResultSeat {
        before: *before,
        after: if seat.unrated { *before } else { after },
        ..seat.clone()
    };
    rated.map(seat).collect()
}

/// The key under which results of a pool are rated: each that ends a game shares it, and whoever
/// rates results again locks it.
pub(super) fn pool_key(pool: &str) -> String {
    format!("ratings {pool}")
}

/// The key under which the rating of a user changes.
fn rating_key(pool: &str, user: &UserName) -> String {
    format!("rating {pool} {}", user.folded())
}

pub(crate) fn change(seats: &[ResultSeat]) -> RatingChange {
    let all = |rating: fn(&ResultSeat) -> Rating| seats.iter().map(rating).collect::<Vec<_>>();
    ratings::change(&all(|seat| seat.before), &all(|seat| seat.after))
}

pub(crate) fn seats_text(seats: &[ResultSeat]) -> String {
    serde_json::to_string(seats).expect("seats are plain data")
}

pub(super) const RATING_COLUMNS: &str =
    "ratings.rating, ratings.deviation, ratings.volatility, ratings.games, ratings.wins,
     ratings.draws, ratings.losses";

pub(super) const RATING_COLUMNS_COUNT: usize = 7;

pub(super) fn read_rating(row: &mut Row, first: usize) -> SqlResult<StoredRating> {
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

pub(super) fn read_pool(row: &mut Row, column: usize) -> SqlResult<Pool> {
    let text: Box<str> = row.get(column)?;
    Pool::parse(&text).ok_or_else(|| SqlError::Unreadable(format!("{text:?}")))
}

/// The columns of a user's rating in a pool.
pub(super) const POOL_COLUMNS: &str =
    "ratings.pool, ratings.rating, ratings.deviation, ratings.volatility, ratings.games,
     ratings.wins, ratings.draws, ratings.losses";

pub(super) fn read_rated_pool(row: &mut Row, first: usize) -> SqlResult<(Pool, Rating)> {
    Ok((read_pool(row, first)?, read_rating(row, first + 1)?.rating))
}

pub(super) async fn ratings_of(sql: &impl Sql, user: &UserName) -> SqlResult<Vec<(Pool, Rating)>> {
    let select = format!("SELECT {POOL_COLUMNS} FROM ratings WHERE user_name = $1 ORDER BY pool");
    let mut rows = sql.query(&select, params![user.folded().as_str()]).await?;
    rows.iter_mut().map(|row| read_rated_pool(row, 0)).collect()
}

pub(super) async fn stored_rating(
    sql: &impl Sql,
    pool: &str,
    user: &UserName,
) -> SqlResult<Option<StoredRating>> {
    let select = format!("SELECT {RATING_COLUMNS} FROM ratings WHERE user_name = $1 AND pool = $2");
    let found = sql.first(&select, params![user.folded().as_str(), pool]).await?;
    found.map(|mut row| read_rating(&mut row, 0)).transpose()
}

/// Rates a result and stores it, in the transaction that appends the game's end. The result draws
/// its id while its users are locked: the ids of two results with a common user are in the order in
/// which they were rated.
pub(super) async fn rate(
    sql: &impl Sql,
    game: &GameId,
    result: &RatedResult,
) -> SqlResult<RatingChange> {
    let pool = result.pool.to_string();
    let keys = result.users.iter().map(|user| rating_key(&pool, user)).collect();
    // In this order, so that a pool that is rated again has no user locked.
    try_join(sql.share(pool_key(&pool)), sql.lock(keys)).await?;
    let stored = result.users.iter().map(|user| stored_rating(sql, &pool, user));
    let before: Vec<StoredRating> = try_join_all(stored)
        .await?
        .into_iter()
        .map(|stored| stored.unwrap_or(StoredRating::START))
        .collect();
    let (seats, after) = seats_after(result, &before);
    let insert = "INSERT INTO results (game, pool, seats) VALUES ($1, $2, $3)";
    sql.execute(insert, params![game.as_str(), &pool, seats_text(&seats)]).await?;
    let writes = seats.iter().zip(&after).filter(|(seat, _)| !seat.unrated);
    try_join_all(writes.map(|(seat, rating)| write_rating(sql, &pool, &seat.user, *rating)))
        .await?;
    Ok(change(&seats))
}

pub(super) async fn write_rating(
    sql: &impl Sql,
    pool: &str,
    user: &UserName,
    StoredRating { rating, score }: StoredRating,
) -> SqlResult<()> {
    let write =
        "INSERT INTO ratings (user_name, pool, bot, rank_key, rating, deviation, volatility,
             games, wins, draws, losses)
         VALUES ($1, $2, EXISTS (SELECT 1 FROM users
                 WHERE folded = $1 AND (house OR owner_id IS NOT NULL)),
             $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (user_name, pool) DO UPDATE SET rank_key = excluded.rank_key,
             rating = excluded.rating, deviation = excluded.deviation,
             volatility = excluded.volatility, games = excluded.games, wins = excluded.wins,
             draws = excluded.draws, losses = excluded.losses";
    let Rating { milli, deviation_milli: deviation, volatility_nano: volatility } = rating;
    let Score { games, wins, draws, losses } = score;
    let (user, key) = (user.as_str(), rank_key(rating));
    let params = params![user, pool, key, milli, deviation, volatility, games, wins, draws, losses];
    sql.execute(write, params).await?;
    Ok(())
}

pub(super) async fn replace_ratings(sql: &impl Sql, ratings: &RatingTable) -> SqlResult<()> {
    sql.execute("DELETE FROM ratings", &[]).await?;
    for ((pool, user), rating) in ratings {
        write_rating(sql, pool, user, *rating).await?;
    }
    Ok(())
}

/// Writes what a result that was rated again says into the entry of its game.
pub(super) async fn write_change(
    sql: &impl Sql,
    entry: GameEntry,
    seats: &[ResultSeat],
) -> SqlResult<()> {
    let entry = GameEntry { ratings: Some(change(seats)), ..entry };
    let update = "UPDATE games SET entry = $2 WHERE game = $1";
    sql.execute(update, params![entry.game.as_str(), games::entry_text(&entry)]).await?;
    Ok(())
}

/// Archives a game. One that has ended while its result was rated again gets that into its entry.
pub(super) async fn archive(sql: &impl Sql, archived: &ArchivedGame) -> SqlResult<()> {
    let entry = &archived.entry;
    if !games::archive(sql, archived).await? || entry.ratings.is_none() {
        return Ok(());
    }
    let select = "SELECT seats FROM results WHERE game = $1 AND rated_again AND NOT annulled";
    let Some(mut row) = sql.first(select, params![entry.game.as_str()]).await? else {
        return Ok(());
    };
    let seats: Vec<ResultSeat> = row.json(0)?;
    write_change(sql, (**entry).clone(), &seats).await
}

/// Returns the pools whose results are to be rated again.
pub(super) async fn pools_to_rerate(sql: &impl Sql) -> SqlResult<BTreeSet<String>> {
    let mut rows = sql.query("SELECT pool FROM reratings", &[]).await?;
    rows.iter_mut().map(|row| row.get(0)).collect()
}

/// Returns the rating change of a game as its record has it; `None` if it has not been rated.
pub(super) async fn change_of(sql: &impl Sql, game: &GameId) -> SqlResult<Option<RatingChange>> {
    let select = "SELECT seats FROM results WHERE game = $1";
    let Some(mut row) = sql.first(select, params![game.as_str()]).await? else { return Ok(None) };
    let seats: Vec<ResultSeat> = row.json(0)?;
    Ok(Some(change(&seats)))
}
