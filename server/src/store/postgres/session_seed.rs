//! What a session reads when its user logs in.

use std::fmt;

use adamant_protocol::{UserName, values::UserSettings};
use tokio_postgres::Row;

use super::{
    columns::{SqlResult, read_names},
    failure::Failure,
    transaction::Transaction,
};
use crate::{
    ratings::{Pool, Rating},
    store::SessionSeed,
};

/// The columns that [`read_seed`] reads: the names of those whom a row of `users` mutes or blocks,
/// the ratings as JSON, and the settings.
pub(super) const SEED_COLUMNS: &str = "ARRAY(
         SELECT other.name FROM users AS other WHERE other.id IN (
             SELECT muted_id FROM mutes WHERE mutes.user_id = users.id
             UNION SELECT blocked_id FROM blocks WHERE blocks.user_id = users.id)
         ORDER BY other.folded),
     (SELECT json_agg(json_build_array(pool, rating, deviation, volatility) ORDER BY pool)::text
      FROM ratings WHERE ratings.user_name = users.folded),
     users.settings";

/// A rating as [`SEED_COLUMNS`] encodes it: the pool, and the numbers of a [`Rating`].
type RatingParts = (String, u32, u32, u32);

/// Reads [`SEED_COLUMNS`] from a column on.
pub(super) fn read_seed(row: &Row, first: usize, user: &UserName) -> SqlResult<SessionSeed> {
    let ratings: Option<&str> = row.try_get(first + 1)?;
    let ratings: Vec<RatingParts> =
        ratings.map(serde_json::from_str).transpose().map_err(unreadable)?.unwrap_or_default();
    let ratings = ratings.into_iter().map(|(pool, milli, deviation_milli, nano)| {
        let pool = Pool::parse(&pool).ok_or_else(|| unreadable(pool))?;
        Ok((pool, Rating { milli, deviation_milli, volatility_nano: nano }))
    });
    Ok(SessionSeed {
        muted: read_names(row, first)?,
        ratings: ratings.collect::<SqlResult<_>>()?,
        settings: settings(row.try_get(first + 2)?, user),
    })
}

fn unreadable(what: impl fmt::Display) -> Failure {
    Failure::fault(format!("a row has an unreadable rating: {what}"))
}

fn settings(stored: Option<&str>, user: &UserName) -> UserSettings {
    let Some(text) = stored else { return UserSettings::default() };
    serde_json::from_str(text).unwrap_or_else(|error| {
        tracing::error!(%user, %error, "the stored settings of a user are unreadable");
        UserSettings::default()
    })
}

/// Reads what a session of a user starts with.
pub(super) async fn session_seed(tx: &Transaction, user: &UserName) -> SqlResult<SessionSeed> {
    let select = format!("SELECT {SEED_COLUMNS} FROM users WHERE folded = $1");
    let found = tx.query_opt(&select, &[&user.folded().as_str()]).await?;
    let seed = found.map(|row| read_seed(&row, 0, user)).transpose()?;
    Ok(seed.unwrap_or_default())
}

/// Returns the settings of a user; the default ones if there are none.
pub(super) async fn settings_of(tx: &Transaction, user: &UserName) -> SqlResult<UserSettings> {
    let select = "SELECT settings FROM users WHERE folded = $1";
    let found = tx.query_opt(select, &[&user.folded().as_str()]).await?;
    let stored: Option<String> = found.map(|row| row.try_get(0)).transpose()?.flatten();
    Ok(settings(stored.as_deref(), user))
}
