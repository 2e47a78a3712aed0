//! Statements on push subscriptions, webhooks and notices.

use adamant_protocol::UserName;
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{
    database::Sqlite,
    rows::{from_sql, to_sql},
};
use crate::{
    limits::{NOTICES_TAKEN_MAX, NOTIFICATION_FAILURES_MAX, PUSH_SUBSCRIPTIONS_PER_USER_MAX},
    store::{
        DeliveryResult, Notifications, StoreError, StoredNotice, StoredSubscription, StoredWebhook,
        UserId,
    },
};

impl Notifications for Sqlite {
    fn add_subscription(
        &self,
        token: [u8; 32],
        subscription: StoredSubscription,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.writer.write(move |connection| add(connection, token, &subscription)).boxed()
    }

    fn delete_subscription(
        &self,
        user: UserName,
        endpoint: Box<str>,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.writer
            .write(move |connection| {
                let deleted = connection
                    .prepare_cached(
                        "DELETE FROM push_subscriptions WHERE endpoint = ?1 AND token IN (
                             SELECT tokens.digest FROM tokens JOIN users ON users.id = tokens.user
                             WHERE users.folded = ?2)",
                    )?
                    .execute([&*endpoint, user.folded().as_str()])?;
                Ok(deleted == 1)
            })
            .boxed()
    }

    fn subscriptions(
        &self,
        user: UserName,
    ) -> BoxFuture<'_, Result<Vec<StoredSubscription>, StoreError>> {
        self.read_with(move |connection| {
            connection
                .prepare_cached(
                    "SELECT endpoint, key, auth, push_subscriptions.created_at, failures
                     FROM push_subscriptions JOIN tokens ON tokens.digest = token
                     JOIN users ON users.id = tokens.user
                     WHERE users.folded = ?1 ORDER BY push_subscriptions.created_at, endpoint",
                )?
                .query_map([user.folded().as_str()], subscription)?
                .collect()
        })
        .boxed()
    }

    fn settle_subscription(
        &self,
        endpoint: Box<str>,
        result: DeliveryResult,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.writer
            .write(move |connection| {
                let failures = "UPDATE push_subscriptions
                     SET failures = CASE WHEN ?2 THEN failures + 1 ELSE 0 END WHERE endpoint = ?1";
                connection
                    .prepare_cached(failures)?
                    .execute(params![&*endpoint, result != DeliveryResult::Delivered])?;
                let delete = "DELETE FROM push_subscriptions
                     WHERE endpoint = ?1 AND (failures >= ?2 OR ?3)";
                let is_gone = result == DeliveryResult::Gone;
                connection.prepare_cached(delete)?.execute(params![
                    &*endpoint,
                    NOTIFICATION_FAILURES_MAX,
                    is_gone
                ])?;
                Ok(())
            })
            .boxed()
    }

    fn set_webhook(&self, webhook: StoredWebhook) -> BoxFuture<'_, Result<(), StoreError>> {
        self.writer
            .write(move |connection| {
                let StoredWebhook { user, url, secret, created_at, failures } = webhook;
                connection
                    .prepare_cached(
                        "INSERT OR REPLACE INTO webhooks (user, url, secret, created_at, failures)
                         VALUES (?1, ?2, ?3, ?4, ?5)",
                    )?
                    .execute(params![user.0, &*url, &*secret, to_sql(created_at), failures])?;
                Ok(())
            })
            .boxed()
    }

    fn webhook(&self, user: UserName) -> BoxFuture<'_, Result<Option<StoredWebhook>, StoreError>> {
        self.read_with(move |connection| {
            connection
                .prepare_cached(
                    "SELECT webhooks.user, url, secret, webhooks.created_at, failures
                     FROM webhooks JOIN users ON users.id = webhooks.user WHERE users.folded = ?1",
                )?
                .query_row([user.folded().as_str()], webhook)
                .optional()
        })
        .boxed()
    }

    fn delete_webhook(&self, user: UserId) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.writer
            .write(move |connection| {
                let deleted = connection
                    .prepare_cached("DELETE FROM webhooks WHERE user = ?1")?
                    .execute([user.0])?;
                Ok(deleted == 1)
            })
            .boxed()
    }

    fn settle_webhook(
        &self,
        webhook: StoredWebhook,
        result: DeliveryResult,
    ) -> BoxFuture<'_, Result<u32, StoreError>> {
        self.writer
            .write(move |connection| {
                let failures = connection
                    .prepare_cached(
                        "UPDATE webhooks SET failures = CASE WHEN ?3 THEN failures + 1 ELSE 0 END
                         WHERE user = ?1 AND secret = ?2 RETURNING failures",
                    )?
                    .query_row(
                        params![
                            webhook.user.0,
                            &*webhook.secret,
                            result != DeliveryResult::Delivered
                        ],
                        |row| row.get(0),
                    )
                    .optional()?;
                Ok(failures.unwrap_or_default())
            })
            .boxed()
    }

    fn add_notice(&self, notice: StoredNotice) -> BoxFuture<'_, Result<(), StoreError>> {
        self.writer
            .write(move |connection| {
                let StoredNotice { id, overdue_at, occasion } = &notice;
                let insert = "INSERT INTO notices (id, overdue_at, occasion) VALUES (?1, ?2, ?3)";
                let values = params![to_sql(*id), to_sql(*overdue_at), &**occasion];
                connection.prepare_cached(insert)?.execute(values)?;
                Ok(())
            })
            .boxed()
    }

    fn take_notices(
        &self,
        now: u64,
        until: u64,
    ) -> BoxFuture<'_, Result<Vec<StoredNotice>, StoreError>> {
        async move {
            // There are usually none, and a look costs no commit.
            let look = "SELECT EXISTS (SELECT 1 FROM notices WHERE overdue_at <= ?1)";
            let any = self.read_with(move |connection| {
                connection.prepare_cached(look)?.query_row([to_sql(now)], |row| row.get(0))
            });
            if !any.await? {
                return Ok(Vec::new());
            }
            self.writer.write(move |connection| take_notices(connection, now, until)).await
        }
        .boxed()
    }

    fn claim_notice(
        &self,
        id: u64,
        overdue_at: u64,
        until: u64,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.writer
            .write(move |connection| {
                let update = "UPDATE notices SET overdue_at = ?3 WHERE id = ?1 AND overdue_at = ?2";
                let values = params![to_sql(id), to_sql(overdue_at), to_sql(until)];
                Ok(connection.prepare_cached(update)?.execute(values)? == 1)
            })
            .boxed()
    }

    fn delete_notice(&self, id: u64) -> BoxFuture<'_, Result<(), StoreError>> {
        self.writer
            .write(move |connection| {
                let delete = "DELETE FROM notices WHERE id = ?1";
                connection.prepare_cached(delete)?.execute([to_sql(id)])?;
                Ok(())
            })
            .boxed()
    }
}

