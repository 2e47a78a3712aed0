//! Statements on tokens and passwords.

use adamant_protocol::UserName;
use futures::{FutureExt as _, future::BoxFuture};

use super::{
    columns::{SqlResult, USER_COLUMNS, USER_COLUMNS_COUNT, read_count, read_name, read_user},
    postgres::Postgres,
    session_seed::{SEED_COLUMNS, read_seed},
    sweep::{GuestPlace, delete_guest, sweep_guests, sweep_tokens},
    token_rows::{
        Digest, TOKEN_COLUMNS, TOKEN_COLUMNS_COUNT, insert_first_token, read_digest, read_token,
    },
    transaction::Transaction,
    tries::Tries,
    users::lock_user,
    values::to_sql,
};
use crate::{
    limits::TOKENS_PER_USER_MAX,
    store::{
        AddTokenOutcome, GUEST_LABEL, NewToken, OpenedToken, StoreError, StoredToken, Swept,
        Tokens, UserId, Validity,
    },
};

/// Whether a token is valid. $2 and $3 are the times of a [`Validity`].
const VALID: &str = "(tokens.expires_at IS NULL OR tokens.expires_at > $2)
     AND (tokens.bot OR users.house OR COALESCE(tokens.used_at, tokens.created_at) >= $3)";

/// Returns the valid token with this digest, its user and what a session needs, by one statement.
pub(super) async fn open_token(
    tx: &Transaction,
    digest: Digest,
    validity: Validity,
) -> SqlResult<Option<OpenedToken>> {
    let select = format!(
        "SELECT {USER_COLUMNS}, {TOKEN_COLUMNS}, {SEED_COLUMNS}
         FROM tokens JOIN users ON users.id = tokens.user_id WHERE digest = $1 AND {VALID}"
    );
    let (now, used_since) = (to_sql(validity.now_ms), to_sql(validity.used_since));
    let found = tx.query_opt(&select, &[&digest.as_slice(), &now, &used_since]).await?;
    found
        .map(|row| {
            let (user, token) = (read_user(&row)?, read_token(&row, USER_COLUMNS_COUNT)?);
            let seed = read_seed(&row, USER_COLUMNS_COUNT + TOKEN_COLUMNS_COUNT, &user.name)?;
            Ok((user, token, seed))
        })
        .transpose()
}

pub(super) async fn has_token(
    tx: &Transaction,
    digest: Digest,
    validity: Validity,
) -> SqlResult<bool> {
    let select = format!(
        "SELECT 1 FROM tokens JOIN users ON users.id = tokens.user_id
         WHERE digest = $1 AND {VALID}"
    );
    let (now, used_since) = (to_sql(validity.now_ms), to_sql(validity.used_since));
    let found = tx.query_opt(&select, &[&digest.as_slice(), &now, &used_since]).await?;
    Ok(found.is_some())
}

/// Returns those of some digests that no valid token has.
async fn invalid_tokens(
    tx: &Transaction,
    digests: &[Digest],
    validity: Validity,
) -> SqlResult<Vec<Digest>> {
    let select = format!(
        "SELECT asked.digest FROM unnest($1::bytea[]) AS asked (digest)
         WHERE NOT EXISTS (
             SELECT 1 FROM tokens JOIN users ON users.id = tokens.user_id
             WHERE tokens.digest = asked.digest AND {VALID})"
    );
    let digests: Vec<&[u8]> = digests.iter().map(Digest::as_slice).collect();
    let (now, used_since) = (to_sql(validity.now_ms), to_sql(validity.used_since));
    let invalid = tx.query(&select, &[&digests, &now, &used_since]).await?;
    invalid.iter().map(|row| read_digest(row, 0)).collect()
}

