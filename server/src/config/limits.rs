//! The section `[limits]`: what clients may do. The module `limits` has the limits that are not
//! configurable.

use std::time::Duration;

use adamant_protocol::UserName;
use serde::{Deserialize, Serialize};

/// Limits of clients. An address is an IPv4 address or a /64 of IPv6. A network is an IPv4 address
/// or a /48 of IPv6; a /48 has four times the share of an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Whether rate limits and caps per address are enforced at all.
    pub enforced: bool,
    /// Concurrent connections of the whole server.
    pub connections: u32,
    /// Concurrent connections from one address.
    pub connections_per_address: u32,
    /// Connections from one address that are not yet a WebSocket.
    pub handshakes_per_address: u32,
    /// Messages that one connection may send at once. Further ones wait for up to a second.
    pub messages_burst: u32,
    /// Messages per second of one connection, sustained.
    pub messages_per_s: u32,
    /// Messages that a guest or a young account may send at once, over all sessions.
    pub user_messages_burst: u32,
    /// Messages per second of a guest or a young account, sustained.
    pub user_messages_per_s: u32,
    /// Messages that an older account and its bots may send at once, over all sessions. It is also
    /// the limit of each of their connections.
    pub account_messages_burst: u32,
    /// Messages per second of an older account and its bots, sustained.
    pub account_messages_per_s: u32,
    /// Age at which an account stops being young.
    #[serde(with = "humantime_serde")]
    pub account_trusted_after: Duration,
    /// Messages that one address may send at once.
    pub address_messages_burst: u32,
    /// Messages per second of one address, sustained.
    pub address_messages_per_s: u32,
    /// WebSockets per minute that one address may open.
    pub upgrades_per_min: u32,
    /// Page files per minute that one address may request.
    pub page_files_per_min: u32,
    /// Storage budget in KiB of all guests and young accounts of one network: the burst and the
    /// daily refill.
    pub stored_kib_per_day: u32,
    /// The same for an older account together with its bots.
    pub account_stored_kib_per_day: u32,
    /// The same for all users of one network together. Beyond it moves are refused, too.
    pub network_stored_kib_per_day: u32,
    /// Accounts, by name, that the budget of their network does not bound.
    pub bot_hosts: Vec<UserName>,
    /// Live games of all guests and young accounts of one network.
    pub games_per_network: u32,
    /// Seeks per minute of one user.
    pub seeks_per_min: u32,
    /// Challenges, rematches and acceptances (of seeks and challenges) of one user, together per
    /// minute.
    pub games_per_min: u32,
    /// Failed log-ins per minute from one address under one user name.
    pub failed_log_ins_per_min: u32,
    /// Passwords per minute that the server checks or sets for one address.
    pub log_ins_per_min: u32,
    /// New accounts per hour from one address.
    pub sign_ups_per_hour: u32,
    /// New guests per hour from one address.
    pub guests_per_hour: u32,
    /// Time of absence after which a guest who has never played a game is deleted.
    #[serde(with = "humantime_serde")]
    pub unused_guests_after: Duration,
    /// Time without use after which a log-in token expires; tokens for programs do not.
    #[serde(with = "humantime_serde")]
    pub log_ins_idle_after: Duration,
    /// Time after which a log-in by password expires, even if it is used.
    #[serde(with = "humantime_serde")]
    pub log_ins_end_after: Duration,
    /// Interval of the server's WebSocket pings.
    #[serde(with = "humantime_serde")]
    pub ping_every: Duration,
    /// Time of silence after which the server closes a connection.
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
        let counts = [
            ("connections", self.connections),
            ("connections_per_address", self.connections_per_address),
            ("messages_burst", self.messages_burst),
            ("messages_per_s", self.messages_per_s),
            ("user_messages_burst", self.user_messages_burst),
            ("user_messages_per_s", self.user_messages_per_s),
            ("account_messages_burst", self.account_messages_burst),
            ("account_messages_per_s", self.account_messages_per_s),
            ("address_messages_burst", self.address_messages_burst),
            ("address_messages_per_s", self.address_messages_per_s),
            ("upgrades_per_min", self.upgrades_per_min),
            ("page_files_per_min", self.page_files_per_min),
            ("stored_kib_per_day", self.stored_kib_per_day),
            ("account_stored_kib_per_day", self.account_stored_kib_per_day),
            ("network_stored_kib_per_day", self.network_stored_kib_per_day),
            ("games_per_network", self.games_per_network),
            ("handshakes_per_address", self.handshakes_per_address),
            ("seeks_per_min", self.seeks_per_min),
            ("games_per_min", self.games_per_min),
            ("failed_log_ins_per_min", self.failed_log_ins_per_min),
            ("log_ins_per_min", self.log_ins_per_min),
            ("sign_ups_per_hour", self.sign_ups_per_hour),
            ("guests_per_hour", self.guests_per_hour),
        ];
        for (name, count) in counts {
            if count == 0 {
                mistakes.push(format!("limits.{name}: must be at least 1"));
            }
        }
        let waits = [
            ("unused_guests_after", self.unused_guests_after),
            ("log_ins_idle_after", self.log_ins_idle_after),
            ("log_ins_end_after", self.log_ins_end_after),
        ];
        for (name, wait) in waits {
            if wait.is_zero() {
                mistakes.push(format!("limits.{name}: must be longer than zero"));
            }
        }
        if self.ping_every.is_zero() || self.idle_close < self.ping_every * 2 {
            let shown = humantime_serde::re::humantime::format_duration(self.ping_every);
            mistakes.push(format!(
                "limits.idle_close: must be at least twice limits.ping_every ({shown}), \
                 so that one lost ping ends no game"
            ));
        }
    }

    /// Whether an account with this creation time is old enough for a larger share.
    pub(crate) fn is_trusted(&self, made_at: u64, now_ms: u64) -> bool {
        u128::from(now_ms.saturating_sub(made_at)) >= self.account_trusted_after.as_millis()
    }
}
