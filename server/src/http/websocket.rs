//! From an HTTP request to a WebSocket session: origin, sub-protocol and places are checked while
//! a refusal can still be an HTTP status that every client understands.

use std::{net::SocketAddr, pin::Pin, sync::Arc};

use adamant_protocol::SUBPROTOCOL;
use axum::{
    body::Body,
    extract::{Extension, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use hyper::upgrade::{Parts, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;

use super::{answers::problem, app_state::AppState, limits::LimitReached};
use crate::{
    address::ClientAddress,
    config::Origin,
    runtime::metrics::ConnectionRefusal,
    session::{self, Services},
};

/// Upgrades the connection and serves a session on it.
pub(super) async fn upgrade(
    State(app): State<Arc<AppState>>,
    Extension(peer): Extension<SocketAddr>,
    request: Request,
) -> Response {
    let client = app.client_ip(peer, request.headers());
    if app.services.lifecycle.soft.is_cancelled() {
        return app.refuse_while_stopping(&client);
    }
    let address = ClientAddress::from(client);
    if let Some(answer) = app.rate_limits.check_upgrade(address, app.now_ms()) {
        app.refuse(ConnectionRefusal::UpgradeRate, &client);
        return answer;
    }
    if !origin_is_allowed(request.headers(), &app.admitted.now().origins, app.is_encrypted()) {
        app.refuse(ConnectionRefusal::Origin, &client);
        let message = "pages of this origin may not connect";
        return problem(StatusCode::FORBIDDEN, "forbidden", message, None);
    }
    let Some(subprotocol) = agree_on_subprotocol(request.headers()) else {
        let message = "the sub-protocol spoken here is adamant.v1.json";
        return problem(StatusCode::BAD_REQUEST, "proto_unsupported", message, None);
    };
    let permit = match app.connections.acquire(Some(address)) {
        Ok(permit) => permit,
        Err(none) => {
            let why = match none {
                LimitReached::Full => ConnectionRefusal::Full,
                LimitReached::AddressFull => ConnectionRefusal::AddressFull,
            };
            app.refuse(why, &client);
            return none.into_response();
        }
    };
    let mut handshake = request.map(drop);
    let Ok(mut response) = create_response_with_body(&handshake, Body::empty) else {
        let message = "this is the WebSocket endpoint: connect with a WebSocket client";
        return problem(StatusCode::UPGRADE_REQUIRED, "bad_message", message, None);
    };
    if let Some(subprotocol) = subprotocol {
        response.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
    }
    let upgrading = hyper::upgrade::on(&mut handshake);
    let services = Arc::clone(&app.services);
    let tasks = services.lifecycle.tasks.clone();
    tasks.spawn(async move {
        let hard = services.lifecycle.hard.clone();
        let session = upgrading.await.map(|upgraded| serve(services, upgraded, address));
        if let Ok(session) = session {
            hard.run_until_cancelled(session).await;
        }
        drop(permit);
    });
    response
}

/// Serves a session on the connection. A plain TCP socket is passed on as it is, so that senders
/// can write to it directly. Boxed, so that nothing of the upgrade stays in the session's task.
fn serve(
    services: Arc<Services>,
    upgraded: Upgraded,
    address: ClientAddress,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    match upgraded.downcast::<TokioIo<TcpStream>>() {
        Ok(Parts { io, read_buf, .. }) => {
            // Copied, because it is next to nothing and the buffer that it lies in is large.
            let read = read_buf.to_vec();
            Box::pin(session::serve_tcp(services, io.into_inner(), read, address))
        }
        Err(other) => Box::pin(session::serve_stream(services, TokioIo::new(other), Some(address))),
    }
}

/// Browsers tell which page opens a WebSocket; other programs tell nothing, and may. Where the
/// server encrypts, its own pages came encrypted; behind a proxy it cannot know.
fn origin_is_allowed(headers: &HeaderMap, allowed: &[Origin], encrypted: bool) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let Some(origin) = origin.to_str().ok().and_then(|origin| origin.parse::<Origin>().ok()) else {
        return false;
    };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let is_own = host.is_some_and(|host| origin.is_of(host));
    (is_own && (!encrypted || origin.is_encrypted())) || allowed.contains(&origin)
}

/// The sub-protocol to answer with: `Some(None)` if the client names none, `None` if it names only
/// others.
#[expect(clippy::option_option, reason = "no answer and no agreement are different things")]
fn agree_on_subprotocol(headers: &HeaderMap) -> Option<Option<HeaderValue>> {
    let mut offered = headers
        .get_all(header::SEC_WEBSOCKET_PROTOCOL)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .peekable();
    if offered.peek().is_none() {
        return Some(None);
    }
    offered.any(|name| name == SUBPROTOCOL).then(|| Some(HeaderValue::from_static(SUBPROTOCOL)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn pages_of_other_origins_stay_out() {
        let allowed = ["https://play.example.org".parse().unwrap()];
        let from =
            |origin| headers(&[(header::HOST, "games.example:7777"), (header::ORIGIN, origin)]);
        assert!(origin_is_allowed(&headers(&[(header::HOST, "games.example")]), &allowed, false));
        assert!(origin_is_allowed(&from("http://games.example:7777"), &allowed, false));
        assert!(origin_is_allowed(&from("https://play.example.org"), &allowed, false));
        assert!(!origin_is_allowed(&from("https://evil.example"), &allowed, false));
        assert!(!origin_is_allowed(
            &from("http://games.example:7777.evil.example"),
            &allowed,
            false
        ));
        assert!(!origin_is_allowed(&from("null"), &allowed, false));
        assert!(!origin_is_allowed(&from("http://games.example:7777"), &allowed, true));
        assert!(origin_is_allowed(&from("https://games.example:7777"), &allowed, true));
    }
}
