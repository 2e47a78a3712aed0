//! The plain HTTP answers: is it alive, is it ready, what is it.

use std::{
    borrow::Cow,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use adamant_protocol::{ids::PublicKey, to_client::Algorithm};
use axum::{
    Json,
    extract::{Extension, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    answers::{CachePolicy, RETRY_AFTER_S, not_found, problem},
    app_state::AppState,
    limits::LimitReached,
    page,
    security_headers::is_named,
};
use crate::{
    error::Denial,
    runtime::metrics::{ConnectionRefusal, CurrentValues, MetricsFormat},
    store::ReadOnlyReason,
};

/// The types of what monitors read.
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The process runs. Nothing else is checked, so that a full disk does not have it restarted.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether to send players here: not while stopping, not while the store fails, and not while they
/// would not be let in.
pub(super) async fn readyz(State(app): State<Arc<AppState>>) -> Response {
    app.ready_or(StatusCode::SERVICE_UNAVAILABLE)
}

/// The same for a load balancer, which reads 404 as "send no new clients, and keep those who are
/// there". Any error would have it cut the sessions of this node: a database that fails over would
/// then end the sessions of all nodes.
pub(super) async fn lb(State(app): State<Arc<AppState>>) -> Response {
    app.ready_or(StatusCode::NOT_FOUND)
}

impl AppState {
    fn ready_or(&self, status: StatusCode) -> Response {
        match self.not_ready_reason() {
            None => "ready\n".into_response(),
            Some(why) => (status, format!("{why}\n")).into_response(),
        }
    }

    /// Refuses a client because the server is stopping.
    pub(super) fn refuse_while_stopping(&self, client: &IpAddr) -> Response {
        self.refuse(ConnectionRefusal::Stopping, client);
        let message = "the server is stopping";
        problem(StatusCode::SERVICE_UNAVAILABLE, "busy", message, Some(RETRY_AFTER_S))
    }

    /// Why no players should be sent here; `None` if they should.
    fn not_ready_reason(&self) -> Option<Cow<'static, str>> {
        let services = &self.services;
        let why = if services.lifecycle.is_stopping() {
            "the server is stopping"
        } else if let Some(why) = services.store.backend.read_only() {
            return Some(why.to_string().into());
        } else if !services.store.backend.is_healthy() {
            "the store failed to commit"
        } else if self.exhausted.get() {
            "there are no descriptors, or there is no memory, for further connections"
        } else if self.connections.taken() >= self.connections.max() {
            "connection limit reached"
        } else {
            return None;
        };
        Some(why.into())
    }
}

/// What is counted, for those who may know.
pub(super) async fn metrics(
    State(app): State<Arc<AppState>>,
    Extension(peer): Extension<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    let reader = app.client_ip(peer, &headers);
    if !app.knows_client(peer, &headers) {
        let message =
            "what the proxies say of the client's address cannot be read, or does not agree";
        return problem(StatusCode::FORBIDDEN, "forbidden", message, None);
    }
    // A page whose name leads here is in a browser of this machine, which may read them.
    if reader.is_loopback() && !is_named(&app.admitted.now().hosts, &headers) {
        let message = "the metrics are read by an address, or by a name in network.hosts";
        return problem(StatusCode::MISDIRECTED_REQUEST, "forbidden", message, None);
    }
    if !app.admitted.now().metrics_from.iter().any(|network| network.contains(&reader)) {
        if let Some(refused) = app.rate_limits.check_read(reader.into(), app.now_ms()) {
            return refused;
        }
        let message = "the metrics are for the addresses in network.metrics_from";
        return problem(StatusCode::FORBIDDEN, "forbidden", message, None);
    }
    let reads_only = app.services.store.backend.read_only();
    for name in ReadOnlyReason::NAMES {
        let is_so = reads_only.is_some_and(|why| why.name() == name);
        app.services.metrics.set_read_only(name, is_so);
    }
    let rooms = app.services.rooms.counts();
    let present = CurrentValues {
        ready: app.not_ready_reason().is_none(),
        connections: app.connections.taken(),
        connections_max: app.connections.max(),
        rooms: rooms.open,
        rooms_over: rooms.over,
        damaged: rooms.damaged,
        nodes: app.services.store.backend.other_nodes() + 1,
        commit_age: app.services.store.backend.commit_age(),
        certificate_left: app.certificate.as_ref().and_then(|certificate| {
            let expires_at = certificate.subscribe().borrow().expires_at?;
            Some(expires_at.checked_signed_diff(app.now_ms())? / 1000)
        }),
        store: app.services.store.backend.size().await,
    };
    // Of several a monitor prefers the newer one.
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let is_asked_for =
        accepted.into_iter().any(|kinds| kinds.contains("application/openmetrics-text"));
    let (format, kind) = if is_asked_for {
        (MetricsFormat::OpenMetrics, OPENMETRICS)
    } else {
        (MetricsFormat::Prometheus, PLAIN)
    };
    match app.services.metrics.render(present, format) {
        Ok(page) => {
            let headers = [(header::CONTENT_TYPE, kind), (header::VARY, "accept")];
            (headers, page).into_response()
        }
        Err(error) => {
            // operator: a fault of the server: report it. `/metrics` answers 500
            tracing::error!(%error, "rendering the metrics failed");
            let message = "the metrics could not be written";
            problem(StatusCode::INTERNAL_SERVER_ERROR, "internal", message, None)
        }
    }
}

/// The answer to everything else while the operating system has run out of something.
pub(super) async fn exhausted(State(app): State<Arc<AppState>>) -> Response {
    app.services.metrics.refuse_connection(ConnectionRefusal::Exhausted);
    LimitReached::Full.into_response()
}

/// The answer to everything else while the server stops.
pub(super) async fn stopping(
    State(app): State<Arc<AppState>>,
    Extension(peer): Extension<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    app.refuse_while_stopping(&app.client_ip(peer, &headers))
}

/// Which server this is.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ServerVersion {
    /// The name of the program.
    name: &'static str,
    /// The versions of the protocol that it speaks.
    proto: [u32; 1],
    /// The version of the program.
    version: &'static str,
}

