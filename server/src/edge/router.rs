//! Which path leads where.

use std::sync::Arc;

use axum::{Router, routing::get};

use super::{Front, http, reading, ws};

/// Everything that is served on the one port.
pub(super) fn router(front: Arc<Front>) -> Router {
    Router::new()
        .route("/", get(http::page))
        .route("/healthz", get(http::healthz))
        .route("/readyz", get(http::readyz))
        .route("/schema/v1.json", get(http::schema))
        .route(adamant_protocol::WEBSOCKET_PATH, get(ws::upgrade))
        .merge(reading::routes(&front))
        .fallback(http::not_found)
        .method_not_allowed_fallback(http::method_not_allowed)
        .with_state(front)
}
