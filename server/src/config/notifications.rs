//! The section `[notifications]`: what the server sends to users who are away.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What the server sends to users who are away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NotificationsConfig {
    /// Whether browsers may subscribe to Web Push.
    pub push: bool,
    /// Whether users may set webhooks.
    pub webhooks: bool,
    /// The operator's address for push services, such as `mailto:admin@example.org`.
    pub contact: String,
    /// The URL of the page, such as `https://play.example.org`, for links in notifications.
    pub url: String,
    /// Time for which a user must have no connection before the server notifies.
    #[serde(with = "humantime_serde")]
    pub grace: Duration,
    /// Whether the server may send requests to private addresses.
    pub allow_private: bool,
}

impl Default for NotificationsConfig {
    fn default() -> Self {
        Self {
            push: true,
            webhooks: true,
            contact: String::new(),
            url: String::new(),
            grace: Duration::from_secs(5),
            allow_private: false,
        }
    }
}

impl NotificationsConfig {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        let Self { contact, url, .. } = self;
        let is_contact = contact.starts_with("mailto:") || contact.starts_with("https://");
        if !contact.is_empty() && !is_contact {
            let form = "mailto:admin@example.org or https://example.org";
            mistakes.push(format!("notifications.contact: {contact:?} is not of the form {form}"));
        }
        let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        if !url.is_empty() && host.is_none_or(|host| host.is_empty() || host.contains('/')) {
            let form = "https://play.example.org";
            mistakes.push(format!("notifications.url: {url:?} is not of the form {form}"));
        }
    }

    /// Whether the server notifies users at all.
    pub const fn enabled(&self) -> bool {
        self.push || self.webhooks
    }
}