pub(super) async fn version() -> Response {
    let version = Json(ServerVersion {
        name: "adamant",
        proto: [adamant_protocol::PROTOCOL_VERSION],
        version: env!("CARGO_PKG_VERSION"),
    });
    ([(header::CACHE_CONTROL, CachePolicy::Short.header())], version).into_response()
}

/// The public keys that records are signed with.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PublicKeys {
    alg: Algorithm,
    /// The keys that the server has had before, and those of its other nodes.
    earlier: Vec<PublicKey>,
    /// The present key.
    key: PublicKey,
}

/// The keys that records are signed with.
pub(super) async fn key(State(app): State<Arc<AppState>>) -> Response {
    let keys = app.services.signing.keys();
    let Some((key, earlier)) = keys.split_first() else {
        return Denial::ReadOnly.into_response();
    };
    let (key, earlier) = (*key, earlier.to_vec());
    Json(PublicKeys { alg: Algorithm::Ed25519, earlier, key }).into_response()
}

/// Answers requests for paths that do not exist.
pub(super) async fn fallback(
    State(app): State<Arc<AppState>>,
    Extension(peer): Extension<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    match app.rate_limits.check_read(app.client(peer, &headers), app.now_ms()) {
        None if wants_page(&headers) => page::not_found_document(&app, &headers),
        None => not_found(),
        Some(refused) => refused,
    }
}

/// Whether a browser asks for something to show to a person.
fn wants_page(headers: &HeaderMap) -> bool {
    let accept = headers.get_all(header::ACCEPT).iter();
    accept.filter_map(|value| value.to_str().ok()).any(|value| value.contains("text/html"))
}

pub(super) async fn method_not_allowed(
    State(app): State<Arc<AppState>>,
    Extension(peer): Extension<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    if let Some(refused) = app.rate_limits.check_read(app.client(peer, &headers), app.now_ms()) {
        return refused;
    }
    let message = "by HTTP one can only read: GET and HEAD";
    problem(StatusCode::METHOD_NOT_ALLOWED, "bad_message", message, None)
}
