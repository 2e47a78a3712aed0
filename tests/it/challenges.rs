//! Challenges: accepted, declined, cancelled, between three, refused, and kept over a restart.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server};

fn challenge(seats: &[&str]) -> Value {
    json!({"type": "challenge", "rules": "adamas", "seats": seats})
}

fn about(kind: &str, challenge: &Value) -> Value {
    json!({"type": kind, "challenge": challenge})
}

async fn challenged(peer: &mut Peer, id: &Value) -> Frame {
    peer.next_matching("the challenge", |frame| {
        frame["type"] == "challenged" && frame["challenge"] == *id
    })
    .await
}

async fn closed(peer: &mut Peer, id: &Value) -> Frame {
    peer.next_matching("the challenge's end", |frame| {
        frame["type"] == "challenge_closed" && frame["challenge"] == *id
    })
    .await
}

#[tokio::test]
async fn an_accepted_challenge_is_a_game_on_the_terms_offered() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    // Names are found in any spelling and told in their owner's.
    let mut request = challenge(&["BOB", "ann"]);
    request["options"] = json!("-size=4 -prog_cap");
    request["clock"] = json!({"mode": "per_move", "move_ms": 60_000});
    let id = ann.ask(request).await["challenge"].clone();
    let told = challenged(&mut bob, &id).await;
    assert_eq!((&told["by"], &told["seats"]), (&json!("ann"), &json!(["bob", "ann"])));
    assert_eq!(told["options"], json!({"size": 4, "pieces": 12, "prog_cap": true}));
    assert_eq!(told["accepted"], json!(["ann"]));
    ann.refused(about("accept", &id), "forbidden").await;
    cy.refused(about("accept", &id), "forbidden").await;
    cy.refused(about("decline", &id), "forbidden").await;
    bob.refused(about("cancel", &id), "forbidden").await;

    let game = bob.ask(about("accept", &id)).await["game"].clone();
    let name = game.as_str().unwrap();
    for peer in [&mut ann, &mut bob] {
        assert_eq!(closed(peer, &id).await["game"], game);
        let created = peer.next_event(name, "created").await;
        assert_eq!(created["seats"][0]["user"], "bob");
        assert_eq!((&created["options"], &created["clock"]), (&told["options"], &told["clock"]));
        peer.next_event(name, "started").await;
    }
    for kind in ["accept", "decline"] {
        bob.refused(about(kind, &id), "not_found").await;
    }
    ann.refused(about("cancel", &id), "not_found").await;
}

#[tokio::test]
async fn a_challenge_is_declined_with_a_reason_or_cancelled() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let id = ann.ask(challenge(&["ann", "bob"])).await["challenge"].clone();
    challenged(&mut bob, &id).await;
    let decline = json!({"type": "decline", "challenge": id, "reason": "too_fast"});
    let mut unreasoned = decline.clone();
    unreasoned["reason"] = json!("because");
    bob.refused(unreasoned, "bad_message").await;
    bob.ask(decline).await;
    for peer in [&mut ann, &mut bob] {
        let told = closed(peer, &id).await;
        assert_eq!((&told["reason"], &told["by"]), (&json!("too_fast"), &json!("bob")));
        assert_eq!(told.get("game"), None);
    }

    let id = ann.ask(challenge(&["ann", "bob"])).await["challenge"].clone();
    challenged(&mut bob, &id).await;
    ann.ask(about("cancel", &id)).await;
    for peer in [&mut ann, &mut bob] {
        let told = closed(peer, &id).await;
        assert_eq!((&told["reason"], &told["by"]), (&json!("cancelled"), &json!("ann")));
    }
    bob.refused(about("accept", &id), "not_found").await;
}

#[tokio::test]
async fn three_must_all_agree() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    let id = ann.ask(challenge(&["cy", "ann", "bob"])).await["challenge"].clone();
    challenged(&mut cy, &id).await;
    challenged(&mut bob, &id).await;
    let ok = bob.ask(about("accept", &id)).await;
    assert_eq!(ok.get("game"), None, "{ok}");
    let told = challenged(&mut cy, &id).await;
    assert_eq!(told["accepted"], json!(["ann", "bob"]));
    bob.refused(about("accept", &id), "forbidden").await;
    let game = cy.ask(about("accept", &id)).await["game"].as_str().unwrap().to_owned();
    for peer in [&mut ann, &mut bob, &mut cy] {
        assert_eq!(peer.next_event(&game, "created").await["seats"][0]["user"], "cy");
        peer.next_event(&game, "started").await;
    }

    // One who declines ends it for all.
    let id = ann.ask(challenge(&["cy", "ann", "bob"])).await["challenge"].clone();
    bob.ask(about("accept", &id)).await;
    cy.ask(about("decline", &id)).await;
    for peer in [&mut ann, &mut bob, &mut cy] {
        let told = closed(peer, &id).await;
        assert_eq!((&told["reason"], &told["by"]), (&json!("generic"), &json!("cy")));
    }
}

#[tokio::test]
async fn a_challenge_that_cannot_be_meant_is_refused() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let _bob = Peer::guest(&server, "bob").await;
    let _cy = Peer::guest(&server, "cy").await;
    let mut nobody = Peer::nobody(&server).await;
    ann.refused(challenge(&["ann", "stranger"]), "not_found").await;
    ann.refused(challenge(&["ann", "ann"]), "bad_message").await;
    ann.refused(challenge(&["ann", "bob", "Bob"]), "bad_message").await;
    ann.refused(challenge(&["bob", "cy"]), "bad_message").await;
    ann.refused(challenge(&["ann"]), "bad_message").await;
    ann.refused(challenge(&["ann", "not a name"]), "bad_message").await;
    nobody.refused(challenge(&["ann", "bob"]), "forbidden").await;
    let mut other = challenge(&["ann", "bob"]);
    other["rules"] = json!("ludo");
    ann.refused(other, "not_found").await;
    let mut other = challenge(&["ann", "bob"]);
    other["rules"] = json!("adamas@99");
    ann.refused(other, "not_found").await;
    for kind in ["accept", "decline", "cancel"] {
        ann.refused(about(kind, &json!("h_0")), "not_found").await;
    }
}

#[tokio::test]
async fn a_challenge_waits_for_who_is_away_and_survives_a_restart() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    let (ann_token, bob_token) = (ann.token.clone().unwrap(), bob.token.clone().unwrap());
    bob.leave().await;
    let id = ann.ask(challenge(&["ann", "bob", "cy"])).await["challenge"].clone();
    cy.ask(about("accept", &id)).await;
    let dropped = ann.ask(challenge(&["bob", "ann"])).await["challenge"].clone();
    ann.ask(about("cancel", &dropped)).await;

    server.kill9().await;
    server.restart().await;
    let mut ann = Peer::with_token(&server, &ann_token).await;
    assert_eq!(ann.welcome["challenges"], json!([{"challenge": id, "by": "ann"}]));
    let mut bob = Peer::with_token(&server, &bob_token).await;
    assert_eq!(bob.welcome["challenges"], json!([{"challenge": id, "by": "ann"}]));
    let told = challenged(&mut bob, &id).await;
    assert_eq!(told["accepted"], json!(["ann", "cy"]));
    let game = bob.ask(about("accept", &id)).await["game"].as_str().unwrap().to_owned();
    ann.next_event(&game, "started").await;
    // Who was away when it began finds it on coming back.
    let mut cy = cy.reconnect(&server).await;
    assert_eq!(cy.welcome["games"][0]["game"], game);
    assert_eq!(cy.welcome["challenges"], json!([]));
    cy.next_of("snapshot").await;
}
