//! What each user and each network may request and store in all, over all connections.
//!
//! A user's bots count as the user. An account older than `limits.account_trusted_after` has a
//! larger quota of its own. Guests and younger accounts have the ordinary quota, and what they
//! store is counted together for each network.

use std::{collections::HashMap, sync::Arc, time::Duration};

use adamant_protocol::{GameId, UserName};
use parking_lot::{Mutex, MutexGuard};

use crate::{
    address::{ClientAddress, ClientNetwork},
    config::{Limits, LimitsInForce},
    limits::{NETWORK_SHARE, RATE_KEYS_MAX},
    rate_limiter::{Bucket, Buckets, Rate, RateLimiter, RateSource, RetryAfter},
    store::User,
};

const DAY: Duration = Duration::from_hours(24);

/// The scope over which requests are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitScope {
    Connection,
    /// All sessions of a user and of the user's bots.
    User,
    /// The same of an older account.
    Account,
    /// All connections from one address.
    Address,
    /// All connections from one customer's network.
    Network,
}

impl LimitScope {
    /// The limit's name.
    pub(crate) const fn limit(self) -> &'static str {
        match self {
            Self::Connection => "messages",
            Self::User | Self::Account => "user_messages",
            Self::Address => "address_messages",
            Self::Network => "network_messages",
        }
    }

    /// Returns the scope as a phrase for messages.
    pub(crate) const fn scope_text(self) -> &'static str {
        match self {
            Self::Connection => "",
            Self::User | Self::Account => " over all sessions of a user and the user's bots",
            Self::Address => " from one address",
            Self::Network => " from one network",
        }
    }

    /// Returns the burst and the steady rate per second.
    const fn numbers(self, limits: &Limits) -> (u32, u32) {
        match self {
            Self::Connection => (limits.messages_burst, limits.messages_per_s),
            Self::User => (limits.user_messages_burst, limits.user_messages_per_s),
            Self::Account => (limits.account_messages_burst, limits.account_messages_per_s),
            Self::Address => (limits.address_messages_burst, limits.address_messages_per_s),
            Self::Network => (
                limits.address_messages_burst.saturating_mul(NETWORK_SHARE),
                limits.address_messages_per_s.saturating_mul(NETWORK_SHARE),
            ),
        }
    }
}

/// A request above the rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RateExceeded {
    /// The scope that has no rate left.
    pub scope: LimitScope,
    /// The burst.
    pub burst: u32,
    /// The steady rate per second.
    pub per_s: u32,
    /// The time to wait.
    pub wait: RetryAfter,
}

/// Counts requests against one rate. Every session has some and reads them for each request, so
/// that they are small, and that of one connection alone has its bucket inside.
#[derive(Debug, Clone)]
pub(crate) struct Meter<B = Arc<Bucket>> {
    bucket: B,
    burst: u32,
    per_s: u32,
    scope: LimitScope,
}

impl Meter<Bucket> {
    /// Creates a meter for one connection alone.
    pub(crate) fn of_connection(limits: &Limits) -> Self {
        Self::new(LimitScope::Connection, limits, Bucket::default())
    }
}

impl<B: AsRef<Bucket>> Meter<B> {
    fn new(scope: LimitScope, limits: &Limits, bucket: B) -> Self {
        let (burst, per_s) = scope.numbers(limits);
        Self { bucket, burst, per_s, scope }
    }

    /// Counts by these limits from now on.
    pub(crate) const fn follow(&mut self, limits: &Limits) {
        (self.burst, self.per_s) = self.scope.numbers(limits);
    }

    const fn rate(&self) -> Rate {
        Rate::burst(self.burst, self.per_s)
    }

    /// Returns the burst and the steady rate per second.
    pub(crate) const fn rate_numbers(&self) -> (u32, u32) {
        (self.burst, self.per_s)
    }

