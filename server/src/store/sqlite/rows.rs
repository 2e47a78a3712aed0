//! Conversions between columns and the types of the server.

use adamant_protocol::{GameId, UserName, ids::ParseIdError};
use rusqlite::{Error, Row, types::Type};

use crate::store::{User, UserId};

/// Converts a seq or a time to SQLite's signed integers. No value comes near the sign bit.
pub(super) fn to_sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Converts a seq, a time or a count from SQLite's signed integers.
pub(super) fn from_sql(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The columns that [`user`] reads.
pub(super) const USER_COLUMNS: &str =
    "users.id, users.name, users.password_hash IS NULL, users.house,
     (SELECT owner.name FROM users AS owner WHERE owner.id = users.owner),
     (SELECT COALESCE(account.account_since, account.created_at) FROM users AS account
      WHERE account.id = COALESCE(users.owner, users.id) AND account.password_hash IS NOT NULL)";

/// Number of columns in [`USER_COLUMNS`].
pub(super) const USER_COLUMNS_COUNT: usize = 6;

/// Reads a user's name.
pub(super) fn read_name(row: &Row<'_>, index: usize) -> rusqlite::Result<UserName> {
    let name: String = row.get(index)?;
    name.parse().map_err(|error| invalid_name(index, error))
}

/// Reads a game's id.
pub(super) fn read_game(row: &Row<'_>, index: usize) -> rusqlite::Result<GameId> {
    let game: String = row.get(index)?;
    game.parse().map_err(|error| invalid_name(index, error))
}

fn invalid_name(index: usize, error: ParseIdError) -> Error {
    Error::FromSqlConversionFailure(index, Type::Text, Box::new(error))
}

/// Reads [`USER_COLUMNS`].
pub(super) fn user(row: &Row<'_>) -> rusqlite::Result<User> {
    let owner: Option<String> = row.get(4)?;
    let owner = owner.map(|owner| owner.parse().map_err(|error| invalid_name(4, error)));
    let owner: Option<UserName> = owner.transpose()?;
    let house: bool = row.get(3)?;
    let without_password: bool = row.get(2)?;
    let guest = without_password && !house && owner.is_none();
    let account_since = row.get::<_, Option<i64>>(5)?.map(from_sql);
    let (id, name) = (UserId(row.get(0)?), read_name(row, 1)?);
    Ok(User { id, name, guest, house, owner, account_since })
}
