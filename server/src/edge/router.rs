//! Which path leads where.

use std::sync::Arc;

use axum::{Router, middleware, routing::get};

use super::{Front, admission, guard, http, page, reading, ws};

/// The addresses that the page shows something at; see `server/web/main.js`.
const PAGE: [&str; 19] = [
    "/",
    "/game/{game}",
    "/game/{game}/",
    "/user/{name}",
    "/user/{name}/",
    "/live",
    "/live/",
    "/live/{rules}",
    "/live/{rules}/",
    "/standings",
    "/standings/",
    "/standings/{rules}",
    "/standings/{rules}/",
    "/rules",
    "/rules/",
    "/rules/{rules}",
    "/rules/{rules}/",
    "/account",
    "/account/",
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
        .route_layer(middleware::from_fn_with_state(Arc::clone(&front), admission::admit_file))
        .route("/healthz", get(http::healthz))
        .route("/readyz", get(http::readyz))
        .route("/metrics", get(http::metrics))
        .route(adamant_protocol::WEBSOCKET_PATH, get(ws::upgrade))
        .merge(reading::routes(&front))
        .fallback(http::nowhere)
        .method_not_allowed_fallback(http::method_not_allowed)
        .layer(middleware::from_fn_with_state(Arc::clone(&front), guard::guard))
        .with_state(front)
}
