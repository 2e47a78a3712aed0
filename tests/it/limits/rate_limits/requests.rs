//! Requests of users, accounts and addresses.

use serde_json::json;

use super::clients::{ANN, EVE, server_with, signup_reply};
use crate::harness::{Frame, Peer, Server};

/// A refill of one request per second, which adds nothing to a burst during a test.
const SLOWLY: i64 = 1;

/// Sends pings; returns how many were answered, and the errors of the others.
async fn pings(peer: &mut Peer, count: usize) -> (usize, Vec<Frame>) {
    let (mut answered, mut refused) = (0, Vec::new());
    for _ in 0..count {
        let reply = peer.request(json!({"type": "ping"})).await;
        if reply["type"] == "pong" { answered += 1 } else { refused.push(reply) }
    }
    (answered, refused)
}

/// Sends pings without waiting for replies; returns how many were answered.
async fn pings_at_once(peer: &mut Peer, count: usize) -> usize {
    for number in 0..count {
        peer.send(&json!({"type": "ping", "id": format!("at-once-{number}")})).await;
    }
    let mut answered = 0;
    for number in 0..count {
        let id = json!(format!("at-once-{number}"));
        let reply = peer.next_matching("a reply", |frame| frame.get("re") == Some(&id)).await;
        answered += usize::from(reply["type"] == "pong");
    }
    answered
}

/// Checks that rejections name this limit and a wait.
fn assert_too_soon(refused: &[Frame], limit: &str) {
    for refusal in refused {
        assert_eq!((&refusal["code"], &refusal["limit"]), (&json!("rate_limited"), &json!(limit)));
        assert_eq!(refusal["retry"], "after");
        assert!(refusal["retry_after_ms"].as_u64().unwrap() > 0, "{refusal}");
    }
}

#[tokio::test]
async fn requests_of_a_user_are_limited_over_all_connections() {
    let limits = [("user_messages_burst", 30), ("user_messages_per_s", SLOWLY)];
    let server = server_with(&limits).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let token = ann.token.clone().unwrap();
    let mut answered = 0;
    for connection in 0..4 {
        let (done, refused) = if connection == 0 {
            pings(&mut ann, 20).await
        } else {
            // A new connection from another address adds nothing.
            let mut again = Peer::connect_from([127, 0, 1, connection], server.address()).await;
            again.hello(json!({"auth": {"token": token}})).await;
            pings(&mut again, 20).await
        };
        answered += done;
        assert_too_soon(&refused, "user_messages");
    }
    assert!((30..60).contains(&answered), "{answered} of 80 were answered");
    let mut bob = Peer::guest(&server, "bob").await;
    assert_eq!(pings(&mut bob, 20).await.0, 20, "other users are not affected");
}

#[tokio::test]
async fn requests_of_an_address_are_limited_over_all_users() {
    let limits = [("address_messages_burst", 30), ("address_messages_per_s", SLOWLY)];
    let server = server_with(&limits).await;
    let mut answered = 0;
    for guest in 0..8 {
        let mut peer = Peer::connect_from(EVE, server.address()).await;
        let hello =
            json!({"type": "hello", "proto": [1], "auth": {"guest": format!("eve{guest}")}});
        let reply = peer.request(hello).await;
        if reply["type"] != "welcome" {
            assert_too_soon(&[reply], "address_messages");
            continue;
        }
        let (done, refused) = pings(&mut peer, 20).await;
        answered += done;
        assert_too_soon(&refused, "address_messages");
    }
    assert!((20..60).contains(&answered), "{answered} of 160 were answered");
    let mut ann = Peer::connect_from(ANN, server.address()).await;
    ann.hello_guest("ann").await;
    assert_eq!(pings(&mut ann, 20).await.0, 20, "other users are not affected");
}

#[tokio::test]
async fn lists_and_resumed_games_cost_more_than_a_message() {
    let limits = [("address_messages_burst", 100), ("address_messages_per_s", SLOWLY)];
    let server = server_with(&limits).await;
    let mut peer = Peer::connect_from(EVE, server.address()).await;
    peer.hello_guest("eve").await;
    let mut lists = 0;
    while lists < 100 {
        let reply = peer.request(json!({"type": "games"})).await;
        if reply["type"] == "error" {
            assert_too_soon(&[reply], "address_messages");
            break;
        }
        lists += 1;
    }
    assert!((20..40).contains(&lists), "{lists} lists");
    // A resume of many games costs as much.
    let resume: serde_json::Map<_, _> =
        (0..400).map(|game| (format!("g{game:07}"), json!({"seq": 1}))).collect();
    let hello = json!({"type": "hello", "proto": [1], "resume": resume});
    let mut ann = Peer::connect_from(ANN, server.address()).await;
    assert_eq!(ann.request(hello.clone()).await["type"], "welcome");
    let mut again = Peer::connect_from(ANN, server.address()).await;
    assert_too_soon(&[again.request(hello).await], "address_messages");
}

#[tokio::test]
async fn an_older_account_and_its_bots_share_a_higher_rate() {
    let server = Server::with(|setup| {
        setup.set("limits", "account_trusted_after", "0s");
        for (limit, burst) in [("messages", 5), ("user_messages", 5), ("account_messages", 60)] {
            setup.set("limits", &format!("{limit}_burst"), burst);
            setup.set("limits", &format!("{limit}_per_s"), SLOWLY);
        }
    })
    .await;
    let account = signup_reply(ANN, &server, "ann").await;
    let mut ann = Peer::with_token(&server, account["token"].as_str().unwrap()).await;
    assert_eq!(ann.welcome["limits"]["burst"], 60);
    ann.ask(json!({"type": "bot_create", "name": "annbot"})).await;
    let made = ann.ask(json!({"type": "token_create", "user": "annbot", "label": "x"})).await;
    let mut bot = Peer::with_token(&server, made["token"].as_str().unwrap()).await;
    let (by_ann, _) = pings(&mut ann, 20).await;
    assert_eq!(by_ann, 20);
    let (by_bot, refused) = pings(&mut bot, 60).await;
    assert!((30..60).contains(&by_bot), "{by_bot} of 60 were answered");
    assert_too_soon(&refused, "user_messages");
    let mut gus = Peer::guest(&server, "gus").await;
    assert_eq!(gus.welcome["limits"]["burst"], 5);
    assert!(pings_at_once(&mut gus, 20).await < 10, "a guest has the default rate");
}
