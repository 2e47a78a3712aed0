//! The plain HTTP answers: is it alive, is it ready, what is it.

use std::sync::{Arc, LazyLock};

use adamant_protocol::to_client::Algorithm;
use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

use super::{Front, problem::problem, reading::Keep};

/// The process runs. Nothing else is checked, so that a full disk does not have it restarted.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether to send players here: not while stopping, and not while the store fails.
pub(super) async fn readyz(State(front): State<Arc<Front>>) -> Response {
    let why = if front.services.lifecycle.soft.is_cancelled() {
        "the server is stopping\n"
    } else if !front.services.rooms.store().is_healthy() {
        "the store failed to commit\n"
    } else {
        return "ready\n".into_response();
    };
    (StatusCode::SERVICE_UNAVAILABLE, why).into_response()
}

pub(super) async fn version() -> Response {
    let version = Json(json!({
        "name": "adamant",
        "version": env!("CARGO_PKG_VERSION"),
        "proto": [adamant_protocol::PROTOCOL_VERSION],
    }));
    ([(header::CACHE_CONTROL, Keep::Moment.header())], version).into_response()
}

/// The keys that records are signed with.
pub(super) async fn key(State(front): State<Arc<Front>>) -> Json<serde_json::Value> {
    let keys = front.services.signing.keys();
    let (present, earlier) = keys.split_first().expect("a server has a key");
    Json(json!({ "alg": Algorithm::Ed25519, "key": present, "earlier": earlier }))
}

/// The JSON Schema of every message.
pub(super) async fn schema() -> Response {
    static DOCUMENT: LazyLock<String> =
        LazyLock::new(|| adamant_protocol::schema::document().to_string());
    ([(header::CONTENT_TYPE, "application/schema+json")], DOCUMENT.as_str()).into_response()
}

pub(super) async fn not_found() -> Response {
    let message = "there is nothing here; the WebSocket is at /v1/ws, games to read at /v1/games";
    problem(StatusCode::NOT_FOUND, "not_found", message, None)
}

pub(super) async fn method_not_allowed() -> Response {
    let message = "by HTTP one can only read: GET and HEAD";
    problem(StatusCode::METHOD_NOT_ALLOWED, "bad_message", message, None)
}
