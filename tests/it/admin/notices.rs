//! Notices, and planned restarts.

use serde_json::json;

use super::operator::{govern, is_refused};
use crate::harness::{Peer, Server, game};

#[tokio::test]
async fn a_notice_reaches_all_or_one_on_every_node() {
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let sent = govern(&server, &["notice", "user", "bob", "only you"]).await;
    assert_eq!(sent["is_connected"], true);
    govern(&server, &["notice", "all", "hello everybody"]).await;
    let to_bob = bob.next_of("notice").await;
    assert_eq!(
        to_bob,
        json!({"type": "notice", "what": "message", "in_ms": 0, "text": "only you"})
    );
    for peer in [&mut ann, &mut bob] {
        let notice = peer.next_of("notice").await;
        assert_eq!(
            (&notice["what"], &notice["text"]),
            (&json!("message"), &json!("hello everybody"))
        );
    }
    assert!(is_refused(&server, &["notice", "user", "nobody2", "x"]).await.contains("no user"));
}

#[tokio::test]
async fn from_the_time_of_a_planned_restart_no_game_begins_and_games_go_on() {
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let begun = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    govern(&server, &["maintenance", "plan", "--in", "1h", "new version"]).await;
    for peer in [&mut ann, &mut bob] {
        let notice = peer.next_of("notice").await;
        assert_eq!(
            (&notice["what"], &notice["text"]),
            (&json!("maintenance"), &json!("new version"))
        );
        let in_ms = notice["in_ms"].as_u64().unwrap();
        assert!((3_500_000..=3_600_000).contains(&in_ms), "{in_ms}");
    }
    game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let mut cy = Peer::guest(&server, "cy").await;
    assert_eq!(cy.next_of("notice").await["what"], "maintenance", "who comes later is told, too");

    govern(&server, &["maintenance", "plan", "--in", "0s", "now"]).await;
    for peer in [&mut ann, &mut bob] {
        while peer.next_of("notice").await["text"] != "now" {}
        let seek = json!({"type": "seek", "rules": "diam"});
        let refused = peer.request(seek).await;
        assert_eq!(
            (&refused["code"], &refused["message"]),
            (&json!("maintenance"), &json!("no new games: now"))
        );
    }
    game::play_moves(&mut [&mut ann, &mut bob], &begun, 2).await;

    govern(&server, &["maintenance", "cancel", "--reason", "not needed"]).await;
    for peer in [&mut ann, &mut bob] {
        while peer.next_of("notice").await["what"] != "maintenance_cancelled" {}
    }
    game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let shown = govern(&server, &["maintenance", "show"]).await;
    assert_eq!(shown["planned"], false);
}

#[tokio::test]
async fn the_planned_restart_of_a_server_ends_its_maintenance() {
    let mut server = Server::embedded(|_| {}).await;
    govern(&server, &["maintenance", "plan", "--in", "0s", "now"]).await;
    server.stop().await;
    server.restart().await;
    assert_eq!(govern(&server, &["maintenance", "show"]).await["planned"], false);
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    game::start(&mut [&mut ann, &mut bob], json!({})).await;
}
