//! The limits of requests: who may send each, what it costs and where its long work waits; and how
//! many a session may send over its connection, its user's sessions, and all that comes from where
//! its client is.

use std::time::Duration;

use adamant_protocol::{FromClient, UserName, from_client::Explore, to_client::HouseLevel};

use crate::limits::{
    LIST_COST, PACED_MAX, RATE_KEYS_MAX, RATE_STRIKES_MAX, RESUMED_GAMES_PER_MESSAGE, THOUGHT_COST,
};
use crate::quotas::{Meter, Quotas, UserQuota, rate_of};
use crate::rate_limiter::{Bucket, Rate, RateLimiter};
use crate::{
    address::ClientAddress, config::LimitsInForce, error::Denial, outbound::client::ClientHandle,
    runtime::time::milliseconds,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Terms {
    /// Who may send it.
    pub(super) from: Sender,
    /// What it costs of the rates that sessions share, in messages: some milliseconds of a core
    /// each.
    pub(super) cost: u64,
    /// Where its long work waits.
    pub(super) queue: Queue,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sender {
    Anybody,
    /// A client that has said who it is: a guest, an account, a bot.
    User,
    /// A user, but no program to which a person has lent a token: what is the person's alone.
    Own,
    /// A person: no program at all. A program's token that falls into wrong hands must not be worth
    /// the whole account.
    Person,
}

/// Where the long work of a request waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Queue {
    /// It has none: the session answers from memory.
    Nowhere,
    /// The room of its game.
    Room,
    /// The store: one row or a few.
    Store,
    /// The places for lists.
    Lists,
    /// The fair queue of those who read games.
    Reads,
    /// The fair queue of those who ask for opinions.
    Thoughts,
    /// The places for passwords.
    Passwords,
}

impl Sender {
    /// Refuses a client that is not such a sender.
    pub(super) fn check(self, client: &ClientHandle) -> Result<(), Denial> {
        if self == Self::Anybody {
            return Ok(());
        }
        if client.user.is_none() {
            return Err(Denial::Forbidden("say who you are first".to_owned()));
        }
        let is_kept_from = match self {
            Self::Anybody | Self::User => false,
            Self::Own => client.is_lent,
            Self::Person => client.bot,
        };
        if is_kept_from {
            let message = "a program does not change its account: its owner does";
            return Err(Denial::Forbidden(message.to_owned()));
        }
        Ok(())
    }
}

impl Queue {
    /// Its name in metrics; none where the session itself waits for nothing.
    pub(super) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Nowhere | Self::Room => None,
            Self::Store => Some("store"),
            Self::Lists => Some("lists"),
            Self::Reads => Some("reads"),
            Self::Thoughts => Some("thoughts"),
            Self::Passwords => Some("passwords"),
        }
    }
}