    /// Takes a request of this cost, or returns when it would be accepted.
    pub(crate) fn take(&self, cost: u64, now_ms: u64) -> Result<(), RateExceeded> {
        let Self { scope, burst, per_s, .. } = *self;
        let taken = self.bucket.as_ref().take(self.rate(), cost, now_ms);
        taken.map_err(|wait| RateExceeded { scope, burst, per_s, wait })
    }

    /// The same, and takes a request in advance that is due within `ahead_ms`. Returns the
    /// milliseconds until it is due.
    pub(crate) fn take_ahead(
        &self,
        cost: u64,
        now_ms: u64,
        ahead_ms: u64,
    ) -> Result<u64, RateExceeded> {
        let Self { scope, burst, per_s, .. } = *self;
        let taken = self.bucket.as_ref().take_ahead(self.rate(), cost, now_ms, ahead_ms);
        taken.map_err(|wait| RateExceeded { scope, burst, per_s, wait })
    }

    /// Charges a cost that became known after the request was accepted.
    pub(crate) fn charge(&self, cost: u64, now_ms: u64) {
        self.bucket.as_ref().charge(self.rate(), cost, now_ms);
    }

    /// Refunds a request that was taken.
    pub(crate) fn refund(&self, cost: u64) {
        self.bucket.as_ref().refund(self.rate(), cost);
    }
}

/// Returns what makes a rate of some shares that follows the limits in force.
pub(crate) fn rate_of(
    limits: &LimitsInForce,
    rate: fn(&Limits, u32) -> Rate,
) -> impl Fn(u32) -> RateSource + use<> {
    let limits = limits.clone();
    move |share| {
        let limits = limits.clone();
        RateSource::InForce(Arc::new(move || rate(&limits.get(), share)))
    }
}

/// A rate that each address has, and of which a network of IPv6 has some shares.
#[derive(Debug)]
pub(crate) struct AddressLimiter {
    addresses: RateLimiter<ClientAddress>,
    networks: RateLimiter<ClientNetwork>,
}

impl AddressLimiter {
    pub(crate) fn new<R: Into<RateSource>>(rate: impl Fn(u32) -> R) -> Self {
        Self {
            addresses: RateLimiter::new(rate(1), RATE_KEYS_MAX),
            networks: RateLimiter::new(rate(NETWORK_SHARE), RATE_KEYS_MAX),
        }
    }

    /// Takes one unit, or returns the time to wait.
    pub(crate) fn take(&self, from: ClientAddress, now_ms: u64) -> Result<(), RetryAfter> {
        self.addresses.take(&from, now_ms)?;
        let Some(network) = from.wider_network() else { return Ok(()) };
        self.networks.take(&network, now_ms).inspect_err(|_| self.addresses.refund(&from))
    }

    /// Charges more units, even beyond the rate.
    pub(crate) fn charge(&self, from: ClientAddress, cost: u64, now_ms: u64) {
        self.addresses.charge(&from, cost, now_ms);
        if let Some(network) = from.wider_network() {
            self.networks.charge(&network, cost, now_ms);
        }
    }

    /// Refunds one unit.
    pub(crate) fn refund(&self, from: ClientAddress) {
        self.addresses.refund(&from);
        if let Some(network) = from.wider_network() {
            self.networks.refund(&network);
        }
    }
}

/// Bytes that may be stored in a day, by whom.
#[derive(Debug, Clone, Copy)]
enum DailyBytes {
    /// The guests and young accounts of one network.
    Newcomers,
    /// One older account and its bots.
    Account,
    Network,
}

