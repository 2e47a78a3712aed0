//! Push messages, as a browser receives them.

use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    BrowserSubscription,
    endpoint::{Endpoint, leave},
    verified_claims,
};
use crate::{
    admin::govern,
    harness::{Metrics, PATIENCE, Peer, game},
};

const CREATED: &str = "HTTP/1.1 201 Created";
const FORBIDDEN: &str = "HTTP/1.1 403 Forbidden";

#[tokio::test]
async fn a_player_who_is_away_receives_an_encrypted_message_with_a_token() {
    let mut endpoint = Endpoint::answering(CREATED).await;
    let contact = "mailto:admin@example.org";
    let server = endpoint.server(|setup| setup.set("notifications", "contact", contact)).await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    let game = game::start(&mut [&mut bob, &mut ann], json!({})).await;
    let subscription = BrowserSubscription::new(endpoint.url("/send/1"));
    ann.ask(subscription.request()).await;
    let key = ann.welcome["push"]["key"].as_str().unwrap().to_owned();
    leave(ann, &mut bob).await;
    game::play_moves(&mut [&mut bob], &game, 1).await;

    let received = endpoint.next().await;
    assert_eq!(received.line, "POST /send/1 HTTP/1.1");
    for (name, value) in [
        ("content-encoding", "aes128gcm"),
        ("ttl", "86400"),
        ("urgency", "high"),
        ("topic", &game),
        ("host", endpoint.url("").strip_prefix("https://").unwrap()),
    ] {
        assert_eq!(received.headers[name], value, "{name}");
    }
    let claims = verified_claims(&received, &key);
    assert_eq!(claims["aud"], endpoint.url(""));
    assert_eq!(claims["sub"], contact);
    let now_s = bob.ask(json!({"type": "ping"})).await["t1"].as_u64().unwrap() / 1000;
    let expires = claims["exp"].as_u64().unwrap();
    assert!(expires > now_s && expires <= now_s + 24 * 60 * 60, "{claims}");
    let message = subscription.open(&received);
    let at = &message["at"];
    assert_eq!(
        message,
        json!({
            "type": "your_turn", "user": "ann", "game": game, "rules": "adamas@1",
            "others": ["bob"], "at": at, "title": "Your turn",
            "body": "Adamas against bob: it is your move.", "url": format!("/game/{game}"),
        })
    );
    Metrics::wait_for(&server, "adamant_notifications_total{outcome=\"delivered\"}", 1).await;
}

#[tokio::test]
async fn a_browser_that_has_subscribed_to_a_replaced_key_is_served_with_it() {
    let mut endpoint = Endpoint::answering(FORBIDDEN).await;
    let server = endpoint.server(|_| {}).await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    let game = game::start(&mut [&mut bob, &mut ann], json!({})).await;
    ann.ask(BrowserSubscription::new(endpoint.url("/1")).request()).await;
    let old = ann.welcome["push"]["key"].as_str().unwrap().to_owned();
    let replace = ["keys", "replace-push", "--reason", "a laptop was lost"];
    let said = govern(&server, &replace).await;
    let new = said["push"].as_str().unwrap().to_owned();
    assert_ne!(new, old);
    assert_eq!(said["push_earlier"], json!([old]));
    // On all nodes: peers connect to one after the other.
    let learnt = async {
        let (mut number, mut in_a_row) = (0, 0);
        while in_a_row < 3 {
            number += 1;
            let peer = Peer::guest(&server, &format!("c{number}")).await;
            let is_new = peer.welcome["push"]["key"] == new;
            in_a_row = if is_new { in_a_row + 1 } else { 0 };
        }
    };
    timeout(PATIENCE, learnt).await.expect("the new key in time");

    leave(ann, &mut bob).await;
    game::play_moves(&mut [&mut bob], &game, 1).await;
    for key in [new, old] {
        verified_claims(&endpoint.next().await, &key);
    }
}

#[tokio::test]
async fn a_push_service_always_reads_whom_to_ask() {
    let mut endpoint = Endpoint::answering(CREATED).await;
    let site = "https://play.example.org";
    for url in [None, Some(site)] {
        let server = endpoint
            .server(|setup| {
                if let Some(url) = url {
                    setup.set("notifications", "url", url);
                }
            })
            .await;
        let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
        ann.ask(BrowserSubscription::new(endpoint.url("/1")).request()).await;
        let key = ann.welcome["push"]["key"].as_str().unwrap().to_owned();
        leave(ann, &mut bob).await;
        bob.ask(json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "bob"]})).await;
        let contact = verified_claims(&endpoint.next().await, &key)["sub"].clone();
        let contact = contact.as_str().unwrap();
        assert!(contact.starts_with("https://") || contact.starts_with("mailto:"), "{contact}");
        assert!(url.is_none_or(|url| contact == url), "{contact}");
    }
}

#[tokio::test]
async fn the_end_of_a_game_is_an_occasion() {
    let mut endpoint = Endpoint::answering(CREATED).await;
    let site = "https://play.example.org";
    let server = endpoint.server(|setup| setup.set("notifications", "url", site)).await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    let game = game::start(&mut [&mut bob, &mut ann], json!({})).await;
    let subscription = BrowserSubscription::new(endpoint.url("/1"));
    ann.ask(subscription.request()).await;
    leave(ann, &mut bob).await;
    bob.ask(json!({"type": "resign", "game": game})).await;
    let received = endpoint.next().await;
    assert_eq!(received.headers["urgency"], "normal");
    let message = subscription.open(&received);
    assert_eq!((&message["type"], &message["game"]), (&json!("game_over"), &json!(game)));
    assert_eq!(message["body"], "Adamas against bob: you won.");
    assert_eq!(message["url"], format!("{site}/game/{game}"));
}

