//! Ratings, results, standings and profiles of users.

use adamant_protocol::UserName;
use futures::future::join_all;

use super::{
    StandingRow, StandingsFilter, StandingsKey,
    games::number_places,
    ratings::{
        RATING_COLUMNS, RATING_COLUMNS_COUNT, StoredRating, read_pool, read_rating, stored_rating,
    },
    sql::{Row, Sql, SqlResult, params},
    store::operations,
    users::{USER_COLUMNS, USER_COLUMNS_COUNT, User, read_user},
};
use crate::ratings::{Pool, Rating};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UserSummary {
    pub user: User,
    pub since: u64,
    pub finished: u32,
    pub standings: Vec<(Pool, StandingRow)>,
}

const STANDING_COLUMNS: &str = "users.name, ratings.bot, rank_key, ratings.user_name";

fn read_standing(row: &mut Row, place: u32) -> SqlResult<StandingRow> {
    let StoredRating { rating, score } = read_rating(row, 0)?;
    let first = RATING_COLUMNS_COUNT;
    let (user, bot) = (row.parse(first)?, row.get(first + 1)?);
    let key = StandingsKey { rank: row.get(first + 2)?, user: row.parse(first + 3)? };
    Ok(StandingRow { place, user, bot, rating, score, key })
}

/// Returns the ratings of users in a pool, in order; `None` for a user without one.
async fn ratings(
    sql: &impl Sql,
    pool: &Pool,
    users: &[UserName],
) -> SqlResult<Vec<Option<Rating>>> {
    let pool = pool.to_string();
    let stored = join_all(users.iter().map(|user| stored_rating(sql, &pool, user))).await;
    stored.into_iter().map(|stored| Ok(stored?.map(|stored| stored.rating))).collect()
}

/// A key before those of all users.
const BEFORE_ALL: (i64, &str) = (i64::MIN, "");

/// Returns the condition of a list of bots or people. An index begins with the pool and the column.
const fn condition(filter: &StandingsFilter) -> &'static str {
    match filter.bot {
        None => "",
        Some(true) => "AND bot = true",
        Some(false) => "AND bot = false",
    }
}

async fn standings(
    sql: &impl Sql,
    filter: &StandingsFilter,
    after: Option<&StandingsKey>,
    limit: u32,
) -> SqlResult<Vec<StandingRow>> {
    let condition = condition(filter);
    let (rank, user) = after.map_or(BEFORE_ALL, |key| (key.rank, key.user.as_str()));
    let select = format!(
        "SELECT {RATING_COLUMNS}, {STANDING_COLUMNS}
         FROM ratings JOIN users ON users.folded = ratings.user_name
         WHERE pool = $1 {condition} AND (rank_key, ratings.user_name) > ($2, $3)
         ORDER BY rank_key, ratings.user_name LIMIT $4"
    );
    let params = params![filter.pool.to_string(), rank, user, limit];
    let mut rows = sql.query(&select, params).await?;
    let mut page: Vec<StandingRow> =
        rows.iter_mut().map(|row| read_standing(row, 0)).collect::<SqlResult<_>>()?;
    let Some(first) = page.first() else { return Ok(page) };
    let (place, before) = places(sql, filter, &first.key).await?;
    number_places(&mut page, place, before);
    Ok(page)
}

/// Returns the place for a key, and the number of users before it in the list.
async fn places(
    sql: &impl Sql,
    filter: &StandingsFilter,
    key: &StandingsKey,
) -> SqlResult<(u32, u32)> {
    let (pool, condition) = (filter.pool.to_string(), condition(filter));
    let count = format!("SELECT COUNT(*) FROM ratings WHERE pool = $1 {condition}");
    let count = format!(
        "SELECT ({count} AND rank_key < $2), ({count} AND rank_key = $2 AND user_name < $3)"
    );
    let counted = sql.first(&count, params![pool, key.rank, key.user.as_str()]).await?;
    let (stronger, equal): (u32, u32) = match counted {
        Some(mut row) => (row.get(0)?, row.get(1)?),
        None => (0, 0),
    };
    Ok((stronger + 1, stronger + equal))
}

async fn user_summary(sql: &impl Sql, name: &UserName) -> SqlResult<Option<UserSummary>> {
    let folded = name.folded();
    let select = format!(
        "SELECT {USER_COLUMNS}, users.created_at,
             (SELECT COUNT(*) FROM game_users
              WHERE game_users.user_name = users.folded AND ended_at IS NOT NULL)
         FROM users WHERE folded = $1"
    );
    let Some(mut row) = sql.first(&select, params![folded.as_str()]).await? else {
        return Ok(None);
    };
    let select = format!(
        "SELECT {RATING_COLUMNS}, {STANDING_COLUMNS}, pool,
             (SELECT COUNT(*) FROM ratings AS stronger
              WHERE stronger.pool = ratings.pool AND stronger.rank_key < ratings.rank_key)
         FROM ratings JOIN users ON users.folded = ratings.user_name
         WHERE ratings.user_name = $1 ORDER BY pool"
    );
    let mut standings = sql.query(&select, params![folded.as_str()]).await?;
    let first = RATING_COLUMNS_COUNT + 4;
    let standings = standings.iter_mut().map(|row| {
        let place = row.get::<u32>(first + 1)? + 1;
        Ok((read_pool(row, first)?, read_standing(row, place)?))
    });
    Ok(Some(UserSummary {
        user: read_user(&mut row)?,
        since: row.get(USER_COLUMNS_COUNT)?,
        finished: row.get(USER_COLUMNS_COUNT + 1)?,
        standings: standings.collect::<SqlResult<_>>()?,
    }))
}

operations! {
    /// Returns a page of the standings, the strongest first.
    fn standings(
        filter: StandingsFilter, after: Option<StandingsKey>, limit: u32,
    ) -> Vec<StandingRow> = read_unconfirmed(standings(filter, after.as_ref(), *limit));
    /// Returns the ratings of users in a pool, in order; `None` for a user without one.
    fn ratings(pool: Pool, users: Vec<UserName>) -> Vec<Option<Rating>> =
        read_unconfirmed(ratings(pool, users));
    /// Returns the public profile of a user; `None` if there is no such user.
    fn user_summary(name: UserName) -> Option<UserSummary> = read_unconfirmed(user_summary(name));
}
