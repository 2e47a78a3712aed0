//! What holds for every answer by HTTP, whichever part of the server gives it.

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Version, header, uri::Authority},
    middleware::Next,
    response::Response,
};

use super::{answers::problem, app_state::AppState};

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
    let mut response = match host_refusal(&app.admitted.now().hosts, &request) {
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
    if app.is_encrypted() {
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
    use super::*;

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
