//! Servers with limits, clients at different addresses, and the form of a rejection.

use serde_json::{Value, json};

use crate::harness::{Frame, PASSWORD, Peer, Server};

/// Loopback addresses that stand for different networks.
pub(super) const HERE: [u8; 4] = [127, 0, 0, 1];
pub(super) const EVE: [u8; 4] = [127, 0, 0, 2];
pub(super) const ANN: [u8; 4] = [127, 0, 0, 3];

/// Starts a server with these limits.
pub(super) async fn server_with(limits: &[(&'static str, i64)]) -> Server {
    Server::with(|setup| {
        for (name, count) in limits {
            setup.set("limits", name, *count);
        }
    })
    .await
}

/// Checks that a rejection names this limit and a wait.
pub(super) fn assert_limited(refusal: &Frame, limit: &str) {
    assert_eq!(refusal["code"], "rate_limited", "{refusal}");
    assert_eq!((&refusal["limit"], &refusal["retry"]), (&json!(limit), &json!("after")));
    assert!(refusal["retry_after_ms"].as_u64().unwrap() > 0, "{refusal}");
    assert!(refusal["message"].as_str().unwrap().starts_with("at most "), "{refusal}");
}

/// Sends `hello` from an address and returns the reply.
pub(super) async fn hello_reply(here: [u8; 4], server: &Server, auth: Value) -> Frame {
    let mut peer = Peer::connect_from(here, server.address()).await;
    peer.request(json!({"type": "hello", "proto": [1], "auth": auth})).await
}

/// Sends `signup` from an address and returns the reply.
pub(super) async fn signup_reply(here: [u8; 4], server: &Server, name: &str) -> Frame {
    let mut peer = Peer::connect_from(here, server.address()).await;
    peer.hello(json!({})).await;
    peer.request(json!({"type": "signup", "user": name, "password": PASSWORD})).await
}

/// The credentials of a log-in by password.
pub(super) fn log_in(name: &str, password: &str) -> Value {
    json!({"user": name, "password": password})
}