#[expect(clippy::match_same_arms, reason = "requests stand together by what they are about")]
pub(super) fn terms(request: &FromClient) -> Terms {
    use Queue::{Lists, Nowhere, Passwords, Reads, Room, Store};
    use Sender::{Anybody, Own, Person, User};
    let (from, cost, queue) = match request {
        FromClient::Hello(hello) => (Anybody, 1 + resuming(hello.resume.0.len()), Reads),
        FromClient::Signup(_) | FromClient::PasswordReset(_) => (Anybody, 1, Passwords),
        FromClient::PasswordMail(_) => (Anybody, 1, Nowhere),
        FromClient::MailConfirm(_) | FromClient::MailGet(_) => (Person, 1, Store),
        FromClient::PasswordChange(_)
        | FromClient::MailSet(_)
        | FromClient::RecoveryCode(_)
        | FromClient::AccountClose(_) => (Person, 1, Passwords),
        FromClient::TokenCreate(_) | FromClient::BotCreate(_) => (Person, 1, Store),
        FromClient::WebhookSet(_) | FromClient::WebhookGet(_) | FromClient::WebhookDelete(_) => {
            (Person, 1, Store)
        }
        FromClient::TokenRevoke(_) | FromClient::Logout(_) => (User, 1, Store),
        FromClient::TokenList(_) | FromClient::BotList(_) => (User, LIST_COST, Lists),
        FromClient::PushList(_) => (Own, LIST_COST, Lists),
        FromClient::PushSubscribe(_)
        | FromClient::PushUnsubscribe(_)
        | FromClient::Mute(_)
        | FromClient::Unmute(_)
        | FromClient::Block(_)
        | FromClient::Unblock(_)
        | FromClient::Report(_)
        | FromClient::NoticeSeen(_)
        | FromClient::SettingsSet(_) => (Own, 1, Store),
        FromClient::Mutes(_) => (Own, LIST_COST, Lists),
        FromClient::Blocks(_) | FromClient::SettingsGet(_) => (Own, 1, Store),
        FromClient::BotStatus(_)
        | FromClient::Seek(_)
        | FromClient::Unseek(_)
        | FromClient::Challenge(_)
        | FromClient::Accept(_)
        | FromClient::Decline(_)
        | FromClient::Cancel(_)
        | FromClient::Invite(_)
        | FromClient::Invites(_)
        | FromClient::Rematch(_)
        | FromClient::Say(_)
        | FromClient::Unsay(_) => (User, 1, Store),
        FromClient::Challenges(_) => (User, LIST_COST, Lists),
        FromClient::InviteInfo(_) | FromClient::User(_) => (Anybody, 1, Store),
        FromClient::Lobby(_) | FromClient::Live(_) | FromClient::Directory(_) => {
            (Anybody, LIST_COST, Nowhere)
        }
        FromClient::Games(_)
        | FromClient::History(_)
        | FromClient::Standings(_)
        | FromClient::Stats(_)
        | FromClient::Talk(_) => (Anybody, LIST_COST, Lists),
        FromClient::Positions(_) | FromClient::Analyse(_) => (Anybody, LIST_COST, Reads),
        FromClient::Explore(explore) => (Anybody, opinion_cost(explore), exploring(explore)),
        FromClient::Signature(_) | FromClient::Watch(_) => (Anybody, 1, Reads),
        FromClient::Catalogue(_)
        | FromClient::Layout(_)
        | FromClient::Ping(_)
        | FromClient::Tv(_)
        | FromClient::Unwatch(_) => (Anybody, 1, Nowhere),
        FromClient::Hints(_) | FromClient::Moves(_) | FromClient::Try(_) => (Anybody, 1, Room),
        FromClient::Move(_)
        | FromClient::Resign(_)
        | FromClient::Abort(_)
        | FromClient::Offer(_)
        | FromClient::Answer(_)
        | FromClient::Withdraw(_)
        | FromClient::Claim(_) => (Anybody, 1, Room),
    };
    Terms { from, cost, queue }
}

/// What it costs to bring a client up to date on a number of games.
pub(super) fn resuming(games: usize) -> u64 {
    games as u64 / RESUMED_GAMES_PER_MESSAGE
}

/// What it costs to explore a position: an opinion of `hard` takes a hundred times as long as the
/// rest, and the oracle may.
const fn opinion_cost(explore: &Explore) -> u64 {
    let oracle = if explore.oracle { THOUGHT_COST } else { 0 };
    oracle
        + match explore.opinion {
            None | Some(HouseLevel::Easy | HouseLevel::Unknown(_)) => 1,
            Some(HouseLevel::Level2 | HouseLevel::Level3 | HouseLevel::Medium) => LIST_COST,
            Some(
                HouseLevel::Level5 | HouseLevel::Level6 | HouseLevel::Level7 | HouseLevel::Hard,
            ) => THOUGHT_COST,
        }
}

const fn exploring(explore: &Explore) -> Queue {
    if explore.judges() { Queue::Thoughts } else { Queue::Reads }
}

#[derive(Debug)]
pub(super) struct RequestLimits {
    limits: LimitsInForce,
    /// The changes of the limits that the meters have followed.
    changes: u64,
    /// `None` where the connection has no bound of its own.
    connection: Option<Meter<Bucket>>,
    /// Those of the user, the address and the network.
    shared: [Option<Meter>; 3],
    /// How long requests in a row have waited until they were due.
    paced_ms: u64,
    /// Requests refused in a row.
    strikes: u32,
}

