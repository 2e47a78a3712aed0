//! How much each user and each customer may ask for in all, over all of their connections.
//!
//! A user's bots count as the user. An account that is older than `limits.account_trusted_after`
//! has a larger share of its own; guests and younger accounts have the share of anybody.

use std::sync::Arc;

use adamant_protocol::UserName;

use crate::{
    address::{ClientAddress, ClientNetwork},
    config::Limits,
    limits::{NETWORK_SHARE, RATE_KEYS_MAX},
    rates::{Bucket, Buckets, Rate, Wait},
};

/// Over what requests are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    /// One connection.
    Connection,
    /// All sessions of a user and of the user's bots.
    User,
    /// All connections from one address.
    Address,
    /// All connections from one customer's network.
    Network,
}

impl Over {
    /// The limit's name.
    pub(crate) const fn limit(self) -> &'static str {
        match self {
            Self::Connection => "messages",
            Self::User => "user_messages",
            Self::Address => "address_messages",
            Self::Network => "network_messages",
        }
    }

    /// The limit in words.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Connection => "",
            Self::User => " over all sessions of a user and the user's bots",
            Self::Address => " from one address",
            Self::Network => " from one network",
        }
    }
}

/// A request that came too soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooSoon {
    /// Over what it was counted.
    pub over: Over,
    /// How many may come at once.
    pub burst: u32,
    /// How many a second in the long run.
    pub per_s: u32,
    /// When it will be taken.
    pub wait: Wait,
}

/// Counts requests against one bound.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    over: Over,
    burst: u32,
    per_s: u32,
    rate: Rate,
    bucket: Arc<Bucket>,
}

impl Meter {
    fn new(over: Over, (burst, per_s): (u32, u32), bucket: Arc<Bucket>) -> Self {
        Self { over, burst, per_s, rate: Rate::burst(burst, per_s), bucket }
    }

    /// A bound for one connection alone.
    pub(crate) fn of_connection(limits: &Limits) -> Self {
        let numbers = (limits.messages_burst, limits.messages_per_s);
        Self::new(Over::Connection, numbers, Arc::default())
    }

    /// How many requests may come at once, and a second in the long run.
    pub(crate) const fn numbers(&self) -> (u32, u32) {
        (self.burst, self.per_s)
    }

    /// Takes a request that costs so much, or says when it may come.
    pub(crate) fn take(&self, cost: u64, now_ms: u64) -> Result<(), TooSoon> {
        let Self { over, burst, per_s, rate, .. } = *self;
        let taken = self.bucket.take(rate, cost, now_ms);
        taken.map_err(|wait| TooSoon { over, burst, per_s, wait })
    }

    /// Counts what a request turned out to cost beyond what it was taken for.
    pub(crate) fn charge(&self, cost: u64, now_ms: u64) {
        self.bucket.charge(self.rate, cost, now_ms);
    }

    /// Forgets a request that was taken.
    pub(crate) fn give_back(&self, cost: u64) {
        self.bucket.give_back(self.rate, cost);
    }
}

/// What a user may ask for, over all sessions.
#[derive(Debug)]
pub(crate) struct Quota {
    /// Whether the account is old enough for a larger share.
    pub trusted: bool,
    /// The user's requests.
    pub messages: Meter,
}

/// Remembers what users and customers have asked for.
#[derive(Debug)]
pub(crate) struct Quotas {
    limits: Limits,
    users: Buckets<UserName>,
    addresses: Buckets<ClientAddress>,
    networks: Buckets<ClientNetwork>,
}

impl Quotas {
    /// Nothing has been asked for yet.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            limits: limits.clone(),
            users: Buckets::new(RATE_KEYS_MAX),
            addresses: Buckets::new(RATE_KEYS_MAX),
            networks: Buckets::new(RATE_KEYS_MAX),
        }
    }

    /// What counts the requests of an address and, where that is another thing, of its network.
    pub(crate) fn of_address(&self, from: ClientAddress, now_ms: u64) -> [Option<Meter>; 2] {
        if !self.limits.enforced {
            return [None, None];
        }
        let (burst, per_s) =
            (self.limits.address_messages_burst, self.limits.address_messages_per_s);
        let address = self.addresses.of(&from, now_ms);
        let address = Meter::new(Over::Address, (burst, per_s), address);
        let network = from.wider_network().map(|network| {
            let shares = (burst.saturating_mul(NETWORK_SHARE), per_s.saturating_mul(NETWORK_SHARE));
            Meter::new(Over::Network, shares, self.networks.of(&network, now_ms))
        });
        [Some(address), network]
    }

    /// The quota of a user who counts as `name`, and whose account was made then; `None` where
    /// nothing is counted.
    pub(crate) fn of_user(
        &self,
        name: &UserName,
        account_since: Option<u64>,
        now_ms: u64,
    ) -> Option<Quota> {
        let limits = &self.limits;
        if !limits.enforced {
            return None;
        }
        let trusted = account_since.is_some_and(|since| limits.is_trusted(since, now_ms));
        let numbers = if trusted {
            (limits.account_messages_burst, limits.account_messages_per_s)
        } else {
            (limits.user_messages_burst, limits.user_messages_per_s)
        };
        let messages = Meter::new(Over::User, numbers, self.users.of(&name.folded(), now_ms));
        Some(Quota { trusted, messages })
    }
}
