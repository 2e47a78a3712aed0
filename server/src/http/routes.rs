//! Which path leads where.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use axum::{
    Router,
    extract::{Extension, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Version, header, uri::Authority},
    middleware::{self, Next},
    response::Response,
    routing::get,
};

use super::{answers::problem, api, app_state::AppState, page, routes, status, websocket};

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

/// What a browser requests.
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

/// Which pages may load an answer into themselves.
pub(super) const RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

/// What a picture may do where a browser shows it as a document: nothing.
pub(super) const PICTURE_POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox");

/// How long a browser remembers to come encrypted, in seconds: a year.
const STRICT_TRANSPORT: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// What may be asked whatever the server is called: monitors come by address.
const ANY_HOST_PATHS: [&str; 3] = ["/healthz", "/readyz", "/lb"];

/// Refuses what is not meant for this server, and says in every answer how it may be used.
pub(super) async fn apply(
    State(app): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match host_refusal(&app.hosts, &request) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    };
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        return response;
    }
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // What pages of every origin may read they may load, too.
    let is_public = headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN);
    let pages = if is_public { "cross-origin" } else { "same-origin" };
    headers.entry(RESOURCE_POLICY).or_insert(HeaderValue::from_static(pages));
    if app.encrypted {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, STRICT_TRANSPORT);
    }
    response
}

/// The refusal of a request that names no host, or another one than the server's own.
fn host_refusal(hosts: &[String], request: &Request) -> Option<Response> {
    let headers = request.headers();
    let is_named = match headers.get_all(header::HOST).iter().count() {
        0 => request.version() < Version::HTTP_11,
        count => count == 1,
    };
    if !is_named {
        let message = "a request names the host that it is for, once";
        return Some(problem(StatusCode::BAD_REQUEST, "bad_message", message, None));
    }
    if ANY_HOST_PATHS.contains(&request.uri().path()) || is_own_host(hosts, headers) {
        return None;
    }
    let message = "this server goes by other names: see network.hosts";
    Some(problem(StatusCode::MISDIRECTED_REQUEST, "forbidden", message, None))
}

/// Whether the host that a request is for is the server's. An address is: a page of another host
/// can have its name lead here, but it cannot be called by an address of this machine.
fn is_own_host(hosts: &[String], headers: &HeaderMap) -> bool {
    hosts.is_empty() || is_named(hosts, headers)
}

/// Whether a request is for an address, for `localhost` or for one of these names.
pub(super) fn is_named(hosts: &[String], headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST) else { return true };
    let Some(authority) = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok()) else {
        return false;
    };
    let name = authority.host().trim_end_matches('.');
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok()
        || hosts.iter().any(|own| own.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::http::descriptions;

    use super::*;

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

    #[test]
    fn a_server_that_knows_its_names_answers_to_no_other() {
        let hosts = ["play.example.org".to_owned()];
        let own = |host: &'static str| {
            let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static(host))]);
            is_own_host(&hosts, &headers)
        };
        for host in [
            "play.example.org",
            "PLAY.example.org:443",
            "127.0.0.1:7777",
            "[::1]:7777",
            "localhost",
        ] {
            assert!(own(host), "{host}");
        }
        for host in ["evil.example", "play.example.org.evil.example", "127.0.0.1.evil.example", ""]
        {
            assert!(!own(host), "{host}");
        }
    }
}
