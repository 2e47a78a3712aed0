//! The section `[limits]`: what clients may do. The module `limits` has the limits that are not
//! configurable.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use adamant_protocol::UserName;
use arc_swap::{ArcSwap, Guard};
use serde::{Deserialize, Serialize};

use super::sections::{must_last, named};

/// Limits of clients. An address is an IPv4 address or a /64 of IPv6. A network is an IPv4 address
/// or a /48 of IPv6; a /48 has four times the share of an address.
#[expect(missing_docs, reason = "config/default.toml says what each key means")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    pub enforced: bool,
    pub connections: u32,
    pub connections_per_address: u32,
    pub handshakes_per_address: u32,
    pub messages_burst: u32,
    pub messages_per_s: u32,
    pub user_messages_burst: u32,
    pub user_messages_per_s: u32,
    pub account_messages_burst: u32,
    pub account_messages_per_s: u32,
    #[serde(with = "humantime_serde")]
    pub account_trusted_after: Duration,
    pub address_messages_burst: u32,
    pub address_messages_per_s: u32,
    pub upgrades_per_min: u32,
    pub page_files_per_min: u32,
    pub stored_kib_per_day: u32,
    pub account_stored_kib_per_day: u32,
    pub network_stored_kib_per_day: u32,
    pub bot_hosts: Vec<UserName>,
    pub games_per_network: u32,
    pub seeks_per_min: u32,
    pub games_per_min: u32,
    pub failed_log_ins_per_min: u32,
    pub log_ins_per_min: u32,
    pub sign_ups_per_hour: u32,
    pub mails_per_hour: u32,
    pub guests_per_hour: u32,
    #[serde(with = "humantime_serde")]
    pub unused_guests_after: Duration,
    #[serde(with = "humantime_serde")]
    pub log_ins_idle_after: Duration,
    #[serde(with = "humantime_serde")]
    pub log_ins_end_after: Duration,
    #[serde(with = "humantime_serde")]
    pub ping_every: Duration,
    #[serde(with = "humantime_serde")]
    pub idle_close: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            enforced: true,
            connections: 15_000,
            connections_per_address: 100,
            handshakes_per_address: 16,
            messages_burst: 40,
            messages_per_s: 10,
            user_messages_burst: 200,
            user_messages_per_s: 40,
            account_messages_burst: 600,
            account_messages_per_s: 200,
            account_trusted_after: Duration::from_hours(24),
            address_messages_burst: 1000,
            address_messages_per_s: 400,
            upgrades_per_min: 120,
            page_files_per_min: 600,
            stored_kib_per_day: 256 * 1024,
            account_stored_kib_per_day: 16 * 1024 * 1024,
            network_stored_kib_per_day: 928 * 1024,
            bot_hosts: Vec::new(),
            games_per_network: 1_000,
            seeks_per_min: 30,
            games_per_min: 30,
            failed_log_ins_per_min: 5,
            log_ins_per_min: 30,
            sign_ups_per_hour: 20,
            mails_per_hour: 500,
            guests_per_hour: 60,
            unused_guests_after: Duration::from_hours(30 * 24),
            log_ins_idle_after: Duration::from_hours(90 * 24),
            log_ins_end_after: Duration::from_hours(365 * 24),
            ping_every: Duration::from_secs(10),
            idle_close: Duration::from_secs(30),
        }
    }
}

impl Limits {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        let counts = named!(
            self: connections, connections_per_address, messages_burst, messages_per_s,
            user_messages_burst, user_messages_per_s, account_messages_burst,
            account_messages_per_s, address_messages_burst, address_messages_per_s,
            upgrades_per_min, page_files_per_min, stored_kib_per_day, account_stored_kib_per_day,
            network_stored_kib_per_day, games_per_network, handshakes_per_address, seeks_per_min,
            games_per_min, failed_log_ins_per_min, log_ins_per_min, sign_ups_per_hour, mails_per_hour,
            guests_per_hour
        );
        let zero = counts.into_iter().filter(|(_, count)| *count == 0);
        mistakes.extend(zero.map(|(name, _)| format!("limits.{name}: must be at least 1")));
        let waits = named!(self: unused_guests_after, log_ins_idle_after, log_ins_end_after);
        must_last("limits", waits, mistakes);
        if self.ping_every.is_zero() || self.idle_close < self.ping_every * 2 {
            let shown = humantime_serde::re::humantime::format_duration(self.ping_every);
            mistakes.push(format!(
                "limits.idle_close: must be at least twice limits.ping_every ({shown}), \
                 so that one lost ping ends no game"
            ));
        }
    }

    /// Those that stay in force when others are configured while the server runs: clients have been
    /// told of some, and of the rest every part of the server must know.
    fn with_fixed_of(&self, present: &Self) -> Self {
        let Self { enforced, ping_every, idle_close, .. } = *present;
        Self { enforced, ping_every, idle_close, ..self.clone() }
    }

    /// Whether an account with this creation time is old enough for a larger share.
    pub(crate) fn is_trusted(&self, made_at: u64, now_ms: u64) -> bool {
        u128::from(now_ms.saturating_sub(made_at)) >= self.account_trusted_after.as_millis()
    }
}

/// The limits in force. They change when the configuration is read again. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct LimitsInForce(Arc<Present>);

#[derive(Debug)]
struct Present {
    limits: ArcSwap<Limits>,
    changes: AtomicU64,
}

impl From<&Limits> for LimitsInForce {
    fn from(limits: &Limits) -> Self {
        let limits = ArcSwap::from_pointee(limits.clone());
        Self(Arc::new(Present { limits, changes: AtomicU64::new(0) }))
    }
}

impl From<&Self> for LimitsInForce {
    fn from(same: &Self) -> Self {
        same.clone()
    }
}

impl LimitsInForce {
    /// Returns the limits as they are now.
    pub(crate) fn get(&self) -> Guard<Arc<Limits>> {
        self.0.limits.load()
    }

    /// Counts the changes, for those who keep what they have computed.
    pub(crate) fn changes(&self) -> u64 {
        self.0.changes.load(Ordering::Acquire)
    }

    /// Puts other limits in force, but for those that need a restart.
    pub(crate) fn replace(&self, other: &Limits) {
        self.0.limits.rcu(|limits| other.with_fixed_of(limits));
        self.0.changes.fetch_add(1, Ordering::Release);
    }
}
