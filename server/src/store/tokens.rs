//! Tokens, what a log-in reads, and the clean-up of expired tokens and unused guests.

use std::sync::LazyLock;

use adamant_protocol::UserName;
use futures::future::{join3, try_join_all};

use super::{
    Store, StoreError,
    ratings::{POOL_COLUMNS, read_rated_pool},
    relations::{read_hidden, select_hidden},
    sql::{Row, Sql, SqlError, SqlResult, params},
    store::{on_database, operations},
    user_notices::{read_notices, select_notices},
    users::{
        NewToken, SessionSeed, USER_COLUMNS, USER_COLUMNS_COUNT, User, UserId, belongings,
        insert_token, read_settings, read_user,
    },
};
use crate::limits::TOKENS_PER_USER_MAX;

/// BLAKE3 of a token's secret. The secret is random, so that a fast hash is enough.
pub(crate) type Digest = [u8; 32];

/// The times that decide whether a token is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Validity {
    /// A token must expire later than this, in epoch milliseconds.
    pub now_ms: u64,
    /// A log-in token must have been used at this time or later, in epoch milliseconds.
    pub used_since: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AddTokenOutcome {
    /// The token is stored; the least recently used log-ins were deleted.
    Added { evicted: Vec<[u8; 32]> },
    /// The password has changed since it was checked.
    PasswordChanged,
    /// The user has as many program tokens as the limit allows.
    LimitReached,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredToken {
    /// BLAKE3 of the secret.
    pub digest: [u8; 32],
    pub label: Box<str>,
    pub bot: bool,
    pub created_at: u64,
    pub expires_at: Option<u64>,
    /// The approximate time of the last use, in epoch milliseconds.
    pub used_at: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Swept {
    pub tokens: u64,
    pub guests: u64,
}

pub(crate) type OpenedToken = (User, StoredToken, SessionSeed);

/// Rows at which one statement of the clean-up looks, or which it deletes, so that no other write
/// waits for it long.
const SWEPT_AT_ONCE: u32 = 200;

const TOKEN_COLUMNS: &str = "tokens.digest, tokens.label, tokens.bot, tokens.created_at,
     tokens.expires_at, tokens.used_at";

const TOKEN_COLUMNS_COUNT: usize = 6;

/// Whether a token is valid. $2 and $3 are the times of a [`Validity`].
const VALID: &str = "(tokens.expires_at IS NULL OR tokens.expires_at > $2)
     AND (tokens.bot OR users.house OR COALESCE(tokens.used_at, tokens.created_at) >= $3)";

fn read_token(row: &mut Row, first: usize) -> SqlResult<StoredToken> {
    let label: Vec<u8> = row.get(first + 1)?;
    Ok(StoredToken {
        digest: read_digest(row, first)?,
        label: String::from_utf8_lossy(&label).into(),
        bot: row.get(first + 2)?,
        created_at: row.get(first + 3)?,
        expires_at: row.get(first + 4)?,
        used_at: row.get(first + 5)?,
    })
}

fn read_digest(row: &mut Row, column: usize) -> SqlResult<Digest> {
    let bytes: Box<[u8]> = row.get(column)?;
    let unreadable = |_| SqlError::Unreadable(format!("{} bytes of a digest", bytes.len()));
    Digest::try_from(&*bytes).map_err(unreadable)
}

/// Selects a token and its user: a row for each pool in which the user is rated, or one without.
pub(super) static SELECT_OPENED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {USER_COLUMNS}, {TOKEN_COLUMNS}, users.settings, {POOL_COLUMNS}
         FROM tokens JOIN users ON users.id = tokens.user_id
         LEFT JOIN ratings ON ratings.user_name = users.folded
         WHERE digest = $1 AND {VALID} ORDER BY ratings.pool"
    )
});

pub(super) static SELECT_HIDDEN: LazyLock<String> =
    LazyLock::new(|| select_hidden("SELECT user_id FROM tokens WHERE digest = $1"));

static SELECT_NOTICES: LazyLock<String> =
    LazyLock::new(|| select_notices("SELECT user_id FROM tokens WHERE digest = $1"));

