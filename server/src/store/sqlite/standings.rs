//! Statements on standings, ratings and user profiles.

use adamant_protocol::UserName;
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{
    database::Sqlite,
    results::{RATING_COLUMNS, read_pool, read_rating},
    rows::{USER_COLUMNS, USER_COLUMNS_COUNT, from_sql, read_name, user},
};
use crate::{
    ratings::{Pool, Rating},
    store::{
        StandingRow, Standings, StandingsFilter, StandingsKey, StoreError, UserSummary,
        listing::number_places,
    },
};

impl Standings for Sqlite {
    fn standings(
        &self,
        filter: StandingsFilter,
        after: Option<StandingsKey>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<StandingRow>, StoreError>> {
        self.read_with(move |connection| standings(connection, &filter, after.as_ref(), limit))
            .boxed()
    }

    fn ratings(
        &self,
        pool: Pool,
        users: Vec<UserName>,
    ) -> BoxFuture<'_, Result<Vec<Option<Rating>>, StoreError>> {
        let pool = pool.to_string();
        self.read_with(move |connection| {
            let mut select = connection.prepare_cached(&format!(
                "SELECT {RATING_COLUMNS} FROM ratings WHERE user = ?1 AND pool = ?2"
            ))?;
            users
                .iter()
                .map(|user| {
                    let key = [user.folded().as_str().to_owned(), pool.clone()];
                    select.query_row(key, |row| Ok(read_rating(row, 0)?.rating)).optional()
                })
                .collect()
        })
        .boxed()
    }

    fn user_summary(
        &self,
        name: UserName,
    ) -> BoxFuture<'_, Result<Option<UserSummary>, StoreError>> {
        self.read_with(move |connection| user_summary(connection, &name)).boxed()
    }
}

/// Returns a user's ratings in all pools.
pub(super) fn ratings_of(
    connection: &Connection,
    user: &UserName,
) -> rusqlite::Result<Vec<(Pool, Rating)>> {
    connection
        .prepare_cached(&format!(
            "SELECT {RATING_COLUMNS}, pool FROM ratings WHERE user = ?1 ORDER BY pool"
        ))?
        .query_map([user.folded().as_str()], |row| {
            Ok((read_pool(row, 7)?, read_rating(row, 0)?.rating))
        })?
        .collect()
}

/// A key before those of all users.
const BEFORE_ALL: (i64, &str) = (i64::MIN, "");

/// Returns the condition of a list of bots or people. An index begins with the pool and the column.
const fn condition(filter: &StandingsFilter) -> &'static str {
    match filter.bot {
        None => "",
        Some(true) => "AND bot = 1",
        Some(false) => "AND bot = 0",
    }
}

fn standings(
    connection: &Connection,
    filter: &StandingsFilter,
    after: Option<&StandingsKey>,
    limit: u32,
) -> rusqlite::Result<Vec<StandingRow>> {
    let condition = condition(filter);
    let (rank, user) = after.map_or(BEFORE_ALL, |key| (key.rank, key.user.as_str()));
    let mut rows: Vec<StandingRow> = connection
        .prepare_cached(&format!(
            "SELECT {RATING_COLUMNS}, users.name, users.house OR users.owner IS NOT NULL,
                 rank_key, ratings.user
             FROM ratings JOIN users ON users.folded = ratings.user
             WHERE pool = ?1 {condition} AND (rank_key, ratings.user) > (?2, ?3)
             ORDER BY rank_key, ratings.user LIMIT ?4"
        ))?
        .query_map(params![filter.pool.to_string(), rank, user, limit], read_standing)?
        .collect::<rusqlite::Result<_>>()?;
    let Some(first) = rows.first() else { return Ok(rows) };
    let (place, before) = places(connection, filter, &first.key)?;
    number_places(&mut rows, place, before);
    Ok(rows)
}

/// Returns the place for a key, and the number of users before it in the list.
fn places(
    connection: &Connection,
    filter: &StandingsFilter,
    key: &StandingsKey,
) -> rusqlite::Result<(u32, u32)> {
    let (pool, condition) = (filter.pool.to_string(), condition(filter));
    let count = format!("SELECT COUNT(*) FROM ratings WHERE pool = ?1 {condition}");
    let stronger: u32 = connection
        .prepare_cached(&format!("{count} AND rank_key < ?2"))?
        .query_row(params![pool, key.rank], |row| row.get(0))?;
    let equal: u32 = connection
        .prepare_cached(&format!("{count} AND rank_key = ?2 AND user < ?3"))?
        .query_row(params![pool, key.rank, key.user.as_str()], |row| row.get(0))?;
    Ok((stronger + 1, stronger + equal))
}

/// Reads a standing except its place.
fn read_standing(row: &Row<'_>) -> rusqlite::Result<StandingRow> {
    let stored = read_rating(row, 0)?;
    Ok(StandingRow {
        place: 0,
        user: read_name(row, 7)?,
        bot: row.get(8)?,
        rating: stored.rating,
        score: stored.score,
        key: StandingsKey { rank: row.get(9)?, user: read_name(row, 10)? },
    })
}

fn user_summary(connection: &Connection, name: &UserName) -> rusqlite::Result<Option<UserSummary>> {
    let folded = name.folded();
    let known = connection
        .prepare_cached(&format!(
            "SELECT {USER_COLUMNS}, users.created_at,
                 (SELECT COUNT(*) FROM game_users WHERE user = folded AND ended_at IS NOT NULL)
             FROM users WHERE folded = ?1"
        ))?
        .query_row([folded.as_str()], |row| {
            Ok(UserSummary {
                user: user(row)?,
                since: from_sql(row.get(USER_COLUMNS_COUNT)?),
                finished: row.get(USER_COLUMNS_COUNT + 1)?,
                standings: Vec::new(),
            })
        })
        .optional()?;
    let Some(mut known) = known else { return Ok(None) };
    known.standings = connection
        .prepare_cached(&format!(
            "SELECT {RATING_COLUMNS}, users.name, users.house OR users.owner IS NOT NULL,
                 rank_key, ratings.user, pool
             FROM ratings JOIN users ON users.folded = ratings.user
             WHERE ratings.user = ?1 ORDER BY pool"
        ))?
        .query_map([folded.as_str()], |row| Ok((read_pool(row, 11)?, read_standing(row)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (pool, standing) in &mut known.standings {
        let all = StandingsFilter::all(pool.clone());
        (standing.place, _) = places(connection, &all, &standing.key)?;
    }
    Ok(Some(known))
}
