//! Which path leads where.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    extract::{Extension, Request, State},
    http::{HeaderMap, HeaderName, StatusCode},
    middleware::{self, Next},
    response::Response,
    routing::get,
};

use super::{
    answers::problem, api, app_state::AppState, page, security_headers, status, websocket,
};

/// Below which path a proxy has put the server, if it says so.
const X_FORWARDED_PREFIX: HeaderName = HeaderName::from_static("x-forwarded-prefix");

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

fn page_routes() -> Router<Arc<AppState>> {
    let with_slash = page::ADDRESSES.iter().filter(|path| **path != "/");
    let with_slash = with_slash.map(|path| format!("{path}/"));
    let addresses = page::ADDRESSES.iter().map(|path| (*path).to_owned()).chain(with_slash);
    addresses
        .fold(Router::new(), |router, path| router.route(&path, get(page::document)))
        .route("/page/{version}/{*path}", get(page::file))
        .route("/embed/game/{game}", get(page::embedded_game))
        .route("/sw.js", get(page::service_worker))
        .route("/manifest.webmanifest", get(page::manifest))
}

fn socket_route() -> Router<Arc<AppState>> {
    Router::new().route(adamant_protocol::WEBSOCKET_PATH, get(websocket::upgrade))
}

/// Everything that is served on the one port.
pub(super) fn router(app: Arc<AppState>) -> Router {
    page_routes()
        .route_layer(middleware::from_fn(refuse_below_a_path))
        .route_layer(middleware::from_fn_with_state(Arc::clone(&app), admit_file))
        .merge(monitoring_routes())
        .merge(socket_route())
        .merge(
            api::routes().route_layer(middleware::from_fn_with_state(Arc::clone(&app), api::admit)),
        )
        .fallback(status::fallback)
        .method_not_allowed_fallback(status::method_not_allowed)
        .layer(middleware::from_fn_with_state(Arc::clone(&app), security_headers::apply))
        .with_state(app)
}

/// Lets the requests of an address for files of the page pass that are within its rate.
async fn admit_file(
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

/// Refuses a page that would find none of its files: all that it names is at the root of the host.
/// Programs need no page, so the WebSocket and the HTTP API are served below a path, too.
async fn refuse_below_a_path(request: Request, next: Next) -> Response {
    if !is_below_a_path(request.headers()) {
        return next.run(request).await;
    }
    let message = "the page needs the root of a host name, and this proxy serves it below a path: \
                   see \"Behind a proxy\" in docs/OPERATIONS.md";
    problem(StatusCode::MISDIRECTED_REQUEST, "forbidden", message, None)
}

fn is_below_a_path(headers: &HeaderMap) -> bool {
    let prefix = headers.get(X_FORWARDED_PREFIX).and_then(|prefix| prefix.to_str().ok());
    prefix.is_some_and(|prefix| !prefix.trim().trim_matches('/').is_empty())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::http::descriptions;

    /// Returns the paths of a router, which only its debug output shows.
    fn paths(router: &Router<Arc<AppState>>) -> BTreeSet<String> {
        let shown = format!("{router:?}");
        let shown = shown.split_once("paths: {").expect("the paths of the routes").1;
        let shown = shown.split_once("\"}").expect("the end of the paths").0;
        shown
            .split("RouteId(")
            .filter_map(|route| Some(route.split('"').nth(1)?.to_owned()))
            .collect()
    }

    #[test]
    fn openapi_describes_every_route_and_no_other() {
        let router = page_routes().merge(monitoring_routes()).merge(socket_route());
        let found = paths(&router.merge(api::routes()));
        let described: BTreeSet<String> = descriptions::paths().map(str::to_owned).collect();
        let is_alias =
            |path: &&String| path.strip_suffix('/').is_some_and(|path| described.contains(path));
        let aliases: BTreeSet<String> = found.iter().filter(is_alias).cloned().collect();
        assert_eq!(&found - &aliases, described);
        assert_eq!(
            aliases.len() + 1,
            page::ADDRESSES.len(),
            "the page has two forms of an address"
        );
    }
}
