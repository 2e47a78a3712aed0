//! Push subscriptions and webhooks as they are stored.

use adamant_protocol::UserName;
use futures::future::BoxFuture;

use super::{StoreError, UserId};

/// The push subscription of a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredSubscription {
    /// The URL of the push service, which identifies the subscription.
    pub endpoint: Box<str>,
    /// The public key: an uncompressed point of P-256.
    pub key: Vec<u8>,
    /// The authentication secret.
    pub auth: [u8; 16],
    /// The time of creation, in epoch milliseconds.
    pub created_at: u64,
    /// Failed notifications since the last delivered one.
    pub failures: u32,
}

/// The webhook of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredWebhook {
    /// The user.
    pub user: UserId,
    pub url: Box<str>,
    /// The secret that signs its requests. It is stored as it is, because signing needs it.
    pub secret: Box<str>,
    /// The time of creation, in epoch milliseconds.
    pub created_at: u64,
    /// Failed notifications since the last delivered one.
    pub failures: u32,
}

/// The outcome of a notification by one channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeliveryResult {
    /// The other server has accepted it.
    Delivered,
    /// It has not, after all attempts.
    Failed,
    /// The push service no longer knows the subscription.
    Gone,
}

/// A notice that waits for its time, or for the answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredNotice {
    /// A random number below 2^63.
    pub id: u64,
    /// When any process may take it, in epoch milliseconds.
    pub overdue_at: u64,
    /// The occasion as JSON.
    pub occasion: Box<str>,
}

/// Stores push subscriptions and webhooks, and notices until they are sent. A subscription ends
/// with the token that it was stored with, and a webhook with its user.
pub(crate) trait Notifications: std::fmt::Debug + Send + Sync + 'static {
    /// Stores a subscription for the session with this token; replaces one with the same endpoint,
    /// and deletes the user's oldest above the limit. Returns whether the token exists.
    fn add_subscription(
        &self,
        token: [u8; 32],
        subscription: StoredSubscription,
    ) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Deletes a subscription of a user; returns whether there was one.
    fn delete_subscription(
        &self,
        user: UserName,
        endpoint: Box<str>,
    ) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Returns a user's subscriptions, the oldest first.
    fn subscriptions(
        &self,
        user: UserName,
    ) -> BoxFuture<'_, Result<Vec<StoredSubscription>, StoreError>>;

    /// Counts the failures of a subscription; deletes one that is gone or has failed too often.
    fn settle_subscription(
        &self,
        endpoint: Box<str>,
        result: DeliveryResult,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Stores a webhook; replaces the user's earlier one.
    fn set_webhook(&self, webhook: StoredWebhook) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Returns a user's webhook.
    fn webhook(&self, user: UserName) -> BoxFuture<'_, Result<Option<StoredWebhook>, StoreError>>;

    /// Deletes a user's webhook; returns whether there was one.
    fn delete_webhook(&self, user: UserId) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Counts the failures of a webhook, unless it has been replaced; returns their number.
    fn settle_webhook(
        &self,
        webhook: StoredWebhook,
        result: DeliveryResult,
    ) -> BoxFuture<'_, Result<u32, StoreError>>;

    /// Stores a notice.
    fn add_notice(&self, notice: StoredNotice) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Takes some of the notices that are overdue at `now`, in epoch milliseconds: they are overdue
    /// again at `until`.
    fn take_notices(
        &self,
        now: u64,
        until: u64,
    ) -> BoxFuture<'_, Result<Vec<StoredNotice>, StoreError>>;

    /// Prolongs the time until a notice is overdue, if it is still the stated one. Returns whether
    /// it was.
    fn claim_notice(
        &self,
        id: u64,
        overdue_at: u64,
        until: u64,
    ) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Deletes a notice.
    fn delete_notice(&self, id: u64) -> BoxFuture<'_, Result<(), StoreError>>;
}
