//! Requests about notifications: push subscriptions of browsers, and webhooks.

use serde::{Deserialize, Serialize};

use crate::{
    constructors::constructor,
    ids::{RequestId, UserName},
};

/// Stores the push subscription of this browser. It ends with the token of this session.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PushSubscribe {
    /// The id of the request.
    pub id: RequestId,
    /// The URL of the push service, with `https`.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 1, "maxLength" = 1024)))]
    pub endpoint: Box<str>,
    /// The public key of the subscription in base64url: an uncompressed point of P-256.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 87, "maxLength" = 88)))]
    pub p256dh: Box<str>,
    /// The authentication secret of the subscription in base64url: 16 bytes.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 22, "maxLength" = 24)))]
    pub auth: Box<str>,
}

constructor!(PushSubscribe { id: RequestId, endpoint: Box<str>, p256dh: Box<str>, auth: Box<str> });

impl std::fmt::Debug for PushSubscribe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushSubscribe").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Deletes a push subscription of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PushUnsubscribe {
    /// The id of the request.
    pub id: RequestId,
    /// The URL that it was stored with.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 1, "maxLength" = 1024)))]
    pub endpoint: Box<str>,
}

constructor!(PushUnsubscribe { id: RequestId, endpoint: Box<str> });

/// Lists the user's push subscriptions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PushList {
    /// The id of the request.
    pub id: RequestId,
}

constructor!(PushList { id: RequestId });

/// Sets the webhook of the user, or of a bot of the user. Replaces an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct WebhookSet {
    /// The id of the request.
    pub id: RequestId,
    /// The URL to which the server sends notifications, with `https`.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 1, "maxLength" = 1024)))]
    pub url: Box<str>,
    /// The user's bot whose webhook to set, if not the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
}

constructor!(WebhookSet { id: RequestId, url: Box<str>; user });

/// Requests the webhook of the user, or of a bot of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct WebhookGet {
    /// The id of the request.
    pub id: RequestId,
    /// The user's bot whose webhook to show, if not the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
}

constructor!(WebhookGet { id: RequestId; user });

/// Deletes the webhook of the user, or of a bot of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct WebhookDelete {
    /// The id of the request.
    pub id: RequestId,
    /// The user's bot whose webhook to delete, if not the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
}

constructor!(WebhookDelete { id: RequestId; user });