/// Stores a token. Above the limit the least recently used log-in is deleted; tokens of programs
/// are never deleted for others.
pub(super) async fn add_token(
    tx: &Transaction,
    owner: UserId,
    new: &NewToken,
    tries: &Tries<Digest>,
) -> SqlResult<AddTokenOutcome> {
    lock_user(tx, owner).await?;
    let stored = tx
        .query_opt(
            "SELECT 1 FROM tokens WHERE digest = $1 AND user_id = $2",
            &[&new.digest.as_slice(), &owner.0],
        )
        .await?;
    if stored.is_some() {
        return Ok(AddTokenOutcome::Added { evicted: tries.deleted([]) });
    }
    if let Some(hash) = &new.password_hash {
        let present = tx
            .query_opt("SELECT password_hash FROM users WHERE id = $1", &[&owner.0])
            .await?
            .map(|row| row.try_get::<_, Option<String>>(0))
            .transpose()?
            .flatten();
        if present.as_ref() != Some(hash) {
            return Ok(AddTokenOutcome::PasswordChanged);
        }
    }
    if new.bot {
        let count = "SELECT COUNT(*) FROM tokens WHERE user_id = $1 AND bot
                     AND (expires_at IS NULL OR expires_at > $2)";
        let row = tx.query_one(count, &[&owner.0, &to_sql(new.created_at)]).await?;
        if read_count(&row, 0)? >= TOKENS_PER_USER_MAX {
            return Ok(AddTokenOutcome::LimitReached);
        }
    }
    insert_first_token(tx, owner, new).await?;
    let evict = "DELETE FROM tokens WHERE user_id = $1 AND NOT bot AND digest NOT IN (
                     SELECT digest FROM tokens WHERE user_id = $1 AND NOT bot
                     ORDER BY digest = $2 DESC, COALESCE(used_at, created_at) DESC, digest
                     LIMIT $3)
                 RETURNING digest";
    let limit = i64::from(TOKENS_PER_USER_MAX);
    let evicted = tx.query(evict, &[&owner.0, &new.digest.as_slice(), &limit]).await?;
    let evicted = evicted.iter().map(|row| read_digest(row, 0)).collect::<SqlResult<Vec<_>>>()?;
    Ok(AddTokenOutcome::Added { evicted: tries.deleted(evicted) })
}

pub(super) async fn tokens_under(
    tx: &Transaction,
    owner: UserId,
    validity: Validity,
) -> SqlResult<Vec<(UserName, StoredToken)>> {
    let select = format!(
        "SELECT users.name, {TOKEN_COLUMNS}
         FROM tokens JOIN users ON users.id = tokens.user_id
         WHERE tokens.user_id IN (
             SELECT $1::bigint UNION ALL SELECT bots.id FROM users AS bots WHERE bots.owner_id = $1)
           AND {VALID}
         ORDER BY tokens.created_at DESC, digest"
    );
    let (now, used_since) = (to_sql(validity.now_ms), to_sql(validity.used_since));
    let rows = tx.query(&select, &[&owner.0, &now, &used_since]).await?;
    rows.iter().map(|row| Ok((read_name(row, 0)?, read_token(row, 1)?))).collect()
}

/// Records the use of tokens. Locks them in one order, so that no two nodes wait for each other.
pub(super) async fn touch_tokens(
    tx: &Transaction,
    digests: &[Digest],
    now_ms: u64,
) -> SqlResult<()> {
    let touch = "WITH used AS MATERIALIZED (
                     SELECT digest FROM tokens WHERE digest = ANY ($1)
                     ORDER BY digest FOR NO KEY UPDATE)
                 UPDATE tokens SET used_at = $2 FROM used WHERE tokens.digest = used.digest";
    let digests: Vec<&[u8]> = digests.iter().map(Digest::as_slice).collect();
    tx.execute(touch, &[&digests, &to_sql(now_ms)]).await?;
    Ok(())
}

pub(super) async fn is_guest_program(tx: &Transaction, guest: UserId) -> SqlResult<bool> {
    let select = "SELECT EXISTS (
                      SELECT 1 FROM tokens WHERE user_id = $1 AND bot AND label = $2)";
    Ok(tx.query_one(select, &[&guest.0, &GUEST_LABEL.as_bytes()]).await?.try_get(0)?)
}

pub(super) async fn delete_token(
    tx: &Transaction,
    digest: Digest,
    tries: &Tries<Digest>,
) -> SqlResult<bool> {
    let deleted = tx.execute("DELETE FROM tokens WHERE digest = $1", &[&digest.as_slice()]).await?;
    Ok(!tries.deleted((deleted == 1).then_some(digest)).is_empty())
}

/// A change of a password.
#[derive(Debug)]
pub(super) struct PasswordChange {
    pub(super) user: UserId,
    pub(super) old_hash: String,
    pub(super) new_hash: String,
    /// The token that stays.
    pub(super) keep: Digest,
    /// Whether the tokens of programs and bots end, too.
    pub(super) bots: bool,
    pub(super) tries: Tries<UserId>,
}

