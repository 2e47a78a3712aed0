//! The state of one session, the services that it uses, and what all of its parts do with both.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;

use adamant_protocol::{GameId, RequestId, ToClient, UserName};
use parking_lot::{Mutex, RwLock};
use tokio::time::Instant;

use crate::accounts::{Accounts, TokenDigest};
use crate::outbound::{SessionId, client::ClientHandle, outbox::Outbox};
use crate::queries::{
    analysis::Analysis, game_analysis::GameAnalyses, people::UserQueries, positions::PositionPages,
    rerating::Annulled,
};
use crate::rate_limiter::{RateLimiter, RetryAfter};
use crate::room::{ClaimAfter, registry::RoomRegistry};
use crate::runtime::{
    entropy::Entropy, metrics::Metrics, shutdown::Lifecycle, time::TimeSource, work_pool::WorkPool,
};
use crate::session::limits::{RequestLimits, UserRateLimits};
use crate::session::round_trip::RoundTrip;
use crate::{
    address::ClientAddress, config::LimitsInForce, downloads::DownloadFiles, error::Denial,
    limits::CHALLENGE_ROW_BYTES, live::LiveLists, lobby::Lobby, notify::NotificationChannels,
    policy::Policy, quotas::Quotas, relations::RelationService, reports::ReportService,
    signing::Signing, store::Store, talk::TalkService,
};

/// How a request ends: it is answered, or refused.
pub(super) type Handled = Result<(), Denial>;

/// What every session needs from the server.
#[derive(Debug, Clone)]
pub(crate) struct Services {
    pub lobby: Lobby,
    pub user_queries: UserQueries,
    /// The files of finished games; `None` if the server offers none.
    pub downloads: Option<DownloadFiles>,
    pub store: Store,
    pub rooms: RoomRegistry,
    /// Games for those who look at many.
    pub live_lists: LiveLists,
    pub position_pages: PositionPages,
    /// What would follow from other moves.
    pub analysis: Analysis,
    /// What the search thinks of finished games.
    pub game_analyses: GameAnalyses,
    pub talk: TalkService,
    pub notifications: NotificationChannels,
    pub relations: RelationService,
    pub reports: ReportService,
    /// Where to say that a result was annulled.
    pub annulled: Annulled,
    pub accounts: Accounts,
    /// Who may come, and whether games may begin.
    pub policy: Policy,
    pub signing: Arc<Signing>,
    pub time: TimeSource,
    pub entropy: Entropy,
    pub work: WorkPool,
    pub(crate) limits: LimitsInForce,
    /// What users and customers may ask for in all.
    pub quotas: Arc<Quotas>,
    /// What users have asked for lately.
    pub user_rate_limits: Arc<UserRateLimits>,
    /// How long games wait for a player who is away.
    pub claim_after: ClaimAfter,
    pub lifecycle: Lifecycle,
    pub metrics: Arc<Metrics>,
    /// Numbers the sessions.
    pub last_session: Arc<AtomicU64>,
}

impl Services {
    /// Returns the name of a session for clients: no other session has it, of any node.
    pub(crate) fn session_name(&self, session: SessionId) -> String {
        match self.lobby.cluster().node() {
            None => session.to_string(),
            Some(node) => format!("s_{node}_{}", session.0),
        }
    }

