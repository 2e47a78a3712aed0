//! The state of one session, and what all of its parts do with it.

use std::{sync::Arc, time::Duration};

use adamant_protocol::{GameId, RequestId, ToClient};

use super::{
    identity::IdentityCell, request_limits::RequestLimits, round_trip::RoundTrip,
    services::Services,
};
use crate::{
    accounts::TokenDigest,
    address::ClientAddress,
    error::Denial,
    outbound::{SessionId, client::ClientHandle, outbox::Outbox},
    runtime::{entropy::Entropy, shutdown::Lifecycle},
};

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
    /// The same, for the writer.
    pub(super) cell: IdentityCell,
    /// How long the way to the client and back is.
    pub(super) round_trip: RoundTrip,
    /// Games that the client has asked to watch.
    pub(super) watched: Vec<GameId>,
}

impl Session {
    pub(super) fn new(
        services: Arc<Services>,
        id: SessionId,
        outbox: Outbox,
        from: Option<ClientAddress>,
        round_trip: RoundTrip,
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
            cell: IdentityCell::default(),
            round_trip,
            watched: Vec::new(),
        }
    }

    pub(super) fn identity_cell(&self) -> IdentityCell {
        self.cell.clone()
    }

    pub(super) fn entropy(&self) -> Entropy {
        self.services.entropy.clone()
    }

    pub(super) fn lifecycle(&self) -> &Lifecycle {
        &self.services.lifecycle
    }

    pub(super) fn idle_close(&self) -> Duration {
        self.services.limits.idle_close
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
        self.cell.set(Arc::clone(client));
        self.client = Some(Arc::clone(client));
    }

    /// The session ends.
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
}
