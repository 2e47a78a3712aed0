//! Statements on standings, ratings and user profiles.

use std::collections::HashMap;

use adamant_protocol::UserName;
use futures::{FutureExt as _, future::BoxFuture};
use tokio_postgres::Row;

use super::{
    columns::{
        SqlResult, USER_COLUMNS, USER_COLUMNS_COUNT, read_count, read_name, read_pool, read_u64,
        read_user,
    },
    postgres::Postgres,
    transaction::Transaction,
};
use crate::{
    ratings::{Pool, Rating},
    store::{
        Score, StandingRow, Standings, StandingsFilter, StandingsKey, StoreError, UserSummary,
        listing::number_places, rated_results::StoredRating,
    },
};

/// The columns that [`read_rating`] reads, in its order.
pub(super) const RATING_COLUMNS: &str =
    "ratings.rating, ratings.deviation, ratings.volatility, ratings.games, ratings.wins,
     ratings.draws, ratings.losses";

/// Number of columns in [`RATING_COLUMNS`].
pub(super) const RATING_COLUMNS_COUNT: usize = 7;

/// Reads the columns from `first` on.
pub(super) fn read_rating(row: &Row, first: usize) -> SqlResult<StoredRating> {
    let part = |column: usize| -> SqlResult<u32> {
        Ok(u32::try_from(row.try_get::<_, i32>(first + column)?).unwrap_or(0))
    };
    Ok(StoredRating {
        rating: Rating { milli: part(0)?, deviation_milli: part(1)?, volatility_nano: part(2)? },
        score: Score { games: part(3)?, wins: part(4)?, draws: part(5)?, losses: part(6)? },
    })
}

/// The columns that [`read_standing`] reads.
const STANDING_COLUMNS: &str =
    "users.name, users.house OR users.owner_id IS NOT NULL, rank_key, ratings.user_name";

/// Reads [`RATING_COLUMNS`] and [`STANDING_COLUMNS`].
fn read_standing(row: &Row, place: u32) -> SqlResult<StandingRow> {
    let stored = read_rating(row, 0)?;
    let first = RATING_COLUMNS_COUNT;
    Ok(StandingRow {
        place,
        user: read_name(row, first)?,
        bot: row.try_get(first + 1)?,
        rating: stored.rating,
        score: stored.score,
        key: StandingsKey { rank: row.try_get(first + 2)?, user: read_name(row, first + 3)? },
    })
}

/// Returns the ratings of users in a pool, in order.
pub(super) async fn ratings(
    tx: &Transaction,
    pool: &Pool,
    users: &[UserName],
) -> SqlResult<Vec<Option<Rating>>> {
    let folded: Vec<UserName> = users.iter().map(UserName::folded).collect();
    let names: Vec<&str> = folded.iter().map(UserName::as_str).collect();
    let select = format!(
        "SELECT {RATING_COLUMNS}, user_name FROM ratings
         WHERE user_name = ANY ($1) AND pool = $2"
    );
    let rows = tx.query(&select, &[&names, &pool.to_string()]).await?;
    let found = rows
        .iter()
        .map(|row| Ok((read_name(row, RATING_COLUMNS_COUNT)?, read_rating(row, 0)?.rating)))
        .collect::<SqlResult<HashMap<UserName, Rating>>>()?;
    Ok(folded.iter().map(|user| found.get(user).copied()).collect())
}

/// A key before those of all users.
const BEFORE_ALL: (i64, &str) = (i64::MIN, "");

/// Returns the condition of a list of bots or people. An index begins with the pool and the column.
const fn condition(filter: &StandingsFilter) -> &'static str {
    match filter.bot {
        None => "",
        Some(true) => "AND bot",
        Some(false) => "AND NOT bot",
    }
}