impl DailyBytes {
    /// The limit's name.
    const fn limit(self) -> &'static str {
        match self {
            Self::Newcomers => "stored_kib_per_day",
            Self::Account => "account_stored_kib_per_day",
            Self::Network => "network_stored_kib_per_day",
        }
    }

    /// Whose bytes are counted, for people.
    const fn what(self) -> &'static str {
        match self {
            Self::Newcomers => "KiB a day stored for the guests and young accounts of one network",
            Self::Account => "KiB a day stored for one account and its bots",
            Self::Network => "KiB a day stored for one network",
        }
    }

    const fn kib(self, limits: &Limits) -> u32 {
        match self {
            Self::Newcomers => limits.stored_kib_per_day,
            Self::Account => limits.account_stored_kib_per_day,
            Self::Network => limits.network_stored_kib_per_day,
        }
    }

    fn rate(self, limits: &Limits) -> Rate {
        Rate::of(u64::from(self.kib(limits)) * 1024, DAY)
    }

    fn check(self, bucket: &Bucket, limits: &Limits, now_ms: u64) -> Result<(), BudgetExhausted> {
        let (limit, what, kib) = (self.limit(), self.what(), self.kib(limits));
        let checked = bucket.check(self.rate(limits), now_ms);
        checked.map_err(|wait| BudgetExhausted { limit, what, kib, wait })
    }
}

/// What pays for the bytes that a user stores: the guests and young accounts of one network
/// together, or one older account and its bots; and the network as a whole.
#[derive(Debug)]
pub(crate) struct StorageBudget {
    /// The network of guests and young accounts; `None` for an older account.
    network: Option<ClientNetwork>,
    limits: LimitsInForce,
    own: (DailyBytes, Arc<Bucket>),
    /// Counts all that the network stores; `None` for a bot host.
    whole: Option<Arc<Bucket>>,
}

/// A budget that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BudgetExhausted {
    /// The limit's name.
    pub limit: &'static str,
    /// The things counted, for people.
    pub what: &'static str,
    /// The budget per day in KiB.
    pub kib: u32,
    /// The time until there is budget again.
    pub wait: RetryAfter,
}

impl StorageBudget {
    /// Checks that the budget is not used up, for new things.
    pub(crate) fn check(&self, now_ms: u64) -> Result<(), BudgetExhausted> {
        let (own, bucket) = &self.own;
        own.check(bucket, &self.limits.get(), now_ms)?;
        self.check_network(now_ms)
    }

    /// Checks what the network stores as a whole, for what games store that go on.
    pub(crate) fn check_network(&self, now_ms: u64) -> Result<(), BudgetExhausted> {
        let Some(bucket) = &self.whole else { return Ok(()) };
        DailyBytes::Network.check(bucket, &self.limits.get(), now_ms)
    }

    /// Charges stored bytes, even beyond the budget.
    pub(crate) fn charge(&self, bytes: u64, now_ms: u64) {
        let (limits, (own, bucket)) = (self.limits.get(), &self.own);
        bucket.charge(own.rate(&limits), bytes, now_ms);
        if let Some(bucket) = &self.whole {
            bucket.charge(DailyBytes::Network.rate(&limits), bytes, now_ms);
        }
    }
}

/// Why a game may not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum GameDenied {
    /// The budget of one of the players is used up.
    #[error("a player has stored too much")]
    BudgetExhausted(BudgetExhausted),
    /// The guests and young accounts of a network have the maximum number of live games.
    #[error("a network has {max} live games, as many as one may have")]
    NetworkFull {
        /// The limit.
        max: u32,
    },
}

/// What one user may request and store, over all sessions.
#[derive(Debug)]
pub(crate) struct UserQuota {
    /// Whether the account is old enough for the larger quota.
    pub trusted: bool,
    /// Counts the user's requests.
    pub messages: Meter,
    /// The budget that pays for what the user stores.
    pub stored: Arc<StorageBudget>,
}

/// Live games of guests and young accounts by network. Games from before the start of this process
/// are not counted.
#[derive(Debug, Default)]
struct NetworkGames {
    of: HashMap<GameId, Vec<ClientNetwork>>,
    counts: HashMap<ClientNetwork, u32>,
}

