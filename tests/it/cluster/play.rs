//! Games whose players and spectators are connected to different nodes.

use serde_json::{Value, json};

use crate::harness::{Frame, Metrics, Peer, Server, game};

/// A game of ann on the first node and bob on the second.
async fn start_two(server: &Server) -> (Peer, Peer, String) {
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    let mut bob = Peer::guest_at(server.node(1), "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    (ann, bob, game)
}

/// Waits until a client is shown whether a seat is present.
async fn next_presence(peer: &mut Peer, game: &str, seat: usize, online: bool) -> Value {
    let frame = peer.next_matching("presence", |frame| {
        frame["type"] == "presence"
            && frame["game"] == game
            && frame["seats"][seat]["online"] == online
    });
    frame.await["seats"][seat].clone()
}

#[tokio::test]
async fn all_nodes_show_every_move_of_a_game() {
    let server = Server::cluster(3, |_| {}).await;
    let (mut ann, mut bob, game) = start_two(&server).await;
    let mut eve = Peer::guest_at(server.node(2), "eve").await;
    eve.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    eve.next_event(&game, "ended").await;
    for peer in [&bob, &eve] {
        assert_eq!(peer.records(&game), ann.records(&game));
    }
}

#[tokio::test]
async fn players_on_different_nodes_talk_and_play_again() {
    let server = Server::cluster(3, |_| {}).await;
    let (mut ann, mut bob, game) = start_two(&server).await;
    let mut eve = Peer::guest_at(server.node(2), "eve").await;
    eve.ask(json!({"type": "watch", "game": game})).await;
    ann.ask(json!({"type": "say", "game": game, "room": "players", "text": "hello"})).await;
    let said = bob.next_of("said").await;
    assert_eq!((&said["by"], &said["text"]), (&json!("ann"), &json!("hello")));
    let talk = json!({"type": "talk", "game": game, "room": "players"});
    let listed = bob.ask(talk).await;
    assert_eq!(listed["lines"][0]["text"], "hello", "{listed}");
    bob.ask(json!({"type": "resign", "game": game})).await;
    ann.next_event(&game, "ended").await;
    eve.next_event(&game, "ended").await;
    ann.ask(json!({"type": "rematch", "game": game})).await;
    let offered = bob.next_of("challenged").await;
    assert_eq!(offered["rematch_of"], json!(game));
    let begun = bob.ask(json!({"type": "rematch", "game": game})).await;
    let next = begun["game"].as_str().expect("both want it").to_owned();
    for peer in [&mut ann, &mut bob] {
        peer.next_event(&next, "started").await;
    }
    // The players have changed sides.
    game::play_moves(&mut [&mut bob, &mut ann], &next, 4).await;
}

#[tokio::test]
async fn a_player_on_another_node_is_present_and_one_who_left_can_be_claimed() {
    let server = Server::cluster(3, |setup| {
        setup.set("games", "claim_after", "300ms");
        setup.set("games", "claim_after_untimed", "300ms");
    })
    .await;
    let (mut ann, mut bob, game) = start_two(&server).await;
    let claim = json!({"type": "claim", "game": game, "what": "abandoned"});
    game::play_moves(&mut [&mut ann, &mut bob], &game, 3).await;
    ann.refused(claim.clone(), "forbidden").await;
    let mut eve = Peer::guest_at(server.node(2), "eve").await;
    let seen = eve.ask(json!({"type": "watch", "game": game})).await;
    let all_here = json!([{"seat": 0, "online": true}, {"seat": 1, "online": true}]);
    assert_eq!(seen["presence"], all_here, "a room that opens elsewhere knows them");

    bob.disconnect();
    for peer in [&mut ann, &mut eve] {
        next_presence(peer, &game, 1, false).await;
    }
    let back = bob.reconnect_to(server.node(2).address()).await;
    for peer in [&mut ann, &mut eve] {
        next_presence(peer, &game, 1, true).await;
    }
    ann.refused(claim.clone(), "forbidden").await;
    drop(back);
    let claim_at = loop {
        let away = next_presence(&mut ann, &game, 1, false).await;
        if let Some(claim_at) = away["claim_at"].as_u64() {
            break claim_at;
        }
    };
    assert!(claim_at > 0);
    // The claim counts from the absence, which every node knows.
    let mut claimed = ann.request(claim.clone()).await;
    while claimed["code"] == "too_soon" {
        claimed = ann.request(claim.clone()).await;
    }
    assert_eq!(claimed["type"], "ok", "{claimed}");
    eve.next_event(&game, "ended").await;
}

#[tokio::test]
async fn spectators_of_all_nodes_are_counted() {
    let server = Server::cluster(3, |_| {}).await;
    let (mut ann, _bob, game) = start_two(&server).await;
    let watch = json!({"type": "watch", "game": game});
    let mut watching = Vec::new();
    for index in 0..3 {
        let mut peer = Peer::guest_at(server.node(index), &format!("eve{index}")).await;
        peer.ask(watch.clone()).await;
        watching.push(peer);
    }
    let three = |frame: &Value| frame["type"] == "presence" && frame["spectators"] == 3;
    ann.next_matching("three spectators", three).await;
}

#[tokio::test]
async fn moves_reach_another_node_without_a_read() {
    let server = Server::cluster(2, |_| {}).await;
    let (mut ann, mut bob, game) = start_two(&server).await;
    // Both rooms are open from here on.
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let followed = async || {
        let mut followed = [0; 2];
        for node in 0..2 {
            let metrics = Metrics::fetch_at(server.node(node).address()).await;
            for (sum, from) in followed.iter_mut().zip(["announcement", "journal"]) {
                let name = format!("adamant_followed_records_total{{from=\"{from}\"}}");
                *sum += metrics.value(&name);
            }
        }
        followed
    };
    let before = followed().await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 6).await;
    let after = followed().await;
    assert_eq!([after[0] - before[0], after[1] - before[1]], [6, 0]);
}

#[tokio::test]
async fn live_lists_have_the_games_of_all_nodes() {
    let server = Server::cluster(3, |_| {}).await;
    let mut eve = Peer::guest_at(server.node(2), "eve").await;
    let empty = eve.ask(json!({"type": "live"})).await;
    assert_eq!(empty["add"], json!([]));
    let (mut ann, mut bob, game) = start_two(&server).await;
    let lists = |frame: &Frame, ply: u64| {
        let added = frame["add"].as_array().into_iter().flatten();
        frame["type"] == "live"
            && added.map(|live| &live["entry"]).any(|entry| {
                entry["game"] == game.as_str() && entry["ply"].as_u64().unwrap() >= ply
            })
    };
    eve.next_matching("the new game", |frame| lists(frame, 0)).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    eve.next_matching("the moves", |frame| lists(frame, 2)).await;
    ann.ask(json!({"type": "resign", "game": game})).await;
    eve.next_matching("the end", |frame| frame["remove"] == json!([game])).await;
}