/// Returns the valid token with this digest, its user and what a session of the user needs.
/// PostgreSQL gets all questions at once.
async fn open_token(
    sql: &impl Sql,
    digest: Digest,
    validity: Validity,
) -> SqlResult<Option<OpenedToken>> {
    const SETTINGS: usize = USER_COLUMNS_COUNT + TOKEN_COLUMNS_COUNT;
    let valid = params![digest.as_slice(), validity.now_ms, validity.used_since];
    let (found, hidden, notices) = join3(
        sql.query(&SELECT_OPENED, valid),
        sql.query(&SELECT_HIDDEN, params![digest.as_slice()]),
        sql.query(&SELECT_NOTICES, params![digest.as_slice()]),
    )
    .await;
    let mut rows = found?;
    let Some(row) = rows.first_mut() else { return Ok(None) };
    let (user, token) = (read_user(row)?, read_token(row, USER_COLUMNS_COUNT)?);
    let settings: Option<Box<str>> = row.get(SETTINGS)?;
    let settings = read_settings(settings.as_deref(), &user.name);
    let rated = rows.iter_mut().filter(|row| !row.is_null(SETTINGS + 1));
    let ratings = rated.map(|row| read_rated_pool(row, SETTINGS + 1));
    let ratings = ratings.collect::<SqlResult<_>>()?;
    let muted = read_hidden(hidden?)?;
    let notices = read_notices(&mut notices?)?;
    Ok(Some((user, token, SessionSeed { muted, ratings, settings, notices })))
}

async fn has_token(sql: &impl Sql, digest: Digest, validity: Validity) -> SqlResult<bool> {
    let select = format!(
        "SELECT 1 FROM tokens JOIN users ON users.id = tokens.user_id WHERE digest = $1 AND {VALID}"
    );
    sql.exists(&select, params![digest.as_slice(), validity.now_ms, validity.used_since]).await
}

async fn invalid_tokens(
    sql: &impl Sql,
    digests: &[Digest],
    validity: Validity,
) -> SqlResult<Vec<Digest>> {
    let valid = digests.iter().map(|digest| has_token(sql, *digest, validity));
    let valid = try_join_all(valid).await?;
    let checked = digests.iter().zip(valid);
    Ok(checked.filter(|(_, is_valid)| !is_valid).map(|(digest, _)| *digest).collect())
}

/// Stores a token. Above the limit the least recently used log-in is deleted; tokens of programs
/// are never deleted for others.
async fn add_token(sql: &impl Sql, owner: UserId, new: &NewToken) -> SqlResult<AddTokenOutcome> {
    sql.lock(belongings(owner)).await?;
    if let Some(hash) = &new.password_hash {
        let select = "SELECT 1 FROM users WHERE id = $1 AND password_hash = $2";
        if !sql.exists(select, params![owner.0, hash]).await? {
            return Ok(AddTokenOutcome::PasswordChanged);
        }
    }
    if new.bot {
        let count = "SELECT COUNT(*) FROM tokens WHERE user_id = $1 AND bot
                     AND (expires_at IS NULL OR expires_at > $2)";
        if sql.count(count, params![owner.0, new.created_at]).await? >= TOKENS_PER_USER_MAX as usize
        {
            return Ok(AddTokenOutcome::LimitReached);
        }
    }
    insert_token(sql, owner, new).await?;
    let evict = "DELETE FROM tokens WHERE user_id = $1 AND NOT bot AND digest NOT IN (
                     SELECT digest FROM tokens WHERE user_id = $1 AND NOT bot
                     ORDER BY digest = $2 DESC, COALESCE(used_at, created_at) DESC, digest
                     LIMIT $3)
                 RETURNING digest";
    let params = params![owner.0, new.digest.as_slice(), TOKENS_PER_USER_MAX];
    let mut evicted = sql.query(evict, params).await?;
    let evicted = evicted.iter_mut().map(|row| read_digest(row, 0)).collect::<SqlResult<_>>()?;
    Ok(AddTokenOutcome::Added { evicted })
}

async fn tokens_under(
    sql: &impl Sql,
    owner: UserId,
    validity: Validity,
) -> SqlResult<Vec<(UserName, StoredToken)>> {
    let select = format!(
        "SELECT users.name, {TOKEN_COLUMNS}
         FROM tokens JOIN users ON users.id = tokens.user_id
         WHERE tokens.user_id IN (
             SELECT id FROM users WHERE id = $1 UNION ALL SELECT id FROM users WHERE owner_id = $1)
           AND {VALID}
         ORDER BY tokens.created_at DESC, digest"
    );
    let params = params![owner.0, validity.now_ms, validity.used_since];
    let mut rows = sql.query(&select, params).await?;
    rows.iter_mut().map(|row| Ok((row.parse(0)?, read_token(row, 1)?))).collect()
}

