//! Watching a game: every client ends with the same record, whenever and however it joined.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, game};

/// Returns the events of a game in the order in which a peer received them.
fn events<'a>(peer: &'a Peer, game: &'a str) -> impl Iterator<Item = &'a Frame> {
    peer.frames().filter(move |frame| frame["type"] == "event" && frame["game"] == game)
}

/// Checks that each event follows the one before it, in number and in time.
fn assert_in_order(peer: &Peer, game: &str, first: u64) {
    let (mut seq, mut at) = (first, 0);
    for event in events(peer, game) {
        assert_eq!(event["seq"], seq, "{}", peer.recent_frames());
        assert!(event["at"].as_u64().unwrap() >= at, "time went back: {event}");
        at = event["at"].as_u64().unwrap();
        seq += 1;
    }
}

/// Checks that a mover receives the reply before the event.
fn assert_replies_come_first(peer: &Peer, game: &str) -> usize {
    let mut moves = 0;
    for ok in peer.frames().filter(|frame| frame["type"] == "ok" && frame["seq"].is_u64()) {
        let place = |wanted: &Frame| peer.frames().position(|frame| frame == wanted).unwrap();
        let event = events(peer, game).find(|event| event["seq"] == ok["seq"]).unwrap();
        assert!(place(ok) < place(event), "{}", peer.recent_frames());
        assert_eq!(event["req"], ok["re"]);
        assert_eq!(event["turn"], ok["turn"]);
        moves += 1;
    }
    moves
}

fn assert_ends_like(peer: &Peer, game: &str, last: &Frame) {
    let heard = events(peer, game).last().unwrap();
    for fact in ["seq", "hash", "chain"] {
        assert_eq!(heard[fact], last[fact], "{}", peer.recent_frames());
    }
}

#[tokio::test]
async fn players_and_spectators_receive_the_same_game() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;

    game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
    let mut by_snapshot = Peer::anonymous(&server).await;
    let snapshot = by_snapshot.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["type"], "snapshot");
    assert_eq!(snapshot["seq"], ann.replay(&game).seq());
    assert_eq!(snapshot["chain"], ann.replay(&game).chain().to_string());
    let moves: Vec<&str> = ann.table(&game).moves().collect();
    assert_eq!(snapshot["moves"], json!(moves));
    let online: Vec<&Value> = snapshot["presence"].as_array().unwrap().iter().collect();
    assert!(online.iter().all(|seat| seat["online"] == true), "{snapshot}");

    let mut from_start = Peer::guest(&server, "cy").await;
    let ok = from_start.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    assert_eq!(ok["seq"], snapshot["seq"]);

    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    let last = events(&ann, &game).last().unwrap().clone();
    assert_eq!(last["kind"], "ended");
    let end = last["seq"].as_u64().unwrap();

    let mut late = Peer::guest(&server, "dan").await;
    late.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    let mut last_state = Peer::anonymous(&server).await;
    let state = last_state.ask(json!({"type": "watch", "game": game})).await;
    for fact in ["seq", "hash", "chain"] {
        assert_eq!(state[fact], last[fact]);
    }
    assert_eq!(state["result"]["reason"], last["reason"]);
    assert_eq!(state["result"]["winners"], last["winners"]);

    by_snapshot.next_event(&game, "ended").await;
    for peer in [&mut from_start, &mut late] {
        peer.read_up_to(&game, end).await;
        assert_eq!(peer.records(&game), ann.records(&game));
    }
    assert_eq!(bob.records(&game), ann.records(&game));
    for peer in [&ann, &bob, &from_start, &late] {
        assert_in_order(peer, &game, 1);
        assert_ends_like(peer, &game, &last);
    }
    assert_in_order(&by_snapshot, &game, snapshot["seq"].as_u64().unwrap() + 1);
    assert_ends_like(&by_snapshot, &game, &last);
    let moves = assert_replies_come_first(&ann, &game) + assert_replies_come_first(&bob, &game);
    assert_eq!(moves, ann.table(&game).moves().count());

    // The peers have replayed all events: their computed position equals the server's.
    assert_eq!(json!(format!("{:016x}", late.table(&game).hash())), last["hash"]);
    assert!(late.table(&game).outcome().is_some());
}

#[tokio::test]
async fn unwatch_stops_events() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let watch = json!({"type": "watch", "game": game});
    cy.ask(watch.clone()).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    cy.next_event(&game, "moved").await;
    let seen = ann.ask(watch.clone()).await;
    assert_eq!(seen["spectators"], 1);

    cy.ask(json!({"type": "unwatch", "game": game})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    assert!(!cy.has_received(|frame| frame["type"] == "event").await, "{}", cy.recent_frames());
    assert_eq!(ann.ask(watch).await["spectators"], 0);
    cy.refused(json!({"type": "watch", "game": "nosuchgame"}), "not_found").await;
    cy.refused(json!({"type": "unwatch", "game": "nosuchgame"}), "not_found").await;
}

#[tokio::test]
async fn spectators_are_named_only_by_choice() {
    let server = Server::one_node(|_| {}).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let watch = json!({"type": "watch", "game": game});
    let named = json!({"type": "watch", "game": game, "named": true});
    let mut shy = Peer::guest(&server, "shy").await;
    shy.ask(watch.clone()).await;
    let mut cy = Peer::guest(&server, "cy").await;
    cy.ask(named.clone()).await;
    let mut also_cy = Peer::with_token(&server, &cy.token.clone().unwrap()).await;
    also_cy.ask(named.clone()).await;
    let mut anonymous = Peer::anonymous(&server).await;
    anonymous.ask(named).await;
    let mut dan = Peer::connect(server.address()).await;
    let hello = json!({"auth": {"guest": "dan"}, "caps": ["named"]});
    dan.hello(hello).await;
    dan.ask(watch.clone()).await;

    let seen = ann.ask(watch.clone()).await;
    assert_eq!((&seen["spectators"], &seen["spectator_names"]), (&json!(4), &json!(["cy", "dan"])));
    dan.ask(json!({"type": "watch", "game": game, "named": false})).await;
    let seen = ann.ask(watch).await;
    assert_eq!((&seen["spectators"], &seen["spectator_names"]), (&json!(4), &json!(["cy"])));
}

#[tokio::test]
async fn the_watched_games_of_a_session_are_limited() {
    let server = Server::start().await;
    let mut games = Vec::new();
    for pair in [["ann", "bob"], ["cy", "dan"]] {
        let mut one = Peer::guest(&server, pair[0]).await;
        let mut other = Peer::guest(&server, pair[1]).await;
        for _ in 0..129 {
            games.push(game::start(&mut [&mut one, &mut other], json!({})).await);
        }
    }
    let mut eve = Peer::anonymous(&server).await;
    let max = usize::try_from(eve.welcome["limits"]["watched_games"].as_u64().unwrap()).unwrap();
    for game in &games[..max] {
        eve.ask(json!({"type": "watch", "game": game})).await;
    }
    let refused = eve.refused(json!({"type": "watch", "game": games[max]}), "rate_limited").await;
    assert_eq!(refused["limit"], "watched_games");
    // A watched game can be watched again, and an unwatched one makes room.
    eve.ask(json!({"type": "watch", "game": games[0]})).await;
    eve.ask(json!({"type": "unwatch", "game": games[1]})).await;
    eve.ask(json!({"type": "watch", "game": games[max]})).await;
}
