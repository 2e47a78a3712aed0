//! Push subscriptions and webhooks, and notices until they are sent. A subscription ends with the
//! token that it was stored with, and a webhook with its user.

use adamant_protocol::UserName;

use super::{
    Store, StoreError,
    sql::{Row, Sql, SqlError, SqlResult, params},
    store::{on_database, operations},
    tokens::Digest,
    users::{UserId, belongings},
};
use crate::limits::{
    NOTICES_TAKEN_MAX, NOTIFICATION_FAILURES_MAX, PUSH_SUBSCRIPTIONS_PER_USER_MAX,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredSubscription {
    /// The URL of the push service, which identifies the subscription.
    pub endpoint: Box<str>,
    /// The public key: an uncompressed point of P-256.
    pub key: Vec<u8>,
    pub auth: [u8; 16],
    pub created_at: u64,
    pub failures: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredWebhook {
    pub user: UserId,
    pub url: Box<str>,
    /// The secret that signs its requests. It is stored as it is, because signing needs it.
    pub secret: Box<str>,
    pub created_at: u64,
    pub failures: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeliveryResult {
    Delivered,
    Failed,
    Gone,
}

/// A notice that waits for its time, or for the answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredNotice {
    /// A random number below 2^63.
    pub id: u64,
    /// When any process may take it, in epoch milliseconds.
    pub overdue_at: u64,
    pub occasion: Box<str>,
}

async fn add_subscription<S: Sql>(
    sql: &S,
    token: Digest,
    subscription: &StoredSubscription,
) -> SqlResult<bool> {
    let StoredSubscription { endpoint, key, auth, created_at, failures } = subscription;
    let owner = "SELECT user_id FROM tokens WHERE digest = $1";
    let Some(mut owner) = sql.first(owner, params![token.as_slice()]).await? else {
        return Ok(false);
    };
    let owner = UserId(owner.get(0)?);
    sql.lock(belongings(owner)).await?;
    // The token may have ended meanwhile.
    let is_valid = format!("SELECT 1 FROM tokens WHERE digest = $1{}", S::KEEP);
    if !sql.exists(&is_valid, params![token.as_slice()]).await? {
        return Ok(false);
    }
    let replace = "INSERT INTO push_subscriptions
             (endpoint, token, key, auth, created_at, failures)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (endpoint) DO UPDATE SET token = excluded.token, key = excluded.key,
             auth = excluded.auth, created_at = excluded.created_at, failures = excluded.failures";
    let (key, auth) = (key.as_slice(), auth.as_slice());
    let params = params![endpoint.clone(), token.as_slice(), key, auth, *created_at, *failures];
    sql.execute(replace, params).await?;
    let delete = "DELETE FROM push_subscriptions WHERE token IN (
             SELECT digest FROM tokens WHERE user_id = $1)
           AND endpoint NOT IN (
             SELECT endpoint FROM push_subscriptions
             JOIN tokens ON tokens.digest = token WHERE tokens.user_id = $1
             ORDER BY endpoint = $2 DESC, push_subscriptions.created_at DESC, endpoint LIMIT $3)";
    let params = params![owner.0, endpoint.clone(), PUSH_SUBSCRIPTIONS_PER_USER_MAX];
    sql.execute(delete, params).await?;
    Ok(true)
}

async fn delete_subscription(sql: &impl Sql, user: &UserName, endpoint: &str) -> SqlResult<bool> {
    let delete = "DELETE FROM push_subscriptions WHERE endpoint = $1 AND token IN (
             SELECT tokens.digest FROM tokens JOIN users ON users.id = tokens.user_id
             WHERE users.folded = $2)";
    Ok(sql.execute(delete, params![endpoint, user.folded().as_str()]).await? == 1)
}

