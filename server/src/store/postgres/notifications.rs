//! Statements on push subscriptions, webhooks and notices.

use adamant_protocol::UserName;
use futures::{FutureExt as _, future::BoxFuture};
use tokio_postgres::Row;

use super::{
    columns::{SqlResult, read_count, read_u64},
    postgres::Postgres,
    token_rows::Digest,
    transaction::Transaction,
    tries::Tries,
    users::lock_user,
    values::{from_sql, to_sql},
};
use crate::{
    limits::{NOTICES_TAKEN_MAX, NOTIFICATION_FAILURES_MAX, PUSH_SUBSCRIPTIONS_PER_USER_MAX},
    store::{
        DeliveryResult, Notifications, StoreError, StoredNotice, StoredSubscription, StoredWebhook,
        UserId,
    },
};

pub(super) async fn add_subscription(
    tx: &Transaction,
    token: Digest,
    subscription: &StoredSubscription,
) -> SqlResult<bool> {
    let StoredSubscription { endpoint, key, auth, created_at, failures } = subscription;
    let token = token.as_slice();
    let owner = tx.query_opt("SELECT user_id FROM tokens WHERE digest = $1", &[&token]).await?;
    let Some(owner) = owner else { return Ok(false) };
    let owner = UserId(owner.try_get(0)?);
    lock_user(tx, owner).await?;
    // The token stays until the subscription is stored.
    let token_stays =
        tx.query_opt("SELECT 1 FROM tokens WHERE digest = $1 FOR KEY SHARE", &[&token]).await?;
    if token_stays.is_none() {
        return Ok(false);
    }
    let replace = "INSERT INTO push_subscriptions
             (endpoint, token, key, auth, created_at, failures)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (endpoint) DO UPDATE SET token = excluded.token, key = excluded.key,
             auth = excluded.auth, created_at = excluded.created_at, failures = excluded.failures";
    let endpoint = &**endpoint;
    let failures = i64::from(*failures);
    tx.execute(
        replace,
        &[&endpoint, &token, key, &auth.as_slice(), &to_sql(*created_at), &failures],
    )
    .await?;
    let delete = "DELETE FROM push_subscriptions WHERE endpoint IN (
             SELECT endpoint FROM push_subscriptions
             JOIN tokens ON tokens.digest = token WHERE tokens.user_id = $1
             ORDER BY endpoint = $2 DESC, push_subscriptions.created_at DESC, endpoint
             OFFSET $3)";
    let kept = i64::from(PUSH_SUBSCRIPTIONS_PER_USER_MAX);
    tx.execute(delete, &[&owner.0, &endpoint, &kept]).await?;
    Ok(true)
}

pub(super) async fn delete_subscription(
    tx: &Transaction,
    user: &UserName,
    endpoint: &str,
    tries: &Tries<()>,
) -> SqlResult<bool> {
    let delete = "DELETE FROM push_subscriptions WHERE endpoint = $1 AND token IN (
             SELECT tokens.digest FROM tokens JOIN users ON users.id = tokens.user_id
             WHERE users.folded = $2)";
    let deleted = tx.execute(delete, &[&endpoint, &user.folded().as_str()]).await?;
    Ok(!tries.deleted((deleted == 1).then_some(())).is_empty())
}

pub(super) async fn subscriptions(
    tx: &Transaction,
    user: &UserName,
) -> SqlResult<Vec<StoredSubscription>> {
    let select = "SELECT endpoint, key, auth, push_subscriptions.created_at, failures
         FROM push_subscriptions JOIN tokens ON tokens.digest = token
         JOIN users ON users.id = tokens.user_id
         WHERE users.folded = $1 ORDER BY push_subscriptions.created_at, endpoint";
    let rows = tx.query(select, &[&user.folded().as_str()]).await?;
    rows.iter().map(read_subscription).collect()
}

/// Returns the number of failures after a delivery. `tries` has the number that an earlier try has
/// stored: the same delivery counts once.
fn failures_after(present: i64, result: DeliveryResult, tries: &Tries<i64>) -> i64 {
    if result == DeliveryResult::Delivered {
        return 0;
    }
    if tries.has(&present) { present } else { present + 1 }
}