/// Records the use of tokens, in one order, so that no two nodes wait for each other.
async fn touch_tokens(sql: &impl Sql, digests: &[Digest], now_ms: u64) -> SqlResult<()> {
    let mut digests = digests.to_vec();
    digests.sort_unstable();
    let touches = digests.iter().map(|digest| async move {
        let touch = "UPDATE tokens SET used_at = $2 WHERE digest = $1";
        sql.execute(touch, params![digest.as_slice(), now_ms]).await
    });
    try_join_all(touches).await.map(drop)
}

async fn is_guest_program(sql: &impl Sql, guest: UserId) -> SqlResult<bool> {
    let select = "SELECT 1 FROM tokens WHERE user_id = $1 AND bot AND label = $2";
    sql.exists(select, params![guest.0, super::users::GUEST_LABEL.as_bytes()]).await
}

async fn delete_token(sql: &impl Sql, digest: Digest) -> SqlResult<bool> {
    let delete = "DELETE FROM tokens WHERE digest = $1";
    Ok(sql.execute(delete, params![digest.as_slice()]).await? == 1)
}

#[derive(Debug)]
pub(crate) struct PasswordChange {
    pub(crate) user: UserId,
    pub(crate) old_hash: String,
    pub(crate) new_hash: String,
    pub(crate) keep: Digest,
    pub(crate) bots: bool,
}

async fn change_password(sql: &impl Sql, change: &PasswordChange) -> SqlResult<bool> {
    let PasswordChange { user, old_hash, new_hash, keep, bots } = change;
    // A log-in that has compared the old hash has stored its token by now, or finds the new hash.
    sql.lock(belongings(*user)).await?;
    let update = "UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2";
    if sql.execute(update, params![user.0, old_hash, new_hash]).await? == 0 {
        return Ok(false);
    }
    // Whoever reads the mails of the user may have asked for a code.
    let end = "UPDATE mail_addresses SET digest = NULL, until_at = NULL
         WHERE user_id = $1 AND confirmed";
    sql.execute(end, params![user.0]).await?;
    let delete = "DELETE FROM tokens WHERE user_id = $1 AND digest <> $2 AND (NOT bot OR $3)";
    sql.execute(delete, params![user.0, keep.as_slice(), *bots]).await?;
    if *bots {
        let delete =
            "DELETE FROM tokens WHERE user_id IN (SELECT id FROM users WHERE owner_id = $1)";
        sql.execute(delete, params![user.0]).await?;
    }
    Ok(true)
}

async fn delete_guest(sql: &impl Sql, guest: UserId) -> SqlResult<()> {
    let delete = "DELETE FROM users WHERE id = $1
                    AND password_hash IS NULL AND NOT house AND owner_id IS NULL
                    AND NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.user_id = users.id)
                    AND NOT EXISTS (SELECT 1 FROM game_users
                        WHERE game_users.user_name = users.folded)";
    sql.execute(delete, params![guest.0]).await?;
    Ok(())
}

/// Deletes some tokens that have expired, or some log-ins that were not used, except those of the
/// server's own bots; returns their number.
async fn sweep_tokens<S: Sql>(sql: &S, validity: Validity) -> SqlResult<u64> {
    let skip = S::SKIP_LOCKED;
    let expired = format!(
        "DELETE FROM tokens WHERE digest IN (
             SELECT digest FROM tokens WHERE expires_at <= $1 LIMIT $2{skip})"
    );
    let disused = format!(
        "DELETE FROM tokens WHERE digest IN (
             SELECT digest FROM tokens
             WHERE NOT bot AND COALESCE(used_at, created_at) < $1
               AND EXISTS (SELECT 1 FROM users WHERE users.id = tokens.user_id AND NOT users.house)
             LIMIT $2{skip})"
    );
    let unconfirmed = "DELETE FROM mail_addresses WHERE NOT confirmed AND until_at <= $1";
    sql.execute(unconfirmed, params![validity.now_ms]).await?;
    let expired = sql.execute(&expired, params![validity.now_ms, SWEPT_AT_ONCE]).await?;
    Ok(expired + sql.execute(&disused, params![validity.used_since, SWEPT_AT_ONCE]).await?)
}

