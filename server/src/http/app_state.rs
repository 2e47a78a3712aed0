//! The state that the handlers of HTTP requests share.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use axum::http::{HeaderMap, header};

use super::{
    admitted::Admitted,
    limits::{
        ConnectionLimits, DownloadPlaces, Handshake, Handshakes, HttpRateLimits, LimitReached,
    },
    painter::Painter,
    port::{Certificate, Exhausted},
};
use crate::{
    address::ClientAddress,
    limits::REFUSAL_LOGGED_EVERY,
    runtime::{logging::RateLimitedLog, metrics::ConnectionRefusal},
    session::Services,
};

/// Everything that handlers of HTTP requests need.
#[derive(Debug)]
pub(crate) struct AppState {
    pub(super) services: Arc<Services>,
    pub(super) connections: ConnectionLimits,
    pub(super) handshakes: Handshakes,
    pub(super) downloads: DownloadPlaces,
    pub(super) admitted: Admitted,
    pub(super) exhausted: Exhausted,
    /// When it was last logged that a connection was refused.
    pub(super) refusal_log: RateLimitedLog,
    pub(super) rate_limits: HttpRateLimits,
    pub(super) painter: Painter,
    /// None if connections are not encrypted here.
    pub(super) certificate: Option<Certificate>,
}

impl AppState {
    pub(super) fn now_ms(&self) -> u64 {
        self.services.time.now_ms()
    }

    pub(super) const fn is_encrypted(&self) -> bool {
        self.certificate.is_some()
    }

    /// The URL of the page: the configured one, or that of the request.
    pub(super) fn site(&self, headers: &HeaderMap) -> String {
        let configured = self.services.notifications.site();
        if !configured.is_empty() {
            return configured.to_owned();
        }
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let scheme = if self.is_encrypted() { "https" } else { "http" };
        format!("{scheme}://{}", host.unwrap_or_default())
    }

    /// Where the client behind a connection is.
    pub(super) fn client(&self, peer: SocketAddr, headers: &HeaderMap) -> ClientAddress {
        self.client_ip(peer, headers).into()
    }

    /// Whether there is no doubt about that.
    pub(super) fn knows_client(&self, peer: SocketAddr, headers: &HeaderMap) -> bool {
        self.admitted.now().proxies.are_consistent(peer.ip(), headers)
    }

    /// Admits a connection from an address. A proxy shakes hands for many.
    pub(super) fn admit(&self, peer: IpAddr) -> Result<Handshake, ConnectionRefusal> {
        let address = Some(peer).filter(|peer| !self.admitted.now().proxies.trusts(*peer));
        let address = address.map(ClientAddress::from);
        let allows = |from| self.rate_limits.allows_encryption(from, self.now_ms());
        if self.is_encrypted() && !address.is_none_or(allows) {
            return Err(ConnectionRefusal::HandshakeRate);
        }
        self.handshakes.acquire(address).map_err(|why| match why {
            LimitReached::Full => ConnectionRefusal::HandshakesFull,
            LimitReached::AddressFull => ConnectionRefusal::AddressHandshakesFull,
        })
    }

    /// Counts that a client was not let in, and logs some of them.
    pub(super) fn refuse(&self, why: ConnectionRefusal, client: &IpAddr) {
        self.services.metrics.refuse_connection(why);
        if self.refusal_log.is_due(self.now_ms(), REFUSAL_LOGGED_EVERY) {
            // operator: `why` as in `adamant_connections_refused_total`. At most once a second
            tracing::info!(%client, why = why.name(), "connection refused");
        }
    }

    /// The same, to the last digit.
    pub(super) fn client_ip(&self, peer: SocketAddr, headers: &HeaderMap) -> IpAddr {
        self.admitted.now().proxies.client(peer.ip(), headers).to_canonical()
    }
}
