//! The plain HTTP answers: is it alive, is it ready, what is it, and where to go.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::State,
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use serde_json::json;

use super::{Front, ws};

/// The page that a browser gets.
const PAGE: &str = include_str!("../web/index.html");

/// Everything that is served on the one port.
pub(super) fn router(front: Arc<Front>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/version", get(version))
        .route(adamant_protocol::WEBSOCKET_PATH, get(ws::upgrade))
        .fallback(not_found)
        .with_state(front)
}

async fn page() -> Response {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(PAGE)).into_response()
}

/// The process runs. Nothing else is checked, so that a full disk does not have it restarted.
async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether to send players here: not while stopping, and not while the store fails.
async fn readyz(State(front): State<Arc<Front>>) -> Response {
    let why = if front.services.lifecycle.soft.is_cancelled() {
        "the server is stopping\n"
    } else if !front.services.rooms.store().is_healthy() {
        "the store failed to commit\n"
    } else {
        return "ready\n".into_response();
    };
    (StatusCode::SERVICE_UNAVAILABLE, why).into_response()
}

async fn version() -> Json<serde_json::Value> {
    Json(json!({
        "name": "adamant",
        "version": env!("CARGO_PKG_VERSION"),
        "proto": [adamant_protocol::PROTOCOL_VERSION],
    }))
}

async fn not_found() -> Response {
    let message = "there is nothing here; the WebSocket is at /v1/ws";
    problem(StatusCode::NOT_FOUND, "not_found", message, None)
}

/// An error in the same words as on the WebSocket.
pub(super) fn problem(
    status: StatusCode,
    code: &str,
    message: &str,
    retry_after_s: Option<u64>,
) -> Response {
    let mut body = json!({ "code": code, "message": message });
    if let Some(seconds) = retry_after_s {
        body["retry_after_ms"] = json!(seconds * 1000);
    }
    let mut response = (status, Json(body)).into_response();
    if let Some(seconds) = retry_after_s {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}
