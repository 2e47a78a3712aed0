//! Rematches: requested, declined, between three at the same moment, with a server bot, and over a
//! crash.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, game};

fn rematch(game: &str) -> Value {
    json!({"type": "rematch", "game": game})
}

/// Plays a game that ann resigns.
async fn resigned(peers: &mut [&mut Peer], terms: Value) -> String {
    let game = game::start(peers, terms).await;
    peers[0].ask(json!({"type": "resign", "game": game})).await;
    if peers.len() == 3 {
        peers[1].ask(json!({"type": "resign", "game": game})).await;
    }
    for peer in peers {
        peer.next_event(&game, "ended").await;
    }
    game
}

async fn challenged(peer: &mut Peer, before: &str) -> Frame {
    peer.next_matching("the challenge", |frame| {
        frame["type"] == "challenged" && frame["rematch_of"] == before
    })
    .await
}

async fn closed(peer: &mut Peer, before: &str) -> Frame {
    peer.next_matching("the challenge's end", |frame| {
        frame["type"] == "challenge_closed" && frame["rematch_of"] == before
    })
    .await
}

fn users(created: &Frame) -> Vec<&str> {
    created["seats"].as_array().unwrap().iter().map(|seat| seat["user"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_first_request_challenges_and_the_second_accepts() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut eve = Peer::guest(&server, "eve").await;
    let terms =
        json!({"options": "-size=4 -prog_cap", "clock": {"mode": "days", "per_move_days": 3}});
    let before = game::start(&mut [&mut ann, &mut bob], terms).await;
    ann.refused(rematch(&before), "forbidden").await;
    ann.ask(json!({"type": "resign", "game": before})).await;
    eve.refused(rematch(&before), "not_a_player").await;
    ann.refused(rematch("nothing"), "not_found").await;

    let asked = bob.ask(rematch(&before)).await;
    assert!(asked["challenge"].is_string() && asked["game"].is_null(), "{asked}");
    let told = challenged(&mut ann, &before).await;
    assert_eq!((&told["challenge"], &told["by"]), (&asked["challenge"], &json!("bob")));
    assert_eq!(told["seats"], json!(["bob", "ann"]), "another begins");
    // A repeated request changes nothing.
    let again = bob.ask(rematch(&before)).await;
    assert_eq!((&again["challenge"], &again["dup"]), (&asked["challenge"], &json!(true)));

    let begun = ann.ask(rematch(&before)).await;
    assert_eq!(begun["challenge"], asked["challenge"]);
    let next = begun["game"].as_str().unwrap();
    for peer in [&mut ann, &mut bob] {
        assert_eq!(closed(peer, &before).await["game"], next);
        let created = peer.next_event(next, "created").await;
        assert_eq!(users(&created), ["bob", "ann"]);
        assert_eq!(created["options"], json!({"size": 4, "pieces": 12, "prog_cap": true}));
        assert_eq!(created["clock"], json!({"mode": "days", "per_move_days": 3}));
        // A game has one rematch.
        let again = peer.ask(rematch(&before)).await;
        assert_eq!((&again["game"], &again["dup"]), (&json!(next), &json!(true)));
    }
    // The rematch of a rematch has the first game's seats.
    bob.ask(json!({"type": "abort", "game": next})).await;
    ann.ask(rematch(next)).await;
    assert_eq!(challenged(&mut bob, next).await["seats"], json!(["ann", "bob"]));
}

#[tokio::test]
async fn a_declined_or_cancelled_rematch_can_be_requested_again() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let before = resigned(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(rematch(&before)).await;
    let told = challenged(&mut bob, &before).await;
    bob.ask(json!({"type": "decline", "challenge": told["challenge"], "reason": "later"})).await;
    let off = closed(&mut ann, &before).await;
    assert_eq!((&off["reason"], &off["by"]), (&json!("later"), &json!("bob")));

    let asked = bob.ask(rematch(&before)).await;
    assert_ne!(asked["challenge"], told["challenge"]);
    bob.ask(json!({"type": "cancel", "challenge": asked["challenge"]})).await;
    ann.ask(rematch(&before)).await;
    // A rematch is an ordinary challenge.
    let told = challenged(&mut bob, &before).await;
    let begun = bob.ask(json!({"type": "accept", "challenge": told["challenge"]})).await;
    assert_eq!(ann.ask(rematch(&before)).await["game"], begun["game"]);
}

#[tokio::test]
async fn three_simultaneous_requests_start_one_game() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    for _ in 0..5 {
        let before = resigned(&mut [&mut ann, &mut bob, &mut cy], json!({})).await;
        let mut ask = rematch(&before);
        ask["id"] = json!(format!("once more {before}"));
        for peer in [&mut cy, &mut ann, &mut bob] {
            peer.send(&ask).await;
        }
        let mut games = Vec::new();
        for peer in [&mut ann, &mut bob, &mut cy] {
            let done = peer.next_matching("the reply", |frame| frame["re"] == ask["id"]).await;
            assert_eq!(done["type"], "ok", "{}", peer.recent_frames());
            let game = closed(peer, &before).await["game"].clone();
            let created = peer.next_event(game.as_str().unwrap(), "created").await;
            assert_eq!(users(&created), ["bob", "cy", "ann"]);
            games.push(game);
        }
        games.dedup();
        assert_eq!(games.len(), 1);
        let next = games[0].as_str().unwrap();
        for peer in [&mut ann, &mut bob, &mut cy] {
            assert_eq!(peer.ask(rematch(&before)).await["game"], next);
        }
        ann.ask(json!({"type": "abort", "game": next})).await;
        ann.next_event(next, "aborted").await;
    }
    let live = ann.ask(json!({"type": "games"})).await;
    assert_eq!(live["games"], json!([]));
}

#[tokio::test]
async fn a_crash_neither_loses_nor_doubles_a_rematch() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let before = resigned(&mut [&mut ann, &mut bob], json!({})).await;
    let asked = ann.ask(rematch(&before)).await;
    server.kill().await;
    server.restart().await;
    let mut bob = bob.reconnect(&server).await;
    assert_eq!(challenged(&mut bob, &before).await["challenge"], asked["challenge"]);
    let mut ann = ann.reconnect(&server).await;
    let again = ann.ask(rematch(&before)).await;
    assert_eq!((&again["challenge"], &again["dup"]), (&asked["challenge"], &json!(true)));
    let begun = bob.ask(rematch(&before)).await;
    server.kill().await;
    server.restart().await;
    for peer in [ann, bob] {
        let mut peer = peer.reconnect(&server).await;
        assert_eq!(peer.welcome["challenges"], json!([]));
        assert_eq!(peer.ask(rematch(&before)).await["game"], begun["game"]);
    }
}

#[tokio::test]
async fn a_server_bot_accepts_a_rematch_at_once() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let seats = json!({"type": "challenge", "rules": "hexma", "seats": ["ann", "house"]});
    ann.ask(seats).await;
    let game = ann.next_of("challenge_closed").await["game"].as_str().unwrap().to_owned();
    ann.ask(json!({"type": "resign", "game": game})).await;
    ann.ask(rematch(&game)).await;
    let next = closed(&mut ann, &game).await["game"].clone();
    let created = ann.next_event(next.as_str().unwrap(), "created").await;
    assert_eq!((users(&created), &created["rules"]), (vec!["house", "ann"], &json!("hexma@1")));
}
