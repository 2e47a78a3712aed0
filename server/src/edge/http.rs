//! The plain HTTP answers: is it alive, is it ready, what is it, and where to go.

use std::sync::{Arc, LazyLock};

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use serde_json::json;

use super::{Front, problem::problem};

/// The page that a browser gets.
const PAGE: &str = include_str!("../web/index.html");

pub(super) async fn page() -> Response {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(PAGE)).into_response()
}

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

pub(super) async fn version() -> Json<serde_json::Value> {
    Json(json!({
        "name": "adamant",
        "version": env!("CARGO_PKG_VERSION"),
        "proto": [adamant_protocol::PROTOCOL_VERSION],
    }))
}

/// The JSON Schema of every message.
pub(super) async fn schema() -> Response {
    static DOCUMENT: LazyLock<String> =
        LazyLock::new(|| adamant_protocol::schema::document().to_string());
    ([(header::CONTENT_TYPE, "application/schema+json")], DOCUMENT.as_str()).into_response()
}

pub(super) async fn not_found() -> Response {
    let message = "there is nothing here; the WebSocket is at /v1/ws";
    problem(StatusCode::NOT_FOUND, "not_found", message, None)
}