/// The state of all quotas. It is in memory and starts empty with each process.
#[derive(Debug)]
pub(crate) struct Quotas {
    limits: LimitsInForce,
    users: Buckets<UserName>,
    addresses: Buckets<ClientAddress>,
    networks: Buckets<ClientNetwork>,
    /// By the guests and young accounts of a network.
    stored_by_network: Buckets<ClientNetwork>,
    stored_by_whole_network: Buckets<ClientNetwork>,
    stored_by_account: Buckets<UserName>,
    /// The budget of each user, as of the user's last `hello`.
    budgets: Mutex<HashMap<UserName, Arc<StorageBudget>>>,
    games: Mutex<NetworkGames>,
}

impl Quotas {
    /// Creates empty quotas.
    pub(crate) fn new(limits: impl Into<LimitsInForce>) -> Self {
        Self {
            limits: limits.into(),
            users: Buckets::new(RATE_KEYS_MAX),
            addresses: Buckets::new(RATE_KEYS_MAX),
            networks: Buckets::new(RATE_KEYS_MAX),
            stored_by_network: Buckets::new(RATE_KEYS_MAX),
            stored_by_whole_network: Buckets::new(RATE_KEYS_MAX),
            stored_by_account: Buckets::new(RATE_KEYS_MAX),
            budgets: Mutex::default(),
            games: Mutex::default(),
        }
    }

    /// Returns the meters of an address and, if it is larger, of its network.
    pub(crate) fn of_address(&self, from: ClientAddress, now_ms: u64) -> [Option<Meter>; 2] {
        let limits = self.limits.get();
        if !limits.enforced {
            return [None, None];
        }
        let address = self.addresses.bucket(&from, now_ms);
        let address = Meter::new(LimitScope::Address, &limits, address);
        let network = from.wider_network().map(|network| {
            let bucket = self.networks.bucket(&network, now_ms);
            Meter::new(LimitScope::Network, &limits, bucket)
        });
        [Some(address), network]
    }

    /// Returns the budget of the guests and young accounts of a network; `None` if limits are off.
    pub(crate) fn network_budget(&self, from: ClientAddress, now_ms: u64) -> Option<StorageBudget> {
        let limits = &self.limits;
        limits.get().enforced.then(|| StorageBudget {
            network: Some(from.network()),
            limits: limits.clone(),
            own: (DailyBytes::Newcomers, self.stored_by_network.bucket(&from.network(), now_ms)),
            whole: Some(self.stored_by_whole_network.bucket(&from.network(), now_ms)),
        })
    }

    fn account_budget(
        &self,
        account: &UserName,
        from: ClientAddress,
        now_ms: u64,
    ) -> StorageBudget {
        let limits = self.limits.clone();
        let is_host = limits.get().bot_hosts.iter().any(|host| host.is_same(account.as_str()));
        let own = (DailyBytes::Account, self.stored_by_account.bucket(account, now_ms));
        let whole = || self.stored_by_whole_network.bucket(&from.network(), now_ms);
        StorageBudget { network: None, limits, own, whole: (!is_host).then(whole) }
    }

    /// Returns the quota of a user who sends `hello` from an address; `None` if limits are off.
    pub(crate) fn of_user(
        &self,
        user: &User,
        from: ClientAddress,
        now_ms: u64,
    ) -> Option<UserQuota> {
        let limits = self.limits.get();
        let of_network = self.network_budget(from, now_ms)?;
        // A bot counts as its owner.
        let account = user.owner.as_ref().unwrap_or(&user.name).folded();
        let messages = self.users.bucket(&account, now_ms);
        let trusted = user.account_since.is_some_and(|since| limits.is_trusted(since, now_ms));
        let (scope, budget) = if trusted {
            (LimitScope::Account, self.account_budget(&account, from, now_ms))
        } else {
            (LimitScope::User, of_network)
        };
        let messages = Meter::new(scope, &limits, messages);
        let stored = Arc::new(budget);
        let mut budgets = lock(&self.budgets);
        if budgets.len() >= RATE_KEYS_MAX {
            // Drops budgets that neither a session nor a room holds; the next `hello` adds them
            // again.
            budgets.retain(|_, budget| Arc::strong_count(budget) > 1);
        }
        budgets.insert(user.name.folded(), Arc::clone(&stored));
        drop(budgets);
        Some(UserQuota { trusted, messages, stored })
    }

