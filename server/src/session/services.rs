//! The parts of the server that sessions use.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use super::rate_limits::UserRateLimits;
use crate::{
    accounts::Accounts,
    config::Limits,
    downloads::DownloadFiles,
    live::LiveLists,
    lobby::Lobby,
    notify::NotificationChannels,
    outbound::SessionId,
    queries::{analysis::Analysis, people::UserQueries, positions::PositionPages},
    quotas::Quotas,
    relations::RelationService,
    room::{ClaimAfter, registry::RoomRegistry},
    runtime::{
        entropy::Entropy, metrics::Metrics, shutdown::Lifecycle, time::TimeSource,
        work_pool::WorkPool,
    },
    signing::Signing,
    store::Store,
    talk::TalkService,
};

/// What every session needs from the server.
#[derive(Debug, Clone)]
pub(crate) struct Services {
    /// How players find each other.
    pub lobby: Lobby,
    /// Queries about users, games and standings.
    pub user_queries: UserQueries,
    /// The files of finished games; `None` if the server offers none.
    pub downloads: Option<DownloadFiles>,
    /// The store.
    pub store: Store,
    /// The rooms of live games.
    pub rooms: RoomRegistry,
    /// Games for those who look at many.
    pub live_lists: LiveLists,
    /// How the games went.
    pub position_pages: PositionPages,
    /// What would follow from other moves.
    pub analysis: Analysis,
    /// What is said about the games.
    pub talk: TalkService,
    /// How users are notified while they are away.
    pub notifications: NotificationChannels,
    /// Whom users mute and block, and their settings.
    pub relations: RelationService,
    /// Users, tokens and passwords.
    pub accounts: Accounts,
    /// With what records are signed.
    pub signing: Arc<Signing>,
    /// What time it is.
    pub time: TimeSource,
    /// The source of randomness.
    pub entropy: Entropy,
    /// Where long work runs.
    pub work: WorkPool,
    /// What clients may do.
    pub limits: Arc<Limits>,
    /// What users and customers may ask for in all.
    pub quotas: Arc<Quotas>,
    /// What users have asked for lately.
    pub user_rate_limits: Arc<UserRateLimits>,
    /// How long games wait for a player who is away.
    pub claim_after: ClaimAfter,
    /// When to stop.
    pub lifecycle: Lifecycle,
    /// What is counted.
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
