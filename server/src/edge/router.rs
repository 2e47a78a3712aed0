//! Which path leads where.

use std::sync::Arc;

use axum::{Router, routing::get};

use super::{Front, http, ws};

/// Everything that is served on the one port.
pub(super) fn router(front: Arc<Front>) -> Router {
    Router::new()
        .route("/", get(http::page))
        .route("/healthz", get(http::healthz))
        .route("/readyz", get(http::readyz))
        .route("/version", get(http::version))
        .route("/schema/v1.json", get(http::schema))
        .route(adamant_protocol::WEBSOCKET_PATH, get(ws::upgrade))
        .fallback(http::not_found)
        .with_state(front)
}