    /// Counts a game that is about to start. Returns the budget that pays for each seat, if known.
    pub(crate) fn begin_game(
        &self,
        game: &GameId,
        users: &[UserName],
        now_ms: u64,
    ) -> Result<Vec<Option<Arc<StorageBudget>>>, GameDenied> {
        let payers: Vec<Option<Arc<StorageBudget>>> = {
            let budgets = lock(&self.budgets);
            users.iter().map(|user| budgets.get(&user.folded()).cloned()).collect()
        };
        for budget in payers.iter().flatten() {
            budget.check(now_ms).map_err(GameDenied::BudgetExhausted)?;
        }
        let mut networks: Vec<ClientNetwork> =
            payers.iter().flatten().filter_map(|budget| budget.network).collect();
        networks.sort_unstable();
        networks.dedup();
        let mut games = lock(&self.games);
        let max = self.limits.get().games_per_network;
        let is_full = |network| games.counts.get(network).is_some_and(|count| *count >= max);
        if networks.iter().any(is_full) {
            return Err(GameDenied::NetworkFull { max });
        }
        if !networks.is_empty() {
            for network in &networks {
                *games.counts.entry(*network).or_default() += 1;
            }
            games.of.insert(game.clone(), networks);
        }
        Ok(payers)
    }

    /// Releases a game that is over or failed to start.
    pub(crate) fn game_over(&self, game: &GameId) {
        let mut games = lock(&self.games);
        for network in games.of.remove(game).unwrap_or_default() {
            if let Some(count) = games.counts.get_mut(&network) {
                *count -= 1;
                if *count == 0 {
                    games.counts.remove(&network);
                }
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::{
        limits::{LONGEST_RECORD_BYTES, RECORD_ROW_BYTES},
        store::UserId,
    };

    /// What one network may cause to be stored in a day, in bytes.
    const PER_NETWORK_AND_DAY: u64 = 2_000_000_000;

    fn from(address: &str) -> ClientAddress {
        address.parse::<IpAddr>().unwrap().into()
    }

    fn user(name: &str, owner: Option<&str>, account_since: Option<u64>) -> User {
        User {
            id: UserId(1),
            name: name.parse().unwrap(),
            guest: account_since.is_none(),
            house: false,
            owner: owner.map(|owner| owner.parse().unwrap()),
            account_since,
        }
    }

    #[test]
    fn what_a_network_has_stored_in_a_day_is_bounded() {
        let limits = Limits::default();
        // Within any day: the budget and its refill. Moves are refused beyond it, too.
        let most = 2 * u64::from(limits.network_stored_kib_per_day) * 1024;
        assert!(most <= PER_NETWORK_AND_DAY, "{most} bytes");
    }

    #[test]
    fn an_older_account_plays_a_hundred_games_at_a_move_a_second() {
        const GAMES: u64 = 100;
        const SECONDS_A_DAY: u64 = 24 * 60 * 60;
        let limits = Limits::default();
        // Both sides may be its bots, each asks about every move and each move is an event.
        assert!(u64::from(limits.account_messages_per_s) >= 2 * GAMES);
        assert!(u64::from(limits.account_messages_burst) >= 2 * GAMES);
        assert!(limits.address_messages_per_s >= limits.account_messages_per_s);
        let stored = GAMES * SECONDS_A_DAY * (LONGEST_RECORD_BYTES + RECORD_ROW_BYTES);
        assert!(u64::from(limits.account_stored_kib_per_day) * 1024 >= stored);
    }

    #[test]
    fn guests_and_young_accounts_of_a_network_pay_together_and_older_ones_for_themselves() {
        let limits = Limits { stored_kib_per_day: 4, ..Limits::default() };
        let quotas = Quotas::new(&limits);
        let now = crate::runtime::time::milliseconds(limits.account_trusted_after) + 5_000;
        let of = |user: &User, address: &str| quotas.of_user(user, from(address), now).unwrap();
        let guest = of(&user("gus", None, None), "2001:db8:1:1::1");
        let young = of(&user("ann", None, Some(5_001)), "2001:db8:1:2::1");
        let old = of(&user("bob", None, Some(5_000)), "2001:db8:1:3::1");
        let bot = of(&user("bobbot", Some("bob"), Some(5_000)), "2001:db8:4:4::1");
        assert_eq!((guest.trusted, young.trusted, old.trusted), (false, false, true));
        guest.stored.charge(5_000, now);
        let exhausted = young.stored.check(now).unwrap_err();
        assert_eq!((exhausted.limit, exhausted.kib), ("stored_kib_per_day", 4));
        assert!(quotas.network_budget(from("2001:db8:1:5::1"), now).unwrap().check(now).is_err());
        let elsewhere = quotas.network_budget(from("2001:db8:2::1"), now).unwrap();
        assert_eq!(elsewhere.check(now), Ok(()));
        assert_eq!(old.stored.check(now), Ok(()));
        bot.stored.charge(u64::MAX / 1_000_000, now);
        assert_eq!(old.stored.check(now).unwrap_err().limit, "account_stored_kib_per_day");
        assert_eq!(old.stored.check_network(now), Ok(()), "the bot is elsewhere");
        let RetryAfter(wait_ms) = exhausted.wait;
        assert_eq!(young.stored.check(now + wait_ms), Ok(()), "the wait is enough");
    }

    #[test]
    fn accounts_of_a_network_have_its_budget_together_and_bot_hosts_their_own() {
        let host = "host".parse().unwrap();
        let limits =
            Limits { network_stored_kib_per_day: 4, bot_hosts: vec![host], ..Limits::default() };
        let quotas = Quotas::new(&limits);
        let now = crate::runtime::time::milliseconds(limits.account_trusted_after) + 5_000;
        let of = |name, address| {
            quotas.of_user(&user(name, None, Some(5_000)), from(address), now).unwrap().stored
        };
        of("ann", "10.0.0.1").charge(5_000, now);
        for exhausted in
            [of("bob", "10.0.0.1").check(now), of("ann", "10.0.0.1").check_network(now)]
        {
            assert_eq!(exhausted.unwrap_err().limit, "network_stored_kib_per_day");
        }
        assert_eq!(of("Host", "10.0.0.1").check(now), Ok(()));
        assert_eq!(of("bob", "10.0.0.2").check(now), Ok(()));
    }

    #[test]
    fn live_games_of_a_network_are_bounded_and_counted_once() {
        let limits = Limits { games_per_network: 2, ..Limits::default() };
        let quotas = Quotas::new(&limits);
        for (name, address) in [("ann", "10.0.0.1"), ("bob", "10.0.0.1"), ("cy", "10.0.0.2")] {
            quotas.of_user(&user(name, None, None), from(address), 0).unwrap();
        }
        let begin = |game: &str, users: [&str; 2]| {
            let users = users.map(|user| user.parse::<UserName>().unwrap());
            quotas.begin_game(&game.parse().unwrap(), &users, 0).map(drop)
        };
        assert_eq!(begin("game2222", ["ann", "bob"]), Ok(()));
        assert_eq!(begin("game3333", ["ann", "house"]), Ok(()));
        assert_eq!(begin("game4444", ["bob", "cy"]), Err(GameDenied::NetworkFull { max: 2 }));
        assert_eq!(begin("game5555", ["cy", "house"]), Ok(()));
        quotas.game_over(&"game2222".parse().unwrap());
        quotas.game_over(&"game2222".parse().unwrap());
        assert_eq!(begin("game4444", ["bob", "cy"]), Ok(()));
        assert!(begin("game6666", ["ann", "bob"]).is_err());
    }
}
