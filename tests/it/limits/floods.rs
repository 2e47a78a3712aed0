//! Too many sockets, requests and pings.

use serde_json::{Value, json};

use crate::harness::raw_socket::{FINAL, PING, RawSocket, TEXT, frame};
use crate::harness::{Peer, Server, game};

/// The most sockets of one address.
const CAP: i64 = 100;

#[tokio::test]
async fn the_sockets_of_an_address_are_limited() {
    let server = Server::with(|setup| {
        setup.set("limits", "connections_per_address", CAP);
    })
    .await;
    let mut inside = Vec::new();
    for _ in 0..CAP {
        inside.push(RawSocket::greeted(server.address()).await);
    }
    for _ in 0..CAP {
        let (_, answer) = RawSocket::upgrade_with(server.address(), "").await;
        assert_eq!(answer.status, 429, "{answer:?}");
        let seconds: u64 =
            answer.header("retry-after").expect("when to come back").parse().unwrap();
        let problem = answer.json();
        assert_eq!(problem["code"], "rate_limited");
        assert_eq!(problem["retry_after_ms"], seconds * 1_000);
    }
    for wire in &mut inside {
        wire.text(r#"{"type":"ping","id":"p"}"#).await;
        assert_eq!(wire.next_json().await.expect("a pong")["re"], "p");
    }
}

#[tokio::test]
async fn a_flood_is_rejected_then_closed_and_others_play_on() {
    let server = Server::with(|setup| {
        setup.set("limits", "messages_burst", 40);
        setup.set("limits", "messages_per_s", 10);
    })
    .await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let flood = async {
        let mut eve = RawSocket::greeted(server.address()).await;
        let watch = json!({"type": "watch", "id": "w", "game": game}).to_string();
        let ping = frame(FINAL | TEXT, br#"{"type":"ping","id":"p"}"#);
        eve.write(&[frame(FINAL | TEXT, watch.as_bytes()), ping.repeat(1_000)].concat()).await;
        let (mut answered, mut refused) = (0, Vec::<Value>::new());
        while let Some(reply) = eve.next_json().await {
            match reply["type"].as_str() {
                Some("pong") => answered += 1,
                Some("error") => refused.push(reply),
                _ => {}
            }
        }
        assert!((30..100).contains(&answered), "{answered} were answered");
        assert!(refused.len() >= 100, "{} were refused", refused.len());
        for refusal in &refused {
            assert_eq!(refusal["code"], "rate_limited");
            assert_eq!(refusal["retry"], "after");
            let wait = refusal["retry_after_ms"].as_u64().expect("when to try again");
            assert!((1..=1_000).contains(&wait), "{refusal}");
        }
        eve.close_code().await
    };
    let mut players = [&mut ann, &mut bob];
    let (code, ()) = tokio::join!(flood, game::play_moves(&mut players, &game, 40));
    assert_eq!(code, Some(4005));
}

#[tokio::test]
async fn pings_count_as_frames() {
    let server = Server::with(|setup| {
        setup.set("limits", "messages_burst", 40);
        setup.set("limits", "messages_per_s", 10);
    })
    .await;
    let mut eve = RawSocket::greeted(server.address()).await;
    eve.write(&frame(FINAL | PING, b"").repeat(1_000)).await;
    assert_eq!(eve.close_code().await, Some(4005));
}
