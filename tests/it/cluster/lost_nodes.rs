//! Nodes that are killed, paused and started again.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::harness::{Peer, Server, Setup, game};

/// The time without a heartbeat after which a node counts as gone, in milliseconds. Its players are
/// away since its last one.
const NODE_GONE_MS: u64 = 1_500;

/// Waits until a player is shown that another one has left since a time by the node's clock.
async fn shown_away(peer: &mut Peer, game: &str, seat: usize, after: u64) {
    let is_away = |frame: &Value| {
        let shown = &frame["seats"][seat];
        frame["type"] == "presence"
            && frame["game"] == game
            && shown["online"] == false
            && shown["since"].as_u64().map(|since| since + NODE_GONE_MS) >= Some(after)
    };
    peer.next_matching("the other player's absence", is_away).await;
}

async fn now(peer: &mut Peer) -> u64 {
    peer.ask(json!({"type": "ping"})).await["t1"].as_u64().expect("a pong has the time")
}

#[tokio::test]
async fn clients_of_a_killed_node_go_on_at_another() {
    // A player is shown away at once.
    let without_grace = |setup: &mut Setup| setup.set("games", "claim_after_untimed", "1ms");
    let mut server = Server::cluster(3, without_grace).await;
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    let mut bob = Peer::guest_at(server.node(1), "bob").await;
    let mut eve = Peer::guest_at(server.node(1), "eve").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    eve.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 5).await;
    eve.read_up_to(&game, ann.replay(&game).seq()).await;
    let before = now(&mut ann).await;
    server.node_mut(1).kill().await;
    // The node that is left notices without a word of the dead one.
    shown_away(&mut ann, &game, 1, before).await;
    let mut bob = bob.reconnect_to(server.node(2).address()).await;
    let known = eve.replay(&game).seq();
    let mut eve = eve.reconnect_to(server.node(2).address()).await;
    eve.ask(json!({"type": "watch", "game": game, "from": known + 1})).await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 5).await;
    eve.read_up_to(&game, ann.replay(&game).seq()).await;
    assert_eq!(eve.records(&game), ann.records(&game));
    // It comes back, and takes players.
    server.node_mut(1).restart().await;
    let mut bob = bob.reconnect_to(server.node(1).address()).await;
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
}

/// The time for one move in the test of clocks, and how much of it has passed when the node is
/// killed.
const MOVE_MS: u64 = 5_000;
const THOUGHT_MS: u64 = 3_000;

#[tokio::test]
#[ignore = "long"]
async fn a_player_of_a_killed_node_loses_no_time_until_coming_back() {
    // The nodes of the opponent, and at which the player comes back: one that has the game open,
    // one that has not, and the next run of the killed one.
    for (opponent, next) in [(0, 0), (1, 0), (1, 1)] {
        let mut server = Server::cluster(2, |_| {}).await;
        let mut ann = Peer::guest_at(server.node(opponent), "ann").await;
        let mut bob = Peer::guest_at(server.node(1), "bob").await;
        let clock = json!({"clock": {"mode": "per_move", "move_ms": MOVE_MS}});
        let game = game::start(&mut [&mut ann, &mut bob], clock).await;
        game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
        let began = bob.table(&game).last_at();
        sleep(Duration::from_millis(THOUGHT_MS)).await;
        server.node_mut(1).kill().await;
        // Bob's time runs out meanwhile.
        sleep(Duration::from_millis(MOVE_MS - THOUGHT_MS + 2_000)).await;
        if next == 1 {
            server.node_mut(1).restart().await;
        }
        let mut bob = bob.reconnect_to(server.node(next).address()).await;
        let adjusted = bob.next_event(&game, "clock_adjusted").await;
        assert_eq!((&adjusted["seat"], &adjusted["reason"]), (&json!(1), &json!("outage")));
        let by_ms = adjusted["by_ms"].as_u64().expect("a number");
        let passed_ms = adjusted["at"].as_u64().expect("a time") - began;
        assert!((MOVE_MS - THOUGHT_MS + 2_000..passed_ms).contains(&by_ms), "{adjusted}");
        let play = game::move_request(&bob, &game, &game::choose_move(bob.table(&game)));
        let done = bob.ask(play).await;
        bob.read_up_to(&game, done["seq"].as_u64().expect("a number")).await;
        let is_credit = |record: &&String| record.contains("\"reason\":\"outage\"");
        let records = bob.records(&game);
        assert_eq!(records.iter().filter(is_credit).count(), 1, "{records:?}");
    }
}

#[tokio::test]
async fn seeks_of_a_killed_node_end() {
    let mut server = Server::cluster(2, |_| {}).await;
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    let mut bob = Peer::guest_at(server.node(1), "bob").await;
    let seek = json!({"type": "seek", "rules": "adamas", "players": 2});
    ann.ask(json!({"type": "lobby"})).await;
    let id = bob.ask(seek.clone()).await["seek"].clone();
    assert_eq!(ann.next_of("lobby").await["add"][0]["seek"], id);
    server.node_mut(1).kill().await;
    assert_eq!(ann.next_of("lobby").await["remove"], json!([id]));
}

#[tokio::test]
async fn seeks_end_with_all_nodes() {
    let mut server = Server::cluster(1, |_| {}).await;
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    ann.ask(json!({"type": "seek", "rules": "adamas", "players": 2})).await;
    // No node is left that could end the seek.
    server.node_mut(0).kill().await;
    server.node_mut(0).restart().await;
    let mut bob = Peer::guest_at(server.node(0), "bob").await;
    let listed = bob.ask(json!({"type": "lobby"})).await;
    assert_eq!(listed["add"], json!([]), "{listed}");
}

#[tokio::test]
async fn a_paused_node_goes_on_where_the_others_are() {
    let server = Server::cluster(2, |_| {}).await;
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    let mut bob = Peer::guest_at(server.node(1), "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
    let before = now(&mut ann).await;
    server.node(1).pause().await;
    shown_away(&mut ann, &game, 1, before).await;
    // Another session of bob plays on while the node stands still.
    let token = bob.token.clone().expect("a guest has a token");
    let mut other = Peer::with_token_at(server.node(0), &token).await;
    other.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    let known = ann.replay(&game).seq();
    other.read_up_to(&game, known).await;
    game::play_moves(&mut [&mut ann, &mut other], &game, 3).await;
    server.node(1).resume().await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    drop(other);
    game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
    let here = json!([{"seat": 0, "online": true}, {"seat": 1, "online": true}]);
    let seen = ann.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(seen["presence"], here, "the node has noted its players again");
}