pub(super) async fn settle_subscription(
    tx: &Transaction,
    endpoint: &str,
    result: DeliveryResult,
    tries: &Tries<i64>,
) -> SqlResult<()> {
    let select = "SELECT failures FROM push_subscriptions WHERE endpoint = $1 FOR UPDATE";
    let Some(row) = tx.query_opt(select, &[&endpoint]).await? else { return Ok(()) };
    let failures = failures_after(row.try_get(0)?, result, tries);
    tries.note(failures);
    if failures >= i64::from(NOTIFICATION_FAILURES_MAX) || result == DeliveryResult::Gone {
        tx.execute("DELETE FROM push_subscriptions WHERE endpoint = $1", &[&endpoint]).await?;
    } else {
        let update = "UPDATE push_subscriptions SET failures = $2 WHERE endpoint = $1";
        tx.execute(update, &[&endpoint, &failures]).await?;
    }
    Ok(())
}

pub(super) async fn set_webhook(tx: &Transaction, webhook: &StoredWebhook) -> SqlResult<()> {
    let StoredWebhook { user, url, secret, created_at, failures } = webhook;
    let replace = "INSERT INTO webhooks (user_id, url, secret, created_at, failures)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (user_id) DO UPDATE SET url = excluded.url, secret = excluded.secret,
             created_at = excluded.created_at, failures = excluded.failures";
    let failures = i64::from(*failures);
    tx.execute(replace, &[&user.0, &&**url, &&**secret, &to_sql(*created_at), &failures]).await?;
    Ok(())
}

pub(super) async fn webhook(tx: &Transaction, user: &UserName) -> SqlResult<Option<StoredWebhook>> {
    let select = "SELECT webhooks.user_id, url, secret, webhooks.created_at, failures
         FROM webhooks JOIN users ON users.id = webhooks.user_id WHERE users.folded = $1";
    let found = tx.query_opt(select, &[&user.folded().as_str()]).await?;
    found.map(|row| read_webhook(&row)).transpose()
}

pub(super) async fn delete_webhook(
    tx: &Transaction,
    user: UserId,
    tries: &Tries<UserId>,
) -> SqlResult<bool> {
    let deleted = tx.execute("DELETE FROM webhooks WHERE user_id = $1", &[&user.0]).await?;
    Ok(!tries.deleted((deleted == 1).then_some(user)).is_empty())
}

pub(super) async fn settle_webhook(
    tx: &Transaction,
    webhook: &StoredWebhook,
    result: DeliveryResult,
    tries: &Tries<i64>,
) -> SqlResult<u32> {
    let (user, secret) = (webhook.user.0, &*webhook.secret);
    let select = "SELECT failures FROM webhooks WHERE user_id = $1 AND secret = $2 FOR UPDATE";
    let Some(row) = tx.query_opt(select, &[&user, &secret]).await? else { return Ok(0) };
    let failures = failures_after(row.try_get(0)?, result, tries);
    tries.note(failures);
    let update = "UPDATE webhooks SET failures = $2 WHERE user_id = $1 RETURNING failures";
    read_count(&tx.query_one(update, &[&user, &failures]).await?, 0)
}

/// An earlier try may have stored it.
async fn add_notice(tx: &Transaction, notice: &StoredNotice) -> SqlResult<()> {
    let StoredNotice { id, overdue_at, occasion } = notice;
    let insert = "INSERT INTO notices (id, overdue_at, occasion) VALUES ($1, $2, $3)
                  ON CONFLICT DO NOTHING";
    tx.execute(insert, &[&to_sql(*id), &to_sql(*overdue_at), &&**occasion]).await?;
    Ok(())
}

async fn has_overdue(tx: &Transaction, now: u64) -> SqlResult<bool> {
    let look = "SELECT EXISTS (SELECT 1 FROM notices WHERE overdue_at <= $1)";
    Ok(tx.query_one(look, &[&to_sql(now)]).await?.try_get(0)?)
}

/// What an earlier try has taken is overdue again later.
async fn take_notices(tx: &Transaction, now: u64, until: u64) -> SqlResult<Vec<StoredNotice>> {
    let update = "UPDATE notices SET overdue_at = $2 WHERE id IN (
             SELECT id FROM notices WHERE overdue_at <= $1 ORDER BY overdue_at, id LIMIT $3
             FOR UPDATE SKIP LOCKED)
         RETURNING id, overdue_at, occasion";
    let most = i64::from(NOTICES_TAKEN_MAX);
    let rows = tx.query(update, &[&to_sql(now), &to_sql(until), &most]).await?;
    let notice = |row: &Row| {
        let occasion: &str = row.try_get(2)?;
        let (id, overdue_at) = (from_sql(row.try_get(0)?), from_sql(row.try_get(1)?));
        Ok(StoredNotice { id, overdue_at, occasion: occasion.into() })
    };
    rows.iter().map(notice).collect()
}