async fn subscriptions(sql: &impl Sql, user: &UserName) -> SqlResult<Vec<StoredSubscription>> {
    let select = "SELECT endpoint, key, auth, push_subscriptions.created_at, failures
         FROM push_subscriptions JOIN tokens ON tokens.digest = token
         JOIN users ON users.id = tokens.user_id
         WHERE users.folded = $1 ORDER BY push_subscriptions.created_at, endpoint";
    let mut rows = sql.query(select, params![user.folded().as_str()]).await?;
    rows.iter_mut().map(read_subscription).collect()
}

async fn settle_subscription(
    sql: &impl Sql,
    endpoint: &str,
    result: DeliveryResult,
) -> SqlResult<()> {
    let count = "UPDATE push_subscriptions
         SET failures = CASE WHEN $2 THEN failures + 1 ELSE 0 END WHERE endpoint = $1";
    let has_failed = result != DeliveryResult::Delivered;
    sql.execute(count, params![endpoint, has_failed]).await?;
    let delete = "DELETE FROM push_subscriptions WHERE endpoint = $1 AND (failures >= $2 OR $3)";
    let is_gone = result == DeliveryResult::Gone;
    sql.execute(delete, params![endpoint, NOTIFICATION_FAILURES_MAX, is_gone]).await?;
    Ok(())
}

async fn set_webhook(sql: &impl Sql, webhook: &StoredWebhook) -> SqlResult<()> {
    let StoredWebhook { user, url, secret, created_at, failures } = webhook;
    let replace = "INSERT INTO webhooks (user_id, url, secret, created_at, failures)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (user_id) DO UPDATE SET url = excluded.url, secret = excluded.secret,
             created_at = excluded.created_at, failures = excluded.failures";
    let params = params![user.0, url.clone(), secret.clone(), *created_at, *failures];
    sql.execute(replace, params).await?;
    Ok(())
}

async fn webhook(sql: &impl Sql, user: &UserName) -> SqlResult<Option<StoredWebhook>> {
    let select = "SELECT webhooks.user_id, url, secret, webhooks.created_at, failures
         FROM webhooks JOIN users ON users.id = webhooks.user_id WHERE users.folded = $1";
    let found = sql.first(select, params![user.folded().as_str()]).await?;
    found.map(|mut row| read_webhook(&mut row)).transpose()
}

async fn delete_webhook(sql: &impl Sql, user: UserId) -> SqlResult<bool> {
    Ok(sql.execute("DELETE FROM webhooks WHERE user_id = $1", params![user.0]).await? == 1)
}

async fn settle_webhook(
    sql: &impl Sql,
    webhook: &StoredWebhook,
    result: DeliveryResult,
) -> SqlResult<u32> {
    let count = "UPDATE webhooks SET failures = CASE WHEN $3 THEN failures + 1 ELSE 0 END
         WHERE user_id = $1 AND secret = $2 RETURNING failures";
    let has_failed = result != DeliveryResult::Delivered;
    let params = params![webhook.user.0, webhook.secret.clone(), has_failed];
    sql.first(count, params).await?.map_or(Ok(0), |mut row| row.get(0))
}

async fn add_notice(sql: &impl Sql, notice: &StoredNotice) -> SqlResult<()> {
    let StoredNotice { id, overdue_at, occasion } = notice;
    let insert = "INSERT INTO notices (id, overdue_at, occasion) VALUES ($1, $2, $3)";
    sql.execute(insert, params![*id, *overdue_at, occasion.clone()]).await?;
    Ok(())
}

async fn has_overdue(sql: &impl Sql, now: u64) -> SqlResult<bool> {
    sql.exists("SELECT 1 FROM notices WHERE overdue_at <= $1 LIMIT 1", params![now]).await
}

async fn take_notices<S: Sql>(sql: &S, now: u64, until: u64) -> SqlResult<Vec<StoredNotice>> {
    let update = format!(
        "UPDATE notices SET overdue_at = $2 WHERE id IN (
             SELECT id FROM notices WHERE overdue_at <= $1 ORDER BY overdue_at, id LIMIT $3{})
         RETURNING id, overdue_at, occasion",
        S::SKIP_LOCKED
    );
    let mut rows = sql.query(&update, params![now, until, NOTICES_TAKEN_MAX]).await?;
    let notice = |row: &mut Row| {
        Ok(StoredNotice { id: row.get(0)?, overdue_at: row.get(1)?, occasion: row.get(2)? })
    };
    rows.iter_mut().map(notice).collect()
}

