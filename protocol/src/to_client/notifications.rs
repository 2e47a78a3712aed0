//! Push subscriptions and webhooks as their user sees them.

use serde::{Deserialize, Serialize};

use crate::{constructors::constructor, ids::RequestId};

/// What a browser needs to subscribe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PushKey {
    /// The server's public key in base64url, the `applicationServerKey` of a subscription.
    pub key: Box<str>,
}

constructor!(PushKey { key: Box<str> });

/// A user's push subscriptions, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PushSubscriptions {
    /// The request that this answers.
    pub re: RequestId,
    /// All of them.
    pub subscriptions: Vec<PushSubscription>,
}

constructor!(PushSubscriptions { re: RequestId, subscriptions: Vec<PushSubscription> });

/// A push subscription in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PushSubscription {
    /// The URL of the push service.
    pub endpoint: Box<str>,
    /// The time of creation in epoch milliseconds.
    pub created: u64,
    /// Notifications that have failed since one was delivered.
    pub failures: u32,
}

constructor!(PushSubscription { endpoint: Box<str>, created: u64, failures: u32 });

/// The webhook of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Webhook {
    /// The request that this answers.
    pub re: RequestId,
    /// The URL; absent if the user has no webhook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Box<str>>,
    /// The time at which it was set, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<u64>,
    /// Notifications that have failed since one was delivered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures: Option<u32>,
    /// Whether it has failed so often that the server no longer calls it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
}

constructor!(Webhook { re: RequestId; url, created, failures, disabled });
