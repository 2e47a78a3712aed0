//! Limits of notifications and of the requests that the server sends.

/// Push subscriptions of one user: the user's browsers. One more deletes the oldest.
pub(crate) const PUSH_SUBSCRIPTIONS_PER_USER_MAX: u32 = 10;

/// The longest URL of a push service or a webhook, in bytes. Those of push services have up to some
/// 700.
pub(crate) const OUTGOING_URL_BYTES_MAX: usize = 1024;

/// What a push subscription or a webhook counts for.
pub(crate) const NOTIFICATION_ROW_BYTES: u64 = 2048;

/// Notifications in a row that may fail. Then the server deletes the push subscription, or no
/// longer calls the webhook.
pub(crate) const NOTIFICATION_FAILURES_MAX: u32 = 10;