async fn claim_notice(sql: &impl Sql, id: u64, from: u64, until: u64) -> SqlResult<bool> {
    let update = "UPDATE notices SET overdue_at = $3 WHERE id = $1 AND overdue_at = $2";
    Ok(sql.execute(update, params![id, from, until]).await? == 1)
}

async fn delete_notice(sql: &impl Sql, id: u64) -> SqlResult<()> {
    sql.execute("DELETE FROM notices WHERE id = $1", params![id]).await?;
    Ok(())
}

fn read_subscription(row: &mut Row) -> SqlResult<StoredSubscription> {
    let auth: Box<[u8]> = row.get(2)?;
    let unreadable = |_| SqlError::Unreadable(format!("a secret of {} bytes", auth.len()));
    Ok(StoredSubscription {
        endpoint: row.get(0)?,
        key: row.get(1)?,
        auth: (*auth).try_into().map_err(unreadable)?,
        created_at: row.get(3)?,
        failures: row.get(4)?,
    })
}

fn read_webhook(row: &mut Row) -> SqlResult<StoredWebhook> {
    Ok(StoredWebhook {
        user: UserId(row.get(0)?),
        url: row.get(1)?,
        secret: row.get(2)?,
        created_at: row.get(3)?,
        failures: row.get(4)?,
    })
}

operations! {
    /// Stores a subscription for the session with this token; replaces one with the same endpoint,
    /// and deletes the user's oldest above the limit. Returns whether the token exists.
    fn add_subscription(token: Digest, subscription: StoredSubscription) -> bool =
        transact(add_subscription(*token, subscription));
    fn delete_subscription(user: UserName, endpoint: Box<str>) -> bool =
        transact(delete_subscription(user, endpoint));
    /// Returns a user's subscriptions, the oldest first.
    fn subscriptions(user: UserName) -> Vec<StoredSubscription> =
        read_unconfirmed(subscriptions(user));
    /// Counts the failures of a subscription; deletes one that is gone or has failed too often.
    fn settle_subscription(endpoint: Box<str>, result: DeliveryResult) -> () =
        transact(settle_subscription(endpoint, *result));
    fn set_webhook(webhook: StoredWebhook) -> () = transact(set_webhook(webhook));
    fn webhook(user: UserName) -> Option<StoredWebhook> = read_unconfirmed(webhook(user));
    fn delete_webhook(user: UserId) -> bool = transact(delete_webhook(*user));
    /// Counts the failures of a webhook, unless it has been replaced; returns their number.
    fn settle_webhook(webhook: StoredWebhook, result: DeliveryResult) -> u32 =
        transact(settle_webhook(webhook, *result));
    fn add_notice(notice: StoredNotice) -> () = transact(add_notice(notice));
    /// Prolongs the time until a notice is overdue. Returns whether it was the stated one.
    fn claim_notice(id: u64, overdue_at: u64, until: u64) -> bool =
        transact(claim_notice(*id, *overdue_at, *until));
    fn delete_notice(id: u64) -> () = transact(delete_notice(*id));
}

impl Store {
    /// Takes some of the notices that are overdue at `now`, in epoch milliseconds: they are overdue
    /// again at `until`.
    pub(crate) async fn take_notices(
        &self,
        now: u64,
        until: u64,
    ) -> Result<Vec<StoredNotice>, StoreError> {
        // There are usually none, and a look costs no commit.
        if !on_database!(read_unconfirmed, &self.database, now, |sql, now| has_overdue(sql, *now))?
        {
            return Ok(Vec::new());
        }
        on_database!(transact, &self.database, (now, until), |sql, (now, until)| {
            take_notices(sql, *now, *until)
        })
    }
}
