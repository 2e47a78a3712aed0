//! Columns of users and of what belongs to them.

use adamant_protocol::UserName;
use tokio_postgres::Row;

use super::{
    failure::Failure,
    values::{from_sql, parse, parse_optional},
};
use crate::{
    ratings::Pool,
    store::{User, UserId},
};

/// The result of a statement.
pub(super) type SqlResult<T> = Result<T, Failure>;

/// Reads a number that is never negative.
pub(super) fn read_u64(row: &Row, column: usize) -> SqlResult<u64> {
    Ok(from_sql(row.try_get(column)?))
}

/// Reads a number that is never negative, unless it is NULL.
pub(super) fn read_optional_u64(row: &Row, column: usize) -> SqlResult<Option<u64>> {
    Ok(row.try_get::<_, Option<i64>>(column)?.map(from_sql))
}

/// Reads a count.
pub(super) fn read_count(row: &Row, column: usize) -> SqlResult<u32> {
    Ok(u32::try_from(row.try_get::<_, i64>(column)?).unwrap_or(u32::MAX))
}

/// Reads a user's name.
pub(super) fn read_name(row: &Row, column: usize) -> SqlResult<UserName> {
    parse(row, column)
}

/// Reads an array of names.
pub(super) fn read_names(row: &Row, column: usize) -> SqlResult<Vec<UserName>> {
    let names: Vec<&str> = row.try_get(column)?;
    let unreadable = |name: &str| Failure::fault(format!("a row has the name {name:?}"));
    names.into_iter().map(|name| name.parse().map_err(|_| unreadable(name))).collect()
}

/// Reads a pool of ratings.
pub(super) fn read_pool(row: &Row, column: usize) -> SqlResult<Pool> {
    let text: &str = row.try_get(column)?;
    Pool::parse(text).ok_or_else(|| Failure::fault(format!("a row has the pool {text:?}")))
}

/// The columns that [`read_user`] reads.
pub(super) const USER_COLUMNS: &str =
    "users.id, users.name, users.password_hash IS NULL, users.house,
     (SELECT owner.name FROM users AS owner WHERE owner.id = users.owner_id),
     (SELECT COALESCE(account.account_since, account.created_at) FROM users AS account
      WHERE account.id = COALESCE(users.owner_id, users.id)
        AND account.password_hash IS NOT NULL)";

/// Number of columns in [`USER_COLUMNS`].
pub(super) const USER_COLUMNS_COUNT: usize = 6;

/// Reads [`USER_COLUMNS`].
pub(super) fn read_user(row: &Row) -> SqlResult<User> {
    let without_password: bool = row.try_get(2)?;
    let house: bool = row.try_get(3)?;
    let owner: Option<UserName> = parse_optional(row, 4)?;
    let guest = without_password && !house && owner.is_none();
    let account_since = read_optional_u64(row, 5)?;
    let (id, name) = (UserId(row.try_get(0)?), read_name(row, 1)?);
    Ok(User { id, name, guest, house, owner, account_since })
}
