//! Statements that delete expired tokens and unused guests.

use super::{
    columns::SqlResult,
    token_rows::{Digest, read_digest},
    transaction::Transaction,
    tries::Tries,
    values::to_sql,
};
use crate::store::{UserId, Validity};

/// Rows at which one statement of the clean-up looks, or which it deletes, so that it ends well
/// within its deadline and no other write waits for it long.
const SWEPT_AT_ONCE: i64 = 200;

/// Deletes a guest without tokens and without games, live or finished.
pub(super) async fn delete_guest(tx: &Transaction, guest: UserId) -> SqlResult<()> {
    let delete = "DELETE FROM users WHERE id = $1
                    AND password_hash IS NULL AND NOT house AND owner_id IS NULL
                    AND NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.user_id = users.id)
                    AND NOT EXISTS (SELECT 1 FROM game_users
                        WHERE game_users.user_name = users.folded)";
    tx.execute(delete, &[&guest.0]).await?;
    Ok(())
}

/// Deletes expired tokens.
const EXPIRED: &str = "DELETE FROM tokens WHERE digest IN (
         SELECT digest FROM tokens WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING digest";

/// Deletes log-ins that were not used, except those of the server's own bots.
const DISUSED: &str = "DELETE FROM tokens WHERE digest IN (
         SELECT digest FROM tokens
         WHERE NOT bot AND COALESCE(used_at, created_at) < $1
           AND EXISTS (SELECT 1 FROM users WHERE users.id = tokens.user_id AND NOT users.house)
         LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING digest";

/// Deletes some invalid tokens; returns their number.
pub(super) async fn sweep_tokens(
    tx: &Transaction,
    validity: Validity,
    tries: &Tries<Digest>,
) -> SqlResult<usize> {
    for (delete, limit) in [(EXPIRED, validity.now_ms), (DISUSED, validity.used_since)] {
        let rows = tx.query(delete, &[&to_sql(limit), &SWEPT_AT_ONCE]).await?;
        for row in &rows {
            tries.note(read_digest(row, 0)?);
        }
    }
    Ok(tries.deleted([]).len())
}

/// Returns the next guests by age, with the time from which on each exists.
const OLDEST: &str = "SELECT created_at, id FROM users
     WHERE password_hash IS NULL AND NOT house AND owner_id IS NULL AND created_at < $1
       AND (created_at, id) > ($2, $3)
     ORDER BY created_at, id LIMIT $4";

/// Deletes those of some guests who have been away since $1: without tokens used later, and without
/// games.
const AWAY: &str = "DELETE FROM users WHERE id IN (
         SELECT id FROM users
         WHERE id = ANY($2) AND password_hash IS NULL AND NOT house AND owner_id IS NULL
           AND NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.user_id = users.id
               AND COALESCE(tokens.used_at, tokens.created_at) >= $1)
           AND NOT EXISTS (SELECT 1 FROM game_users
               WHERE game_users.user_name = users.folded)
         FOR UPDATE SKIP LOCKED)
     RETURNING id";

/// A place among the guests by age: `created_at` and `id`.
pub(super) type GuestPlace = (i64, i64);

/// Deletes the unused ones of the guests after a place; returns their number, and the place after
/// which to go on. Most guests stay, so each statement looks at a few.
pub(super) async fn sweep_guests(
    tx: &Transaction,
    unused_since: u64,
    (created_at, id): GuestPlace,
    tries: &Tries<i64>,
) -> SqlResult<(usize, Option<GuestPlace>)> {
    let before = to_sql(unused_since);
    let page = tx.query(OLDEST, &[&before, &created_at, &id, &SWEPT_AT_ONCE]).await?;
    let page: Vec<GuestPlace> =
        page.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect::<SqlResult<_>>()?;
    let ids: Vec<i64> = page.iter().map(|(_, id)| *id).collect();
    for row in &tx.query(AWAY, &[&before, &ids]).await? {
        tries.note(row.try_get(0)?);
    }
    Ok((tries.deleted([]).len(), page.last().copied()))
}
