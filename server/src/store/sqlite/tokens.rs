//! Statements on tokens and passwords, and the clean-up of expired tokens and unused guests.

use std::sync::Arc;

use adamant_protocol::UserName;
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{
    connection::in_transaction,
    database::Sqlite,
    rows::{USER_COLUMNS, USER_COLUMNS_COUNT, from_sql, read_name, to_sql, user},
    session_seed::session_seed,
};
use crate::{
    limits::TOKENS_PER_USER_MAX,
    store::{
        AddTokenOutcome, GUEST_LABEL, NewToken, OpenedToken, StoreError, StoredToken, Swept,
        Tokens, User, UserId, Validity,
    },
};

/// The columns of a [`StoredToken`]; they follow [`USER_COLUMNS`] where a user is read, too.
const TOKEN_COLUMNS: &str = "tokens.digest, tokens.label, tokens.bot, tokens.created_at,
     tokens.expires_at, tokens.used_at";

/// Reads [`TOKEN_COLUMNS`] from a column on.
fn token(row: &Row<'_>, first: usize) -> rusqlite::Result<StoredToken> {
    let label: String = row.get(first + 1)?;
    Ok(StoredToken {
        digest: row.get(first)?,
        label: label.into(),
        bot: row.get(first + 2)?,
        created_at: from_sql(row.get(first + 3)?),
        expires_at: row.get::<_, Option<i64>>(first + 4)?.map(from_sql),
        used_at: row.get::<_, Option<i64>>(first + 5)?.map(from_sql),
    })
}

/// Whether a token is valid. ?2 and ?3 are the times of a [`Validity`].
const VALID: &str = "(tokens.expires_at IS NULL OR tokens.expires_at > ?2)
     AND (tokens.bot OR users.house OR COALESCE(tokens.used_at, tokens.created_at) >= ?3)";

fn find_token(
    connection: &Connection,
    digest: [u8; 32],
    validity: Validity,
) -> rusqlite::Result<Option<(User, StoredToken)>> {
    connection
        .prepare_cached(&format!(
            "SELECT {USER_COLUMNS}, {TOKEN_COLUMNS}
             FROM tokens JOIN users ON users.id = tokens.user
             WHERE digest = ?1 AND {VALID}"
        ))?
        .query_row(params![digest, to_sql(validity.now_ms), to_sql(validity.used_since)], |row| {
            Ok((user(row)?, token(row, USER_COLUMNS_COUNT)?))
        })
        .optional()
}

/// Stores a token. Above the limit the least recently used log-in is deleted; tokens of programs
/// are never deleted for others.
fn insert_token(
    connection: &Connection,
    owner: UserId,
    new: &NewToken,
) -> rusqlite::Result<AddTokenOutcome> {
    if let Some(hash) = &new.password_hash {
        let present: Option<String> = connection
            .prepare_cached("SELECT password_hash FROM users WHERE id = ?1")?
            .query_row([owner.0], |row| row.get(0))?;
        if present.as_ref() != Some(hash) {
            return Ok(AddTokenOutcome::PasswordChanged);
        }
    }
    if new.bot {
        let count: u32 = connection.query_row(
            "SELECT COUNT(*) FROM tokens WHERE user = ?1 AND bot = 1
             AND (expires_at IS NULL OR expires_at > ?2)",
            params![owner.0, to_sql(new.created_at)],
            |row| row.get(0),
        )?;
        if count >= TOKENS_PER_USER_MAX {
            return Ok(AddTokenOutcome::LimitReached);
        }
    }
    insert_first_token(connection, owner, new)?;
    let evicted = connection
        .prepare_cached(
            "DELETE FROM tokens WHERE user = ?1 AND bot = 0 AND digest NOT IN (
                 SELECT digest FROM tokens WHERE user = ?1 AND bot = 0
                 ORDER BY digest = ?2 DESC, COALESCE(used_at, created_at) DESC, digest LIMIT ?3)
             RETURNING digest",
        )?
        .query_map(params![owner.0, new.digest, TOKENS_PER_USER_MAX], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    Ok(AddTokenOutcome::Added { evicted })
}

/// Stores the first token of a user, to which no limit applies.
pub(super) fn insert_first_token(
    connection: &Connection,
    owner: UserId,
    new: &NewToken,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO tokens (digest, user, label, bot, created_at, expires_at, used_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            new.digest,
            owner.0,
            new.label.as_ref(),
            new.bot,
            to_sql(new.created_at),
            new.expires_at.map(to_sql),
            new.used_at.map(to_sql),
        ])?;
    Ok(())
}

