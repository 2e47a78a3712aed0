//! Labels of metrics, and their values.

use std::sync::LazyLock;

use adamant_protocol::ErrorCode;
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family},
};

/// Why a session ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct CauseLabel {
    pub(super) cause: &'static str,
}

/// Why a connection was refused, or why the server is read-only.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct WhyLabel {
    pub(super) why: &'static str,
}

/// Where a request waits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct QueueLabel {
    pub(super) queue: &'static str,
}

/// The subject of a warning.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct WhatLabel {
    pub(super) what: &'static str,
}

/// Where the records of another node came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct FromLabel {
    pub(super) from: &'static str,
}

/// Where a room has the records of another node from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FollowedFrom {
    /// The announcement.
    Announcement,
    /// The journal, because the announcement did not have them.
    Journal,
}

impl FollowedFrom {
    pub(super) const ALL: [Self; 2] = [Self::Announcement, Self::Journal];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Announcement => "announcement",
            Self::Journal => "journal",
        }
    }
}

/// The number of a loop of rooms.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct LoopLabel {
    pub(super) r#loop: usize,
}

/// The code of an error.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct CodeLabel {
    code: String,
}

/// A warning at the start of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartWarning {
    /// The database is new, and the signing key is not.
    NewDatabase,
    /// The machine's clock is behind the newest record.
    ClockBehind,
    /// Other users may read the signing key or the push key.
    KeyExposed,
    /// The server takes connections from other machines and does not encrypt them.
    PlainText,
}

impl StartWarning {
    pub(super) const ALL: [Self; 4] =
        [Self::NewDatabase, Self::ClockBehind, Self::KeyExposed, Self::PlainText];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::NewDatabase => "new_database",
            Self::ClockBehind => "clock_behind",
            Self::KeyExposed => "key_exposed",
            Self::PlainText => "plain_text",
        }
    }
}

/// Why the server refused a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionRefusal {
    /// The server is at its connection limit.
    Full,
    /// The address is at its connection limit.
    AddressFull,
    /// The server is at its handshake limit.
    HandshakesFull,
    /// The address is at its handshake limit.
    AddressHandshakesFull,
    /// The address has begun too many encrypted connections.
    HandshakeRate,
    /// The address has opened too many WebSockets.
    UpgradeRate,
    /// The operating system is out of descriptors or memory.
    Exhausted,
    /// The page has another origin.
    Origin,
    /// The server is shutting down.
    Stopping,
}

impl ConnectionRefusal {
    pub(super) const ALL: [Self; 9] = [
        Self::Full,
        Self::AddressFull,
        Self::HandshakesFull,
        Self::AddressHandshakesFull,
        Self::HandshakeRate,
        Self::UpgradeRate,
        Self::Exhausted,
        Self::Origin,
        Self::Stopping,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::AddressFull => "address_full",
            Self::HandshakesFull => "handshakes_full",
            Self::AddressHandshakesFull => "address_handshakes_full",
            Self::HandshakeRate => "handshake_rate",
            Self::UpgradeRate => "upgrade_rate",
            Self::Exhausted => "exhausted",
            Self::Origin => "origin",
            Self::Stopping => "stopping",
        }
    }
}

/// The outcome of a notification.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct OutcomeLabel {
    pub(super) outcome: &'static str,
}

/// What becomes of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotificationOutcome {
    /// The push service or the webhook has accepted it.
    Delivered,
    /// It has not, after all attempts.
    Failed,
    /// The push service no longer knows the subscription.
    Gone,
    /// The user has received too many.
    RateLimited,
    /// Too many wait.
    Dropped,
}

impl NotificationOutcome {
    pub(super) const ALL: [Self; 5] =
        [Self::Delivered, Self::Failed, Self::Gone, Self::RateLimited, Self::Dropped];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Gone => "gone",
            Self::RateLimited => "rate_limited",
            Self::Dropped => "dropped",
        }
    }
}

/// Errors sent to clients, by code. They belong to the whole process, because the code that writes
/// an error has no other state.
pub(super) static REFUSALS: LazyLock<Family<CodeLabel, Counter>> = LazyLock::new(Family::default);

/// Counts an error that is sent to a client.
pub(crate) fn count_refusal(code: ErrorCode) {
    REFUSALS.get_or_create(&CodeLabel { code: code.to_string() }).inc();
}