/// A request to write to the other players of a game.
fn say(game: &str) -> Value {
    json!({"type": "say", "game": game, "room": "players", "text": "hello"})
}

#[tokio::test]
async fn a_line_of_another_player_is_an_occasion_once_until_the_user_is_back() {
    let mut endpoint = Endpoint::answering(CREATED).await;
    let server = endpoint.server(|_| {}).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann], &game, 1).await;
    let subscription = BrowserSubscription::new(endpoint.url("/1"));
    ann.ask(subscription.request()).await;
    let token = ann.token.clone().unwrap();
    leave(ann, &mut bob).await;
    bob.ask(say(&game)).await;
    let received = endpoint.next().await;
    let topic = format!("{game}-message");
    assert_eq!((&received.headers["topic"], &*received.headers["urgency"]), (&topic, "normal"));
    let message = subscription.open(&received);
    assert_eq!((&message["type"], &message["game"]), (&json!("message"), &json!(game)));
    assert_eq!(message["body"], "bob has written to you in a game of Adamas.");
    assert_eq!(message["others"], json!(["bob"]));

    // A further line is none, until ann has been back.
    bob.ask(say(&game)).await;
    let ann = Peer::with_token(&server, &token).await;
    leave(ann, &mut bob).await;
    bob.ask(say(&game)).await;
    assert_eq!(endpoint.next().await.headers["topic"], topic);
    bob.ask(say(&game)).await;
    bob.ask(json!({"type": "resign", "game": game})).await;
    assert_eq!(endpoint.next().await.headers["topic"], game);
}

#[tokio::test]
async fn lines_of_a_muted_or_blocked_user_are_no_occasion() {
    let mut endpoint = Endpoint::answering(CREATED).await;
    let server = endpoint.server(|_| {}).await;
    let mut bob = Peer::guest(&server, "bob").await;
    for (name, verb) in [("ann", "mute"), ("cy", "block")] {
        let mut other = Peer::guest(&server, name).await;
        let game = game::start(&mut [&mut bob, &mut other], json!({})).await;
        other.ask(BrowserSubscription::new(endpoint.url("/1")).request()).await;
        other.ask(json!({"type": verb, "user": "bob"})).await;
        leave(other, &mut bob).await;
        bob.ask(say(&game)).await;
        bob.ask(json!({"type": "resign", "game": game})).await;
        assert_eq!(endpoint.next().await.headers["topic"], game);
    }
}

#[tokio::test]
async fn the_first_turn_of_a_game_is_an_occasion() {
    let mut endpoint = Endpoint::answering(CREATED).await;
    let server = endpoint.server(|_| {}).await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    let challenge = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "bob"]});
    let challenge = ann.ask(challenge).await["challenge"].clone();
    let subscription = BrowserSubscription::new(endpoint.url("/1"));
    ann.ask(subscription.request()).await;
    leave(ann, &mut bob).await;
    let accepted = bob.ask(json!({"type": "accept", "challenge": challenge})).await;
    let message = subscription.open(&endpoint.next().await);
    assert_eq!((&message["type"], &message["game"]), (&json!("your_turn"), &accepted["game"]));
}

#[tokio::test]
async fn a_player_who_leaves_just_after_the_turn_began_is_reminded() {
    let mut endpoint = Endpoint::answering(CREATED).await;
    // Long enough for the server to forget a session that has ended.
    let server = endpoint.server(|setup| setup.set("notifications", "grace", "1s")).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    let subscription = BrowserSubscription::new(endpoint.url("/1"));
    ann.ask(subscription.request()).await;
    leave(ann, &mut bob).await;
    let message = subscription.open(&endpoint.next().await);
    assert_eq!((&message["type"], &message["game"]), (&json!("your_turn"), &json!(game)));
}

#[tokio::test]
async fn a_user_who_is_connected_receives_no_message() {
    let mut endpoint = Endpoint::answering(CREATED).await;
    let server = endpoint.server(|_| {}).await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    let subscription = BrowserSubscription::new(endpoint.url("/1"));
    ann.ask(subscription.request()).await;
    let challenge = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "bob"]});
    bob.wait_for_online("ann", true).await;
    bob.ask(challenge.clone()).await;
    ann.next_of("challenged").await;
    leave(ann, &mut bob).await;
    let later = bob.ask(challenge).await;
    let message = subscription.open(&endpoint.next().await);
    assert_eq!(message["challenge"], later["challenge"]);
    assert_eq!((&message["type"], &message["url"]), (&json!("challenged"), &json!("/")));
    assert_eq!(message["body"], "bob challenges you to a game of Adamas.");
}

#[tokio::test]
async fn a_subscription_that_is_gone_is_deleted() {
    let mut endpoint = Endpoint::answering("HTTP/1.1 410 Gone").await;
    let server = endpoint.server(|_| {}).await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    ann.ask(BrowserSubscription::new(endpoint.url("/1")).request()).await;
    let token = ann.token.clone().unwrap();
    leave(ann, &mut bob).await;
    bob.ask(json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "bob"]})).await;
    endpoint.next().await;
    Metrics::wait_for(&server, "adamant_notifications_total{outcome=\"gone\"}", 1).await;
    let mut ann = Peer::with_token(&server, &token).await;
    // The outcome is counted before it is stored.
    let is_deleted = async {
        while ann.ask(json!({"type": "push_list"})).await["subscriptions"] != json!([]) {}
    };
    timeout(PATIENCE, is_deleted).await.expect("it is deleted");
}
