//! Webhooks: what they receive, how it is signed, and when the server gives up.

use data_encoding::HEXLOWER;
use ring::hmac;
use serde_json::{Value, json};

use super::endpoint::{Endpoint, Received, leave};
use crate::harness::{Metrics, Peer, Server};

const OK: &str = "HTTP/1.1 200 OK";

fn challenge_to(name: &str, by: &Peer) -> Value {
    json!({"type": "challenge", "rules": "adamas", "seats": [name, by.name()]})
}

/// Verifies the signature of a request; returns its time.
fn verified(received: &Received, secret: &str) -> u64 {
    let said = &received.headers["adamant-signature"];
    let (time, signature) = said.strip_prefix("t=").unwrap().split_once(",v1=").unwrap();
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let signed = [time.as_bytes(), b".", &received.body].concat();
    hmac::verify(&key, &signed, &HEXLOWER.decode(signature.as_bytes()).unwrap()).unwrap();
    time.parse().unwrap()
}

/// Returns an account with a bot that is away, whose webhook is at this URL; and the secret.
async fn owner_of_hexbot(server: &Server, url: &str) -> (Peer, String) {
    let mut ann = Peer::account(server, "ann").await;
    ann.ask(json!({"type": "bot_create", "name": "hexbot"})).await;
    let set = ann.ask(json!({"type": "webhook_set", "url": url, "user": "hexbot"})).await;
    (ann, set["secret"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_webhook_receives_signed_json() {
    let mut endpoint = Endpoint::answering(OK).await;
    let server = endpoint.server(|_| {}).await;
    let mut ann = Peer::account(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let set = ann.ask(json!({"type": "webhook_set", "url": endpoint.url("/hook?a=b")})).await;
    leave(ann, &mut bob).await;
    let challenge = bob.ask(challenge_to("ann", &bob)).await["challenge"].clone();
    let received = endpoint.next().await;
    assert_eq!(received.line, "POST /hook?a=b HTTP/1.1");
    assert_eq!(received.headers["content-type"], "application/json");
    let time = verified(&received, set["secret"].as_str().unwrap());
    let now_s = bob.ask(json!({"type": "ping"})).await["t1"].as_u64().unwrap() / 1000;
    assert!(time <= now_s && now_s - time < 60, "{time} {now_s}");
    let body = received.json();
    assert_eq!((&body["type"], &body["challenge"]), (&json!("challenged"), &challenge));
    assert_eq!((&body["user"], &body["others"]), (&json!("ann"), &json!(["bob"])));
}

#[tokio::test]
async fn a_webhook_that_always_fails_is_disabled_until_it_is_set_again() {
    let mut endpoint = Endpoint::answering("HTTP/1.1 403 Forbidden").await;
    let server = endpoint.server(|_| {}).await;
    let url = endpoint.url("/");
    let (mut ann, _) = owner_of_hexbot(&server, &url).await;
    let mut bob = Peer::guest(&server, "bob").await;
    let show = json!({"type": "webhook_get", "user": "hexbot"});
    for failures in 1..=10 {
        let challenge = bob.ask(challenge_to("hexbot", &bob)).await["challenge"].clone();
        endpoint.next().await;
        bob.ask(json!({"type": "cancel", "challenge": challenge})).await;
        let failed = "adamant_notifications_total{outcome=\"failed\"}";
        Metrics::wait_for(&server, failed, failures).await;
        // The outcome is counted before it is stored.
        while ann.ask(show.clone()).await["failures"] != failures {}
    }
    assert_eq!(ann.ask(show.clone()).await["disabled"], true);
    server.wait_for_log("webhook disabled after failures").await;

    // The server calls it no more.
    bob.ask(challenge_to("hexbot", &bob)).await;
    let set = json!({"type": "webhook_set", "url": endpoint.url("/again"), "user": "hexbot"});
    let secret = ann.ask(set).await["secret"].clone();
    assert_eq!(ann.ask(show).await.get("disabled"), None);
    let last = bob.ask(challenge_to("hexbot", &bob)).await["challenge"].clone();
    // The server may look for the webhook of the challenge before only now.
    loop {
        let received = endpoint.next().await;
        verified(&received, secret.as_str().unwrap());
        assert_eq!(received.line, "POST /again HTTP/1.1");
        if received.json()["challenge"] == last {
            break;
        }
    }
}

#[tokio::test]
async fn only_accounts_have_webhooks_and_only_people_change_them() {
    let endpoint = Endpoint::answering(OK).await;
    let server = endpoint.server(|_| {}).await;
    let (mut ann, _) = owner_of_hexbot(&server, &endpoint.url("/")).await;
    let mut bob = Peer::account(&server, "bob").await;
    let mut gus = Peer::guest(&server, "gus").await;
    let set = json!({"type": "webhook_set", "url": endpoint.url("/")});
    gus.refused(set.clone(), "forbidden").await;
    Peer::anonymous(&server).await.refused(set, "forbidden").await;
    for kind in ["webhook_get", "webhook_delete"] {
        bob.refused(json!({"type": kind, "user": "hexbot"}), "forbidden").await;
    }
    let token = json!({"type": "token_create", "label": "x", "user": "hexbot"});
    let token = ann.ask(token).await["token"].as_str().unwrap().to_owned();
    let mut hexbot = Peer::with_token(&server, &token).await;
    hexbot.refused(json!({"type": "webhook_delete"}), "forbidden").await;
    bob.refused(json!({"type": "webhook_delete"}), "not_found").await;
    for url in ["http://example.org/", "https://ann:x@example.org/", "example.org", "https://"] {
        bob.refused(json!({"type": "webhook_set", "url": url}), "bad_message").await;
    }

    ann.ask(json!({"type": "webhook_delete", "user": "hexbot"})).await;
    let gone = ann.ask(json!({"type": "webhook_get", "user": "hexbot"})).await;
    assert_eq!(gone.get("url"), None);
}
