//! Which path leads where.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    extract::{Extension, Request, State},
    middleware::{self, Next},
    response::Response,
    routing::get,
};

use super::{api, app_state::AppState, page, security_headers, status, websocket};

/// The addresses that the page shows something at; see `web/src/main.js`.
const PAGE: &[&str] = &[
    "/",
    "/game/{game}",
    "/game/{game}/",
    "/user/{name}",
    "/user/{name}/",
    "/live",
    "/live/",
    "/live/{rules}",
    "/live/{rules}/",
    "/tv",
    "/tv/",
    "/tv/{rules}",
    "/tv/{rules}/",
    "/games",
    "/games/",
    "/join/{invite}",
    "/join/{invite}/",
    "/standings",
    "/standings/",
    "/standings/{rules}",
    "/standings/{rules}/",
    "/learn",
    "/learn/",
    "/learn/{rules}",
    "/learn/{rules}/",
    "/puzzles/{rules}",
    "/puzzles/{rules}/",
    "/puzzles/{rules}/{number}",
    "/puzzles/{rules}/{number}/",
    "/rules",
    "/rules/",
    "/rules/{rules}",
    "/rules/{rules}/",
    "/analysis",
    "/analysis/",
    "/analysis/{rules}",
    "/analysis/{rules}/",
    "/analysis/game/{game}",
    "/analysis/game/{game}/",
    "/account",
    "/account/",
];

/// What is said to those who have come in on the spare descriptor.
pub(super) fn overload_router(app: Arc<AppState>) -> Router {
    monitoring_routes().fallback(status::exhausted).with_state(app)
}

/// What is said while the server stops.
pub(super) fn stopping_router(app: Arc<AppState>) -> Router {
    monitoring_routes().fallback(status::stopping).with_state(app)
}

fn monitoring_routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/healthz", get(status::healthz))
        .route("/readyz", get(status::readyz))
        .route("/lb", get(status::lb))
        .route("/metrics", get(status::metrics))
}

/// Everything that is served on the one port.
pub(super) fn router(app: Arc<AppState>) -> Router {
    let documents =
        PAGE.iter().fold(Router::new(), |router, path| router.route(path, get(page::document)));
    documents
        .route("/page/{version}/{*path}", get(page::file))
        .route("/embed/game/{game}", get(page::embedded_game))
        .route("/sw.js", get(page::service_worker))
        .route("/manifest.webmanifest", get(page::manifest))
        .route_layer(middleware::from_fn_with_state(Arc::clone(&app), admit_file))
        .merge(monitoring_routes())
        .route(adamant_protocol::WEBSOCKET_PATH, get(websocket::upgrade))
        .merge(api::routes(&app))
        .fallback(status::fallback)
        .method_not_allowed_fallback(status::method_not_allowed)
        .layer(middleware::from_fn_with_state(Arc::clone(&app), security_headers::apply))
        .with_state(app)
}

/// Lets the requests of an address for files of the page pass that are within its rate.
pub(super) async fn admit_file(
    State(app): State<Arc<AppState>>,
    Extension(peer): Extension<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    match app.rate_limits.check_file(app.client(peer, request.headers()), app.now_ms()) {
        None => next.run(request).await,
        Some(refused) => refused,
    }
}