impl RequestLimits {
    /// For a session of a client that is there; `None` inside the process, where nothing is shared.
    pub(super) fn new(
        limits: &LimitsInForce,
        quotas: &Quotas,
        from: Option<ClientAddress>,
        now_ms: u64,
    ) -> Self {
        let (limits, changes, present) = (limits.clone(), limits.changes(), limits.get());
        let connection = present.enforced.then(|| Meter::of_connection(&present));
        let [address, network] = from.map_or([None, None], |from| quotas.of_address(from, now_ms));
        let shared = [None, address, network];
        Self { limits, changes, connection, shared, paced_ms: 0, strikes: 0 }
    }

    /// From now on the requests are those of a user.
    pub(super) fn speak_as(&mut self, quota: Option<&UserQuota>) {
        if quota.is_some_and(|quota| quota.trusted) {
            self.connection = None;
        }
        self.shared[0] = quota.map(|quota| quota.messages.clone());
        // The quota may be older than the session.
        self.changes = self.changes.wrapping_sub(1);
    }

    /// Counts by the limits in force.
    fn follow(&mut self) {
        let changes = self.limits.changes();
        if self.changes != changes {
            let limits = self.limits.get();
            self.connection.iter_mut().for_each(|meter| meter.follow(&limits));
            self.shared.iter_mut().flatten().for_each(|meter| meter.follow(&limits));
            self.changes = changes;
        }
    }

    /// Takes what costs one message of the connection, and so much of what is shared; or says when
    /// it may come. Returns the time until the message is due, which is zero unless the connection
    /// is above its own rate.
    pub(super) fn take(&mut self, cost: u64, now_ms: u64) -> Result<Duration, Denial> {
        self.follow();
        match self.take_all(cost, now_ms) {
            Ok(wait_ms) => {
                self.strikes = 0;
                self.paced_ms = if wait_ms == 0 { 0 } else { self.paced_ms + wait_ms };
                Ok(Duration::from_millis(wait_ms))
            }
            Err(denial) => {
                self.strikes += 1;
                Err(denial)
            }
        }
    }

    /// A request has waited, and no other one has come: the next ones may wait as long again.
    pub(super) const fn caught_up(&mut self) {
        self.paced_ms = 0;
    }

    /// Takes from all limits or from none.
    fn take_all(&self, cost: u64, now_ms: u64) -> Result<u64, Denial> {
        let ahead_ms = milliseconds(PACED_MAX).saturating_sub(self.paced_ms);
        let wait_ms = match &self.connection {
            Some(connection) => connection.take_ahead(1, now_ms, ahead_ms)?,
            None => 0,
        };
        for (index, meter) in self.shared.iter().enumerate() {
            let Some(meter) = meter else { continue };
            if let Err(too_soon) = meter.take(cost, now_ms) {
                self.shared[..index].iter().flatten().for_each(|taken| taken.refund(cost));
                self.connection.iter().for_each(|taken| taken.refund(1));
                return Err(too_soon.into());
            }
        }
        Ok(wait_ms)
    }

    /// Counts what a request turned out to cost beyond what it was taken for.
    pub(super) fn charge(&self, cost: u64, now_ms: u64) {
        for meter in self.shared.iter().flatten() {
            meter.charge(cost, now_ms);
        }
    }

    /// Whether more requests have been refused in a row than a session survives.
    pub(super) const fn is_struck_out(&self) -> bool {
        self.strikes > RATE_STRIKES_MAX
    }
}

const MINUTE: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(crate) struct UserRateLimits {
    pub(super) seeks: RateLimiter<UserName>,
    pub(super) games: RateLimiter<UserName>,
}

impl UserRateLimits {
    pub(crate) fn new(limits: &LimitsInForce) -> Self {
        let of = |rate| rate_of(limits, rate)(1);
        let seeks = of(|limits, _| Rate::new(limits.seeks_per_min, MINUTE));
        let games = of(|limits, _| Rate::new(limits.games_per_min, MINUTE));
        Self {
            seeks: RateLimiter::new(seeks, RATE_KEYS_MAX),
            games: RateLimiter::new(games, RATE_KEYS_MAX),
        }
    }
}