fn take_notices(
    connection: &Connection,
    now: u64,
    until: u64,
) -> rusqlite::Result<Vec<StoredNotice>> {
    let update = "UPDATE notices SET overdue_at = ?2 WHERE id IN (
             SELECT id FROM notices WHERE overdue_at <= ?1 ORDER BY overdue_at, id LIMIT ?3)
         RETURNING id, overdue_at, occasion";
    let values = params![to_sql(now), to_sql(until), NOTICES_TAKEN_MAX];
    let notice = |row: &Row<'_>| {
        let occasion: String = row.get(2)?;
        let (id, overdue_at) = (from_sql(row.get(0)?), from_sql(row.get(1)?));
        Ok(StoredNotice { id, overdue_at, occasion: occasion.into() })
    };
    connection.prepare_cached(update)?.query_map(values, notice)?.collect()
}

fn add(
    connection: &Connection,
    token: [u8; 32],
    subscription: &StoredSubscription,
) -> rusqlite::Result<bool> {
    let StoredSubscription { endpoint, key, auth, created_at, failures } = subscription;
    let owner: Option<i64> = connection
        .prepare_cached("SELECT user FROM tokens WHERE digest = ?1")?
        .query_row([token], |row| row.get(0))
        .optional()?;
    let Some(owner) = owner else { return Ok(false) };
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO push_subscriptions
                 (endpoint, token, key, auth, created_at, failures)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![&**endpoint, token, key, auth, to_sql(*created_at), failures])?;
    connection
        .prepare_cached(
            "DELETE FROM push_subscriptions WHERE endpoint IN (
                 SELECT endpoint FROM push_subscriptions
                 JOIN tokens ON tokens.digest = token WHERE tokens.user = ?1
                 ORDER BY endpoint = ?2 DESC, push_subscriptions.created_at DESC, endpoint
                 LIMIT -1 OFFSET ?3)",
        )?
        .execute(params![owner, &**endpoint, PUSH_SUBSCRIPTIONS_PER_USER_MAX])?;
    Ok(true)
}

fn subscription(row: &Row<'_>) -> rusqlite::Result<StoredSubscription> {
    let endpoint: String = row.get(0)?;
    Ok(StoredSubscription {
        endpoint: endpoint.into(),
        key: row.get(1)?,
        auth: row.get(2)?,
        created_at: from_sql(row.get(3)?),
        failures: row.get(4)?,
    })
}

fn webhook(row: &Row<'_>) -> rusqlite::Result<StoredWebhook> {
    let (url, secret): (String, String) = (row.get(1)?, row.get(2)?);
    Ok(StoredWebhook {
        user: UserId(row.get(0)?),
        url: url.into(),
        secret: secret.into(),
        created_at: from_sql(row.get(3)?),
        failures: row.get(4)?,
    })
}
