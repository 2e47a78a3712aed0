//! The rules of the requests that the server sends: where they may go, and where they end.

use serde_json::{Value, json};

use super::endpoint::Endpoint;
use crate::harness::{Metrics, Peer, Server, Setup};

const FAILED: &str = "adamant_notifications_total{outcome=\"failed\"}";

fn challenge(by: &Peer) -> Value {
    json!({"type": "challenge", "rules": "adamas", "seats": ["hexbot", by.name()]})
}

async fn challenge_a_bot_with_a_webhook_at(server: &Server, url: &str) -> Peer {
    let mut ann = Peer::account(server, "ann").await;
    ann.ask(json!({"type": "bot_create", "name": "hexbot"})).await;
    ann.ask(json!({"type": "webhook_set", "url": url, "user": "hexbot"})).await;
    let mut bob = Peer::guest(server, "bob").await;
    bob.ask(challenge(&bob)).await;
    bob
}

fn forbid_private(setup: &mut Setup) {
    setup.set("notifications", "allow_private", false);
}

#[tokio::test]
async fn private_addresses_are_refused_by_default() {
    let mut endpoint = Endpoint::answering("HTTP/1.1 200 OK").await;
    let server = endpoint.server(forbid_private).await;
    let mut cy = Peer::account(&server, "cy").await;
    for host in ["127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "[::1]", "[fd00::1]"] {
        let url = format!("https://{host}/");
        cy.refused(json!({"type": "webhook_set", "url": url}), "bad_message").await;
    }
    // Where a name leads to shows only when it is resolved.
    challenge_a_bot_with_a_webhook_at(&server, &endpoint.named_url("/")).await;
    Metrics::wait_for(&server, FAILED, 1).await;
    assert_eq!(endpoint.connections(), 0);
}

#[tokio::test]
async fn a_setting_allows_private_addresses() {
    let mut endpoint = Endpoint::answering("HTTP/1.1 200 OK").await;
    let server = endpoint.server(|_| {}).await;
    challenge_a_bot_with_a_webhook_at(&server, &endpoint.named_url("/")).await;
    assert_eq!(endpoint.next().await.json()["user"], "hexbot");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let mut other = Endpoint::answering("HTTP/1.1 200 OK").await;
    let head = format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {}", other.url("/"));
    let mut endpoint = Endpoint::answering(String::leak(head)).await;
    let server = endpoint.server(|_| {}).await;
    challenge_a_bot_with_a_webhook_at(&server, &endpoint.url("/")).await;
    endpoint.next().await;
    Metrics::wait_for(&server, FAILED, 1).await;
    assert_eq!((endpoint.connections(), other.connections()), (1, 0));
}

#[tokio::test]
async fn a_certificate_that_the_machine_does_not_trust_is_not_accepted() {
    let trusted = Endpoint::answering("HTTP/1.1 200 OK").await;
    let mut endpoint = Endpoint::answering("HTTP/1.1 200 OK").await;
    let server = trusted.server(|setup| setup.set("log", "filter", "debug")).await;
    challenge_a_bot_with_a_webhook_at(&server, &endpoint.url("/")).await;
    server.wait_for_log("notification not delivered").await;
    assert_eq!(endpoint.connections(), 1);
    assert!(endpoint.is_unused());
}

#[tokio::test]
async fn a_user_receives_a_bounded_number_of_notifications() {
    let mut endpoint = Endpoint::answering("HTTP/1.1 200 OK").await;
    let server = endpoint.server(|_| {}).await;
    let mut bob = challenge_a_bot_with_a_webhook_at(&server, &endpoint.url("/")).await;
    for _ in 1..60 {
        endpoint.next().await;
        let open = bob.ask(json!({"type": "challenges"})).await["challenges"][0].clone();
        bob.ask(json!({"type": "cancel", "challenge": open["challenge"]})).await;
        bob.ask(challenge(&bob)).await;
    }
    endpoint.next().await;
    bob.ask(challenge(&bob)).await;
    let limited = "adamant_notifications_total{outcome=\"rate_limited\"}";
    Metrics::wait_for(&server, limited, 1).await;
}
