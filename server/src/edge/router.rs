//! Which path leads where.

use std::sync::Arc;

use axum::{Router, routing::get};
use tower_http::compression::CompressionLayer;

use super::{Front, http, page, reading, ws};

/// The addresses that the page shows something at; see `server/web/main.js`.
const PAGE: [&str; 8] = [
    "/",
    "/game/{game}",
    "/user/{name}",
    "/standings",
    "/standings/{rules}",
    "/rules",
    "/rules/{rules}",
    "/account",
];

/// What is said to those who have come in on the spare descriptor.
pub(super) fn bare(front: Arc<Front>) -> Router {
    Router::new()
        .route("/healthz", get(http::healthz))
        .route("/readyz", get(http::readyz))
        .route("/metrics", get(http::metrics))
        .fallback(http::exhausted)
        .with_state(front)
}

/// Everything that is served on the one port.
pub(super) fn router(front: Arc<Front>) -> Router {
    let page = PAGE
        .into_iter()
        .fold(Router::new(), |router, path| router.route(path, get(page::document)));
    page.route("/page/{version}/{*path}", get(page::file))
        .layer(CompressionLayer::new().gzip(true))
        .route("/healthz", get(http::healthz))
        .route("/readyz", get(http::readyz))
        .route("/metrics", get(http::metrics))
        .route("/schema/v1.json", get(http::schema))
        .route(adamant_protocol::WEBSOCKET_PATH, get(ws::upgrade))
        .merge(reading::routes(&front))
        .fallback(http::not_found)
        .method_not_allowed_fallback(http::method_not_allowed)
        .with_state(front)
}