pub(super) async fn standings(
    tx: &Transaction,
    filter: &StandingsFilter,
    after: Option<&StandingsKey>,
    limit: u32,
) -> SqlResult<Vec<StandingRow>> {
    let (pool, condition) = (filter.pool.to_string(), condition(filter));
    let (rank, user) = after.map_or(BEFORE_ALL, |key| (key.rank, key.user.as_str()));
    let select = format!(
        "SELECT {RATING_COLUMNS}, {STANDING_COLUMNS}
         FROM ratings JOIN users ON users.folded = ratings.user_name
         WHERE pool = $1 {condition} AND (rank_key, ratings.user_name) > ($2, $3)
         ORDER BY rank_key, ratings.user_name LIMIT $4"
    );
    let rows = tx.query(&select, &[&pool, &rank, &user, &i64::from(limit)]).await?;
    let mut page =
        rows.iter().map(|row| read_standing(row, 0)).collect::<SqlResult<Vec<StandingRow>>>()?;
    let Some(first) = page.first() else { return Ok(page) };
    let (place, before) = places(tx, filter, &first.key).await?;
    number_places(&mut page, place, before);
    Ok(page)
}

/// Returns the place for a key, and the number of users before it in the list.
async fn places(
    tx: &Transaction,
    filter: &StandingsFilter,
    key: &StandingsKey,
) -> SqlResult<(u32, u32)> {
    let (pool, condition) = (filter.pool.to_string(), condition(filter));
    let count = format!("SELECT COUNT(*) FROM ratings WHERE pool = $1 {condition}");
    let count = format!(
        "SELECT ({count} AND rank_key < $2), ({count} AND rank_key = $2 AND user_name < $3)"
    );
    let row = tx.query_one(&count, &[&pool, &key.rank, &key.user.as_str()]).await?;
    let (stronger, equal) = (read_count(&row, 0)?, read_count(&row, 1)?);
    Ok((stronger + 1, stronger + equal))
}

pub(super) async fn user_summary(
    tx: &Transaction,
    name: &UserName,
) -> SqlResult<Option<UserSummary>> {
    let folded = name.folded();
    let select = format!(
        "SELECT {USER_COLUMNS}, users.created_at,
             (SELECT COUNT(*) FROM game_users
              WHERE game_users.user_name = users.folded AND ended_at IS NOT NULL)
         FROM users WHERE folded = $1"
    );
    let Some(row) = tx.query_opt(&select, &[&folded.as_str()]).await? else {
        return Ok(None);
    };
    let select = format!(
        "SELECT {RATING_COLUMNS}, {STANDING_COLUMNS}, pool,
             (SELECT COUNT(*) FROM ratings AS stronger
              WHERE stronger.pool = ratings.pool AND stronger.rank_key < ratings.rank_key)
         FROM ratings JOIN users ON users.folded = ratings.user_name
         WHERE ratings.user_name = $1 ORDER BY pool"
    );
    let standings = tx.query(&select, &[&folded.as_str()]).await?;
    let first = RATING_COLUMNS_COUNT + 4;
    let standings = standings.iter().map(|row| {
        let place = read_count(row, first + 1)? + 1;
        Ok((read_pool(row, first)?, read_standing(row, place)?))
    });
    Ok(Some(UserSummary {
        user: read_user(&row)?,
        since: read_u64(&row, USER_COLUMNS_COUNT)?,
        finished: read_count(&row, USER_COLUMNS_COUNT + 1)?,
        standings: standings.collect::<SqlResult<_>>()?,
    }))
}

impl Standings for Postgres {
    fn standings(
        &self,
        filter: StandingsFilter,
        after: Option<StandingsKey>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<StandingRow>, StoreError>> {
        self.pool()
            .read((filter, after), move |tx, (filter, after)| {
                standings(tx, filter, after.as_ref(), limit).boxed()
            })
            .boxed()
    }

    fn ratings(
        &self,
        pool: Pool,
        users: Vec<UserName>,
    ) -> BoxFuture<'_, Result<Vec<Option<Rating>>, StoreError>> {
        self.pool()
            .read((pool, users), |tx, (pool, users)| ratings(tx, pool, users).boxed())
            .boxed()
    }

    fn user_summary(
        &self,
        name: UserName,
    ) -> BoxFuture<'_, Result<Option<UserSummary>, StoreError>> {
        self.pool().read(name, |tx, name| user_summary(tx, name).boxed()).boxed()
    }
}
