//! Webhooks: what they receive, how it is signed, and when the server gives up.

use data_encoding::HEXLOWER;
use ring::hmac;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use tokio::{task::yield_now, time::timeout};

use super::{
    BrowserSubscription,
    endpoint::{Endpoint, Received, SILENT, leave},
};
use crate::harness::{Metrics, PATIENCE, Peer, Server, Setup, game};

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
    let mut endpoint = Endpoint::answering(OK).await;
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
    let mut endpoint = Endpoint::answering(OK).await;
    let server = endpoint.server(|_| {}).await;
    challenge_a_bot_with_a_webhook_at(&server, &endpoint.named_url("/")).await;
    assert_eq!(endpoint.next().await.json()["user"], "hexbot");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let mut other = Endpoint::answering(OK).await;
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
    let trusted = Endpoint::answering(OK).await;
    let mut endpoint = Endpoint::answering(OK).await;
    let server = trusted.server(|setup| setup.set("log", "filter", "debug")).await;
    challenge_a_bot_with_a_webhook_at(&server, &endpoint.url("/")).await;
    server.wait_for_log("notification not delivered").await;
    assert_eq!(endpoint.connections(), 1);
    assert!(endpoint.is_unused());
}

#[tokio::test]
async fn a_user_receives_a_bounded_number_of_notifications() {
    let mut endpoint = Endpoint::answering(OK).await;
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

#[tokio::test]
async fn endpoints_that_never_answer_hold_up_their_own_user_alone() {
    let mut endpoint = Endpoint::answering(OK).await;
    let server = endpoint.server(|_| {}).await;
    let [mut eve, mut bob] = Peer::guests(&server, ["eve", "bob"]).await;
    for number in 0..10 {
        let url = endpoint.url(&format!("{SILENT}/{number}"));
        eve.ask(BrowserSubscription::new(url).request()).await;
    }
    let mut ann = Peer::account(&server, "ann").await;
    ann.ask(json!({"type": "webhook_set", "url": endpoint.url("/")})).await;
    leave(eve, &mut bob).await;
    leave(ann, &mut bob).await;
    bob.ask(challenge_to("eve", &bob)).await;
    for _ in 0..2 {
        endpoint.connected().await;
    }
    bob.ask(challenge_to("ann", &bob)).await;
    assert_eq!(endpoint.next().await.json()["user"], "ann");
    assert_eq!(endpoint.connections(), 1, "one user has two places");
}

#[tokio::test]
async fn challenges_of_guests_ring_seldom_and_withdrawn_ones_never() {
    let mut endpoint = Endpoint::answering(OK).await;
    // Each of several nodes would ring once.
    let server = Server::embedded(|setup| with_grace(&endpoint, setup)).await;
    let [mut ann, mut bob] =
        [Peer::account(&server, "ann").await, Peer::account(&server, "bob").await];
    ann.ask(json!({"type": "webhook_set", "url": endpoint.url("/")})).await;
    let game = game::start(&mut [&mut bob, &mut ann], json!({})).await;
    leave(ann, &mut bob).await;
    let mut guests = Peer::guests(&server, ["gus", "gwen", "gil", "gerd", "gina"]).await;
    let withdrawn = bob.ask(challenge_to("ann", &bob)).await["challenge"].clone();
    bob.ask(json!({"type": "cancel", "challenge": withdrawn})).await;
    for guest in &mut guests {
        guest.ask(challenge_to("ann", guest)).await;
    }
    // They come from one network.
    let rung = endpoint.next().await.json();
    assert_eq!(rung["type"], "challenged");
    assert_ne!(rung["challenge"], withdrawn);
    let limited = "adamant_notifications_total{outcome=\"rate_limited\"}";
    Metrics::wait_for(&server, limited, 5).await;
    // The turn has places of its own.
    game::play_moves(&mut [&mut bob], &game, 1).await;
    assert_eq!(endpoint.next().await.json()["type"], "your_turn");
}

const GAMES: usize = 2;

/// Long enough for a server to end before.
fn with_grace(endpoint: &Endpoint, setup: &mut Setup) {
    endpoint.trust(setup);
    setup.set("notifications", "grace", "2s");
}

/// Starts games in which it is bob's turn once he has left. Returns the games in order.
async fn leave_bob_to_move(endpoint: &Endpoint, mut bob: Peer, ann: &mut Peer) -> Vec<String> {
    bob.ask(json!({"type": "webhook_set", "url": endpoint.url("/")})).await;
    let mut games = Vec::new();
    for _ in 0..GAMES {
        games.push(game::start(&mut [ann, &mut bob], json!({})).await);
    }
    leave(bob, ann).await;
    for game in &games {
        let notation = game::choose_move(ann.table(game));
        game::make_move(ann, game, &notation).await;
    }
    games.sort();
    games
}

/// Waits until this many notices are stored.
async fn stored(count: impl Fn() -> String, expected: usize) {
    let waiting = async {
        while count() != expected.to_string() {
            yield_now().await;
        }
    };
    timeout(PATIENCE, waiting).await.expect("the notices are stored");
}

/// Expects a notification of the turn in each game, and of nothing else before a challenge that is
/// made now.
async fn expect_each_once(endpoint: &mut Endpoint, games: &[String], by: &mut Peer) {
    let mut told = Vec::new();
    for _ in games {
        let body = endpoint.next().await.json();
        assert_eq!((&body["type"], &body["user"]), (&json!("your_turn"), &json!("bob")));
        told.push(body["game"].as_str().unwrap().to_owned());
    }
    told.sort();
    assert_eq!(told, games);
    let challenge = json!({"type": "challenge", "rules": "adamas", "seats": ["bob", by.name()]});
    let challenge = by.ask(challenge).await["challenge"].clone();
    let body: Value = endpoint.next().await.json();
    assert_eq!(body["challenge"], challenge, "{body}");
}

#[tokio::test]
async fn a_notification_outlives_its_server() {
    for is_killed in [true, false] {
        let mut endpoint = Endpoint::answering(OK).await;
        let mut server = Server::embedded(|setup| with_grace(&endpoint, setup)).await;
        let bob = Peer::account(&server, "bob").await;
        let mut ann = Peer::guest(&server, "ann").await;
        let games = leave_bob_to_move(&endpoint, bob, &mut ann).await;
        if is_killed {
            let database = server.data().join("adamant.db");
            let database =
                Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
            let count = "SELECT count(*) FROM notices";
            let count = || database.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap();
            stored(|| count().to_string(), GAMES).await;
            server.kill().await;
        } else {
            server.stop().await;
        }
        assert!(endpoint.is_unused(), "no notification is sent yet");
        server.restart().await;
        let mut eve = Peer::guest(&server, "eve").await;
        expect_each_once(&mut endpoint, &games, &mut eve).await;
    }
}

#[tokio::test]
async fn a_notification_outlives_its_node() {
    for is_killed in [true, false] {
        let mut endpoint = Endpoint::answering(OK).await;
        let mut server = Server::cluster(2, |setup| with_grace(&endpoint, setup)).await;
        // The first node.
        let bob = Peer::account(&server, "bob").await;
        let mut ann = Peer::guest_at(server.node(1), "ann").await;
        let games = leave_bob_to_move(&endpoint, bob, &mut ann).await;
        if is_killed {
            stored(|| server.sql("SELECT count(*) FROM notices"), GAMES).await;
            server.node_mut(1).kill().await;
        } else {
            server.node(1).terminate().await;
            server.node_mut(1).wait().await;
        }
        let mut eve = Peer::guest_at(server.node(0), "eve").await;
        expect_each_once(&mut endpoint, &games, &mut eve).await;
        stored(|| server.sql("SELECT count(*) FROM notices"), 0).await;
    }
}
