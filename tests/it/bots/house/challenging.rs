//! Challenges to the server bots.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer};

/// A challenge to a game of Adamas.
pub(super) fn challenge(seats: &[&str]) -> Value {
    json!({"type": "challenge", "rules": "adamas", "seats": seats})
}

/// Sends a challenge to a server bot and returns the bot's answer.
pub(super) async fn answer_to(peer: &mut Peer, request: Value) -> Frame {
    let id = peer.ask(request).await["challenge"].clone();
    peer.next_matching("the house's answer", |frame| {
        frame["type"] == "challenge_closed" && frame["challenge"] == id
    })
    .await
}

/// Returns the reason of a refusal, whose message must contain `words`.
pub(super) fn declined<'a>(answer: &'a Frame, words: &str) -> &'a str {
    let message = answer["message"].as_str().unwrap_or_default();
    assert!(message.contains(words), "{answer}");
    answer["reason"].as_str().unwrap()
}

/// Challenges a server bot and waits until the game has begun.
pub(super) async fn begin(ann: &mut Peer, challenge: Value) -> String {
    let id = ann.ask(challenge).await["challenge"].clone();
    let closed = ann
        .next_matching("the house's answer", |frame| {
            frame["type"] == "challenge_closed" && frame["challenge"] == id
        })
        .await;
    let game = closed["game"].as_str().unwrap().to_owned();
    ann.next_event(&game, "started").await;
    game
}