/// An earlier try may have prolonged the time.
async fn claim_notice(tx: &Transaction, id: u64, from: u64, until: u64) -> SqlResult<bool> {
    let update = "UPDATE notices SET overdue_at = $3 WHERE id = $1 AND overdue_at IN ($2, $3)";
    Ok(tx.execute(update, &[&to_sql(id), &to_sql(from), &to_sql(until)]).await? == 1)
}

async fn delete_notice(tx: &Transaction, id: u64) -> SqlResult<()> {
    tx.execute("DELETE FROM notices WHERE id = $1", &[&to_sql(id)]).await?;
    Ok(())
}

fn read_subscription(row: &Row) -> SqlResult<StoredSubscription> {
    let endpoint: &str = row.try_get(0)?;
    let auth: &[u8] = row.try_get(2)?;
    Ok(StoredSubscription {
        endpoint: endpoint.into(),
        key: row.try_get(1)?,
        auth: auth.try_into().expect("the table holds secrets of 16 bytes"),
        created_at: read_u64(row, 3)?,
        failures: read_count(row, 4)?,
    })
}

fn read_webhook(row: &Row) -> SqlResult<StoredWebhook> {
    let (url, secret): (&str, &str) = (row.try_get(1)?, row.try_get(2)?);
    Ok(StoredWebhook {
        user: UserId(row.try_get(0)?),
        url: url.into(),
        secret: secret.into(),
        created_at: read_u64(row, 3)?,
        failures: read_count(row, 4)?,
    })
}

impl Notifications for Postgres {
    fn add_subscription(
        &self,
        token: Digest,
        subscription: StoredSubscription,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.pool()
            .transact(subscription, move |tx, subscription| {
                add_subscription(tx, token, subscription).boxed()
            })
            .boxed()
    }

    fn delete_subscription(
        &self,
        user: UserName,
        endpoint: Box<str>,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.pool()
            .transact((user, endpoint, Tries::default()), |tx, (user, endpoint, tries)| {
                delete_subscription(tx, user, endpoint, tries).boxed()
            })
            .boxed()
    }

    fn subscriptions(
        &self,
        user: UserName,
    ) -> BoxFuture<'_, Result<Vec<StoredSubscription>, StoreError>> {
        self.pool().read(user, |tx, user| subscriptions(tx, user).boxed()).boxed()
    }

    fn settle_subscription(
        &self,
        endpoint: Box<str>,
        result: DeliveryResult,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.pool()
            .transact((endpoint, Tries::default()), move |tx, (endpoint, tries)| {
                settle_subscription(tx, endpoint, result, tries).boxed()
            })
            .boxed()
    }

    fn set_webhook(&self, webhook: StoredWebhook) -> BoxFuture<'_, Result<(), StoreError>> {
        self.pool().transact(webhook, |tx, webhook| set_webhook(tx, webhook).boxed()).boxed()
    }

    fn webhook(&self, user: UserName) -> BoxFuture<'_, Result<Option<StoredWebhook>, StoreError>> {
        self.pool().read(user, |tx, user| webhook(tx, user).boxed()).boxed()
    }

    fn delete_webhook(&self, user: UserId) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.pool()
            .transact(Tries::default(), move |tx, tries| delete_webhook(tx, user, tries).boxed())
            .boxed()
    }

    fn settle_webhook(
        &self,
        webhook: StoredWebhook,
        result: DeliveryResult,
    ) -> BoxFuture<'_, Result<u32, StoreError>> {
        self.pool()
            .transact((webhook, Tries::default()), move |tx, (webhook, tries)| {
                settle_webhook(tx, webhook, result, tries).boxed()
            })
            .boxed()
    }

    fn add_notice(&self, notice: StoredNotice) -> BoxFuture<'_, Result<(), StoreError>> {
        self.pool().transact(notice, |tx, notice| add_notice(tx, notice).boxed()).boxed()
    }

    fn take_notices(
        &self,
        now: u64,
        until: u64,
    ) -> BoxFuture<'_, Result<Vec<StoredNotice>, StoreError>> {
        async move {
            // There are usually none, and a look costs no commit.
            if !self.pool().read((), |tx, ()| has_overdue(tx, now).boxed()).await? {
                return Ok(Vec::new());
            }
            self.pool().transact((), move |tx, ()| take_notices(tx, now, until).boxed()).await
        }
        .boxed()
    }

    fn claim_notice(
        &self,
        id: u64,
        overdue_at: u64,
        until: u64,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.pool()
            .transact((), move |tx, ()| claim_notice(tx, id, overdue_at, until).boxed())
            .boxed()
    }

    fn delete_notice(&self, id: u64) -> BoxFuture<'_, Result<(), StoreError>> {
        self.pool().transact((), move |tx, ()| delete_notice(tx, id).boxed()).boxed()
    }
}
