//! Rows of tokens.

use tokio_postgres::Row;

use super::{
    columns::{SqlResult, read_optional_u64, read_u64},
    transaction::Transaction,
    values::to_sql,
};
use crate::store::{NewToken, StoredToken, UserId};

/// BLAKE3 of a token's secret.
pub(super) type Digest = [u8; 32];

/// The columns of a [`StoredToken`].
pub(super) const TOKEN_COLUMNS: &str = "tokens.digest, tokens.label, tokens.bot, tokens.created_at,
     tokens.expires_at, tokens.used_at";

/// Number of columns in [`TOKEN_COLUMNS`].
pub(super) const TOKEN_COLUMNS_COUNT: usize = 6;

/// Reads [`TOKEN_COLUMNS`] from a column on.
pub(super) fn read_token(row: &Row, first: usize) -> SqlResult<StoredToken> {
    let label: &[u8] = row.try_get(first + 1)?;
    Ok(StoredToken {
        digest: read_digest(row, first)?,
        label: String::from_utf8_lossy(label).into(),
        bot: row.try_get(first + 2)?,
        created_at: read_u64(row, first + 3)?,
        expires_at: read_optional_u64(row, first + 4)?,
        used_at: read_optional_u64(row, first + 5)?,
    })
}

/// Reads a digest. The table's check gives each 32 bytes.
pub(super) fn read_digest(row: &Row, column: usize) -> SqlResult<Digest> {
    let bytes: &[u8] = row.try_get(column)?;
    Ok(bytes.try_into().expect("the table holds digests of 32 bytes"))
}

/// Stores the first token of a user, to which no limit applies.
pub(super) async fn insert_first_token(
    tx: &Transaction,
    owner: UserId,
    new: &NewToken,
) -> SqlResult<()> {
    let insert = "INSERT INTO tokens (digest, user_id, label, bot, created_at, expires_at, used_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)";
    tx.execute(
        insert,
        &[
            &new.digest.as_slice(),
            &owner.0,
            &new.label.as_bytes(),
            &new.bot,
            &to_sql(new.created_at),
            &new.expires_at.map(to_sql),
            &new.used_at.map(to_sql),
        ],
    )
    .await?;
    Ok(())
}