/// A place among the guests by age: `created_at` and `id`.
type GuestPlace = (i64, i64);

/// Deletes the unused ones of the guests after a place; returns their number, and the place after
/// which to go on. Most guests stay, so each statement looks at a few.
async fn sweep_guests<S: Sql>(
    sql: &S,
    unused_since: u64,
    after: GuestPlace,
) -> SqlResult<(u64, Option<GuestPlace>)> {
    let oldest = "SELECT created_at, id FROM users
         WHERE password_hash IS NULL AND NOT house AND owner_id IS NULL AND created_at < $1
           AND (created_at, id) > ($2, $3)
         ORDER BY created_at, id LIMIT $4";
    let page = sql.query(oldest, params![unused_since, after.0, after.1, SWEPT_AT_ONCE]).await?;
    let Some(mut last) = page.into_iter().next_back() else { return Ok((0, None)) };
    let last: GuestPlace = (last.get(0)?, last.get(1)?);
    let away = format!(
        "DELETE FROM users WHERE id IN (
             SELECT id FROM users
             WHERE (created_at, id) > ($2, $3) AND (created_at, id) <= ($4, $5)
               AND password_hash IS NULL AND NOT house AND owner_id IS NULL
               AND NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.user_id = users.id
                   AND COALESCE(tokens.used_at, tokens.created_at) >= $1)
               AND NOT EXISTS (SELECT 1 FROM game_users
                   WHERE game_users.user_name = users.folded){skip})",
        skip = S::SKIP_LOCKED
    );
    let params = params![unused_since, after.0, after.1, last.0, last.1];
    Ok((sql.execute(&away, params).await?, Some(last)))
}

operations! {
    fn add_token(owner: UserId, new: NewToken) -> AddTokenOutcome =
        transact(add_token(*owner, new));
    /// Returns the valid token with this digest, its user and what a session of the user needs.
    fn open_token(digest: Digest, validity: Validity) -> Option<OpenedToken> =
        read_unconfirmed(open_token(*digest, *validity));
    fn has_token(digest: Digest, validity: Validity) -> bool =
        read_unconfirmed(has_token(*digest, *validity));
    fn invalid_tokens(digests: Vec<Digest>, validity: Validity) -> Vec<Digest> =
        read_unconfirmed(invalid_tokens(digests, *validity));
    /// Returns the valid tokens of a user and of the user's bots with the user names, newest first.
    fn tokens_under(owner: UserId, validity: Validity) -> Vec<(UserName, StoredToken)> =
        read_unconfirmed(tokens_under(*owner, *validity));
    fn touch_tokens(digests: Vec<Digest>, now_ms: u64) -> () =
        transact(touch_tokens(digests, *now_ms));
    /// Returns whether a guest is a program: its first token says so.
    fn is_guest_program(guest: UserId) -> bool = read_unconfirmed(is_guest_program(*guest));
    fn delete_token(digest: Digest) -> bool = transact(delete_token(*digest));
    /// Changes a password unless it is another by now. Deletes all log-in tokens of the user except
    /// one; with `bots` also the tokens for programs and those of the user's bots. Returns whether
    /// the password was changed.
    fn change_password(change: PasswordChange) -> bool = transact(change_password(change));
    /// Deletes a guest without tokens and without games, live or finished.
    fn delete_guest(guest: UserId) -> () = transact(delete_guest(*guest));
}

impl Store {
    /// Deletes invalid tokens, and guests who are unused since a time and have no games at all.
    pub(crate) async fn sweep(
        &self,
        validity: Validity,
        unused_since: u64,
    ) -> Result<Swept, StoreError> {
        let mut swept = Swept::default();
        loop {
            let some: u64 =
                on_database!(transact, &self.database, validity, |sql, validity| sweep_tokens(
                    sql, *validity
                ))?;
            if some == 0 {
                break;
            }
            swept.tokens += some;
        }
        let mut place = Some(GuestPlace::default());
        while let Some(after) = place {
            let (some, last) = on_database!(transact, &self.database, after, |sql, after| {
                sweep_guests(sql, unused_since, *after)
            })?;
            (swept.guests, place) = (swept.guests + some, last);
        }
        Ok(swept)
    }
}
