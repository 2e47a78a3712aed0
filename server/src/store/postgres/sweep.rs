//! Statements that delete expired tokens and unused guests.

use super::{
    columns::SqlResult,
    token_rows::{Digest, read_digest},
    transaction::Transaction,
    tries::Tries,
    values::to_sql,
};
use crate::store::{UserId, Validity};

/// Rows that one statement of the clean-up deletes, so that it ends well within its deadline and no
/// other write waits for it long.
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

/// Deletes guests who have been away since $1: without tokens used later, and without games.
const AWAY: &str = "DELETE FROM users WHERE id IN (
         SELECT id FROM users
         WHERE password_hash IS NULL AND NOT house AND owner_id IS NULL AND created_at < $1
           AND NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.user_id = users.id
               AND COALESCE(tokens.used_at, tokens.created_at) >= $1)
           AND NOT EXISTS (SELECT 1 FROM game_users
               WHERE game_users.user_name = users.folded)
         LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING id";

/// Deletes some unused guests; returns their number.
pub(super) async fn sweep_guests(
    tx: &Transaction,
    unused_since: u64,
    tries: &Tries<i64>,
) -> SqlResult<usize> {
    let rows = tx.query(AWAY, &[&to_sql(unused_since), &SWEPT_AT_ONCE]).await?;
    for row in &rows {
        tries.note(row.try_get(0)?);
    }
    Ok(tries.deleted([]).len())
}