impl Tokens for Sqlite {
    fn add_token(
        &self,
        owner: UserId,
        new: NewToken,
    ) -> BoxFuture<'_, Result<AddTokenOutcome, StoreError>> {
        self.writer.write(move |connection| insert_token(connection, owner, &new)).boxed()
    }

    fn open_token(
        &self,
        digest: [u8; 32],
        validity: Validity,
    ) -> BoxFuture<'_, Result<Option<OpenedToken>, StoreError>> {
        self.read_with(move |connection| {
            in_transaction(connection, |connection| {
                let Some((user, token)) = find_token(connection, digest, validity)? else {
                    return Ok(None);
                };
                let seed = session_seed(connection, &user.name)?;
                Ok(Some((user, token, seed)))
            })
        })
        .boxed()
    }

    fn has_token(
        &self,
        digest: [u8; 32],
        validity: Validity,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.read_with(move |connection| Ok(find_token(connection, digest, validity)?.is_some()))
            .boxed()
    }

    fn invalid_tokens(
        &self,
        digests: Vec<[u8; 32]>,
        validity: Validity,
    ) -> BoxFuture<'_, Result<Vec<[u8; 32]>, StoreError>> {
        self.read_with(move |connection| {
            in_transaction(connection, |connection| {
                let mut invalid = Vec::new();
                for digest in digests {
                    if find_token(connection, digest, validity)?.is_none() {
                        invalid.push(digest);
                    }
                }
                Ok(invalid)
            })
        })
        .boxed()
    }

    fn tokens_under(
        &self,
        owner: UserId,
        validity: Validity,
    ) -> BoxFuture<'_, Result<Vec<(UserName, StoredToken)>, StoreError>> {
        self.read_with(move |connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT users.name, {TOKEN_COLUMNS}
                     FROM tokens JOIN users ON users.id = tokens.user
                     WHERE (users.id = ?1 OR users.owner = ?1) AND {VALID}
                     ORDER BY tokens.created_at DESC, digest"
                ))?
                .query_map(
                    params![owner.0, to_sql(validity.now_ms), to_sql(validity.used_since)],
                    |row| Ok((read_name(row, 0)?, token(row, 1)?)),
                )?
                .collect()
        })
        .boxed()
    }

    fn touch_token(&self, digest: [u8; 32], now_ms: u64) -> BoxFuture<'_, Result<(), StoreError>> {
        self.writer
            .write(move |connection| {
                connection
                    .prepare_cached("UPDATE tokens SET used_at = ?2 WHERE digest = ?1")?
                    .execute(params![digest, to_sql(now_ms)])?;
                Ok(())
            })
            .boxed()
    }

    fn touch_tokens(
        &self,
        digests: Vec<[u8; 32]>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.writer
            .write(move |connection| {
                let mut touch = connection
                    .prepare_cached("UPDATE tokens SET used_at = ?2 WHERE digest = ?1")?;
                for digest in digests {
                    touch.execute(params![digest, to_sql(now_ms)])?;
                }
                Ok(())
            })
            .boxed()
    }

    fn is_guest_program(&self, guest: UserId) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.read_with(move |connection| {
            connection
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM tokens
                         WHERE user = ?1 AND bot = 1 AND label = ?2)",
                )?
                .query_row(params![guest.0, GUEST_LABEL], |row| row.get(0))
        })
        .boxed()
    }

    fn delete_token(&self, digest: [u8; 32]) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.writer
            .write(move |connection| {
                let deleted =
                    connection.execute("DELETE FROM tokens WHERE digest = ?1", [digest])?;
                Ok(deleted == 1)
            })
            .boxed()
    }

    fn change_password(
        &self,
        user: UserId,
        old_hash: String,
        new_hash: String,
        keep: [u8; 32],
        bots: bool,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.writer
            .write(move |connection| {
                let changed = connection.execute(
                    "UPDATE users SET password_hash = ?3 WHERE id = ?1 AND password_hash = ?2",
                    params![user.0, old_hash, new_hash],
                )?;
                if changed == 0 {
                    return Ok(false);
                }
                connection.execute(
                    "DELETE FROM tokens WHERE user = ?1 AND digest <> ?2 AND (bot = 0 OR ?3)",
                    params![user.0, keep, bots],
                )?;
                if bots {
                    connection.execute(
                        "DELETE FROM tokens WHERE user IN (SELECT id FROM users WHERE owner = ?1)",
                        [user.0],
                    )?;
                }
                Ok(true)
            })
            .boxed()
    }

    fn delete_guest(&self, guest: UserId, name: UserName) -> BoxFuture<'_, Result<(), StoreError>> {
        let live = Arc::clone(&self.live);
        self.writer
            .write(move |connection| {
                if live.count_of_user(&name) == 0 {
                    connection.execute(
                        "DELETE FROM users WHERE id = ?1
                         AND password_hash IS NULL AND house = 0 AND owner IS NULL
                         AND NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.user = users.id)
                         AND NOT EXISTS (SELECT 1 FROM game_users
                             WHERE game_users.user = users.folded)",
                        [guest.0],
                    )?;
                }
                Ok(())
            })
            .boxed()
    }

    fn sweep(
        &self,
        validity: Validity,
        unused_since: u64,
    ) -> BoxFuture<'_, Result<Swept, StoreError>> {
        let live = Arc::clone(&self.live);
        self.writer
            .write(move |connection| {
                let tokens = connection.execute(
                    "DELETE FROM tokens WHERE expires_at <= ?1
                     OR (bot = 0 AND COALESCE(used_at, created_at) < ?2
                         AND user IN (SELECT id FROM users WHERE house = 0))",
                    params![to_sql(validity.now_ms), to_sql(validity.used_since)],
                )?;
                let unused: Vec<_> = connection
                    .prepare(
                        "SELECT id, name FROM users
                         WHERE password_hash IS NULL AND house = 0 AND owner IS NULL
                           AND created_at < ?1
                           AND NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.user = users.id
                               AND COALESCE(used_at, created_at) >= ?1)
                           AND NOT EXISTS (SELECT 1 FROM game_users
                               WHERE game_users.user = users.folded)",
                    )?
                    .query_map([to_sql(unused_since)], |row| {
                        Ok((row.get::<_, i64>(0)?, read_name(row, 1)?))
                    })?
                    .collect::<Result<_, _>>()?;
                let mut guests = 0;
                for (id, name) in unused {
                    if live.count_of_user(&name) == 0 {
                        guests += connection.execute("DELETE FROM users WHERE id = ?1", [id])?;
                    }
                }
                Ok(Swept { tokens, guests })
            })
            .boxed()
    }
}