    /// A number that no other session has.
    pub(crate) fn next_session(&self) -> SessionId {
        SessionId(self.last_session.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// What the two halves of a session tell each other. The locks are held for moments.
#[derive(Debug)]
pub(super) struct Link {
    /// How long the way to the client and back is.
    pub(super) round_trip: RoundTrip,
    /// The session's caller, once it has said who it is.
    client: RwLock<Option<Arc<ClientHandle>>>,
    /// When the reader is to look how long the client has been silent.
    look_at: Mutex<Option<Instant>>,
    /// Whether that time has come.
    looks: AtomicBool,
    /// Whether the session leaves a server that stops.
    leaves: AtomicBool,
}

impl Link {
    /// The reader looks first at this time.
    pub(super) fn new(look_at: Instant) -> Self {
        Self {
            round_trip: RoundTrip::default(),
            client: RwLock::default(),
            look_at: Mutex::new(Some(look_at)),
            looks: AtomicBool::new(false),
            leaves: AtomicBool::new(false),
        }
    }

    pub(super) fn client(&self) -> Option<Arc<ClientHandle>> {
        self.client.read().clone()
    }

    fn set_client(&self, client: Arc<ClientHandle>) {
        *self.client.write() = Some(client);
    }

    /// When the reader is to look next, if that is known.
    pub(super) fn next_look(&self) -> Option<Instant> {
        *self.look_at.lock()
    }

    /// Sets when the reader is to look next.
    pub(super) fn look_at(&self, at: Instant) {
        *self.look_at.lock() = Some(at);
    }

    /// Lets the reader look if it is time.
    pub(super) fn look_if_due(&self, now: Instant) {
        if self.look_at.lock().take_if(|at| *at <= now).is_some() {
            self.look_now();
        }
    }

    pub(super) fn look_now(&self) {
        self.looks.store(true, Ordering::Relaxed);
    }

    /// Ready, once, if the reader is to look. The halves are one task: nobody is woken.
    pub(super) fn poll_look(&self) -> Poll<()> {
        if !self.looks.load(Ordering::Relaxed) {
            return Poll::Pending;
        }
        self.looks.store(false, Ordering::Relaxed);
        Poll::Ready(())
    }

    pub(super) fn leave(&self) {
        self.leaves.store(true, Ordering::Relaxed);
    }

    /// Ready if the session leaves. The halves are one task: nobody is woken.
    pub(super) fn poll_leaving(&self) -> Poll<()> {
        if self.leaves.load(Ordering::Relaxed) { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// One client's side of the session.
pub(super) struct Session {
    pub(super) services: Arc<Services>,
    pub(super) id: SessionId,
    pub(super) outbox: Outbox,
    /// Where the client is; `None` inside the process.
    pub(super) from: Option<ClientAddress>,
    /// The token of the log-in; `None` before `hello` and for anonymous clients.
    pub(super) opened_with: Option<TokenDigest>,
    /// When that token ends, in epoch milliseconds.
    pub(super) expires_at: Option<u64>,
    /// How many requests may come.
    pub(super) request_limits: RequestLimits,
    /// Whether the client has been told to say `hello` again later.
    pub(super) told_to_wait: bool,
    /// The client; `None` before `hello`.
    pub(super) client: Option<Arc<ClientHandle>>,
    pub(super) link: Arc<Link>,
    /// Games that the client has asked to watch.
    pub(super) watched: Vec<GameId>,
}

impl Session {
    pub(super) fn new(
        services: Arc<Services>,
        id: SessionId,
        outbox: Outbox,
        from: Option<ClientAddress>,
        link: Arc<Link>,
    ) -> Self {
        let request_limits =
            RequestLimits::new(&services.limits, &services.quotas, from, services.time.now_ms());
        Self {
            services,
            id,
            outbox,
            from,
            request_limits,
            told_to_wait: false,
            opened_with: None,
            expires_at: None,
            client: None,
            link,
            watched: Vec::new(),
        }
    }

    /// Waits until the session's token ends; for ever if it does not.
    pub(super) async fn token_ended(&self) {
        self.services.time.reaches(self.expires_at).await;
    }

    pub(super) fn now_ms(&self) -> u64 {
        self.services.time.now_ms()
    }

    /// Whether `hello` has been said.
    pub(super) fn is_open(&self) -> bool {
        self.client.is_some()
    }

    /// From here on the session speaks as this caller.
    pub(super) fn speak_as(&mut self, client: &Arc<ClientHandle>) {
        if let Some(user) = &client.user {
            tracing::Span::current().record("user", user.as_str());
        }
        self.request_limits.speak_as(client.quota.as_ref());
        self.link.set_client(Arc::clone(client));
        self.client = Some(Arc::clone(client));
    }

    pub(super) async fn end(&mut self) {
        if let Some(client) = self.client.take() {
            self.services.live_lists.leave(self.id);
            self.services.lobby.leave(&client).await;
        }
    }

    pub(super) async fn refuse(&self, re: RequestId, denial: Denial) {
        if denial.is_fault() {
            tracing::error!(session = %self.id, %denial, "request failed");
        }
        self.outbox.send_waiting(&ToClient::Error(denial.into_failed(Some(re)))).await;
    }

    pub(super) async fn reply(&self, reply: impl Into<ToClient>) {
        self.outbox.send_waiting(&reply.into()).await;
    }

    /// Counts a seek.
    pub(super) fn allow_seek(&self, client: &ClientHandle) -> Result<(), Denial> {
        let services = &self.services;
        services.policy.check_new_games()?;
        self.allow_stored(client)?;
        let taken = self.take(&services.user_rate_limits.seeks, client);
        taken.map_err(|RetryAfter(retry_after_ms)| Denial::TooOften {
            limit: "seeks_per_min",
            what: "seeks a minute",
            max: services.limits.get().seeks_per_min,
            retry_after_ms,
        })
    }

    /// Counts a challenge, rematch or invite that is made, or a seek, challenge or invite that is
    /// accepted.
    pub(super) fn allow_game(&self, client: &ClientHandle) -> Result<(), Denial> {
        let services = &self.services;
        services.policy.check_new_games()?;
        self.allow_stored(client)?;
        let taken = self.take(&services.user_rate_limits.games, client);
        taken.map_err(|RetryAfter(retry_after_ms)| Denial::TooOften {
            limit: "games_per_min",
            what: "challenges, rematches, invites and acceptances a minute",
            max: services.limits.get().games_per_min,
            retry_after_ms,
        })?;
        self.charge(client, CHALLENGE_ROW_BYTES);
        Ok(())
    }

    /// Whether there is anything left of what the caller may have stored.
    pub(super) fn allow_stored(&self, client: &ClientHandle) -> Result<(), Denial> {
        match &client.quota {
            Some(quota) => Ok(quota.stored.check(self.now_ms())?),
            None => Ok(()),
        }
    }

    /// Counts what is stored for the caller.
    pub(super) fn charge(&self, client: &ClientHandle, bytes: u64) {
        if let Some(quota) = &client.quota {
            quota.stored.charge(bytes, self.now_ms());
        }
    }

    /// Those without a name are refused elsewhere.
    fn take(&self, rates: &RateLimiter<UserName>, client: &ClientHandle) -> Result<(), RetryAfter> {
        match &client.user {
            Some(user) if self.services.limits.get().enforced => {
                rates.take(&user.folded(), self.now_ms())
            }
            Some(_) | None => Ok(()),
        }
    }
}