pub(super) async fn change_password(tx: &Transaction, change: &PasswordChange) -> SqlResult<bool> {
    let PasswordChange { user, old_hash, new_hash, keep, bots, tries } = change;
    let update = "UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2";
    if tx.execute(update, &[&user.0, old_hash, new_hash]).await? == 0 {
        let select = "SELECT 1 FROM users WHERE id = $1 AND password_hash = $2";
        let is_ours = tx.query_opt(select, &[&user.0, new_hash]).await?.is_some();
        return Ok(is_ours && tries.has(user));
    }
    tries.note(*user);
    let delete = "DELETE FROM tokens WHERE user_id = $1 AND digest <> $2 AND (NOT bot OR $3)";
    tx.execute(delete, &[&user.0, &keep.as_slice(), bots]).await?;
    if *bots {
        let delete =
            "DELETE FROM tokens WHERE user_id IN (SELECT id FROM users WHERE owner_id = $1)";
        tx.execute(delete, &[&user.0]).await?;
    }
    Ok(true)
}

impl Tokens for Postgres {
    fn add_token(
        &self,
        owner: UserId,
        new: NewToken,
    ) -> BoxFuture<'_, Result<AddTokenOutcome, StoreError>> {
        self.pool()
            .transact((new, Tries::default()), move |tx, (new, tries)| {
                add_token(tx, owner, new, tries).boxed()
            })
            .boxed()
    }

    fn open_token(
        &self,
        digest: Digest,
        validity: Validity,
    ) -> BoxFuture<'_, Result<Option<OpenedToken>, StoreError>> {
        self.pool().read((), move |tx, ()| open_token(tx, digest, validity).boxed()).boxed()
    }

    fn has_token(
        &self,
        digest: Digest,
        validity: Validity,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.pool().read((), move |tx, ()| has_token(tx, digest, validity).boxed()).boxed()
    }

    fn invalid_tokens(
        &self,
        digests: Vec<Digest>,
        validity: Validity,
    ) -> BoxFuture<'_, Result<Vec<Digest>, StoreError>> {
        self.pool()
            .read(digests, move |tx, digests| invalid_tokens(tx, digests, validity).boxed())
            .boxed()
    }

    fn tokens_under(
        &self,
        owner: UserId,
        validity: Validity,
    ) -> BoxFuture<'_, Result<Vec<(UserName, StoredToken)>, StoreError>> {
        self.pool().read((), move |tx, ()| tokens_under(tx, owner, validity).boxed()).boxed()
    }

    fn touch_token(&self, digest: Digest, now_ms: u64) -> BoxFuture<'_, Result<(), StoreError>> {
        self.touch_tokens(vec![digest], now_ms)
    }

    fn touch_tokens(
        &self,
        digests: Vec<Digest>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.pool()
            .transact(digests, move |tx, digests| touch_tokens(tx, digests, now_ms).boxed())
            .boxed()
    }

    fn is_guest_program(&self, guest: UserId) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.pool().read((), move |tx, ()| is_guest_program(tx, guest).boxed()).boxed()
    }

    fn delete_token(&self, digest: Digest) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.pool()
            .transact(Tries::default(), move |tx, tries| delete_token(tx, digest, tries).boxed())
            .boxed()
    }

    fn change_password(
        &self,
        user: UserId,
        old_hash: String,
        new_hash: String,
        keep: Digest,
        bots: bool,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        let tries = Tries::default();
        let change = PasswordChange { user, old_hash, new_hash, keep, bots, tries };
        self.pool().transact(change, |tx, change| change_password(tx, change).boxed()).boxed()
    }

    fn delete_guest(
        &self,
        guest: UserId,
        _name: UserName,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.pool().transact((), move |tx, ()| delete_guest(tx, guest).boxed()).boxed()
    }

    fn sweep(
        &self,
        validity: Validity,
        unused_since: u64,
    ) -> BoxFuture<'_, Result<Swept, StoreError>> {
        let pool = self.pool();
        let tokens = move || {
            pool.transact(Tries::default(), move |tx, tries| {
                sweep_tokens(tx, validity, tries).boxed()
            })
        };
        let guests = async move {
            let (mut deleted, mut place) = (0, Some(GuestPlace::default()));
            while let Some(after) = place {
                let page = pool.transact(Tries::default(), move |tx, tries| {
                    sweep_guests(tx, unused_since, after, tries).boxed()
                });
                let (some, last) = page.await?;
                (deleted, place) = (deleted + some, last);
            }
            Ok::<_, StoreError>(deleted)
        };
        async move { Ok(Swept { tokens: all(tokens).await?, guests: guests.await? }) }.boxed()
    }
}

/// Deletes rows part by part until there are none; returns their number.
async fn all<F: Future<Output = Result<usize, StoreError>>>(
    delete_some: impl Fn() -> F,
) -> Result<usize, StoreError> {
    let mut deleted = 0;
    loop {
        let some = delete_some().await?;
        deleted += some;
        if some == 0 {
            return Ok(deleted);
        }
    }
}
