//! Talk between nodes when announcements are lost.

use serde_json::{Value, json};

use crate::harness::{Peer, Server, game};

fn say(game: &str, text: &str) -> Value {
    json!({"type": "say", "game": game, "room": "players", "text": text})
}

/// Ends the connections of the second node to the database while it stands still: it does not
/// listen until it goes on.
async fn deafen_second(server: &Server) {
    server.node(1).pause().await;
    let end = "SELECT count(pg_terminate_backend(pid, 10000)) > 0 FROM pg_stat_activity
        WHERE application_name = 'adamant/n2' AND datname = current_database()";
    assert_eq!(server.sql(end), "t");
}

#[tokio::test]
async fn what_is_said_and_deleted_while_a_node_does_not_listen_reaches_its_clients() {
    let server = Server::cluster(2, |_| {}).await;
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    let mut bob = Peer::guest_at(server.node(1), "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(say(&game, "heard")).await;
    ann.ask(say(&game, "heard as well")).await;
    for text in ["heard", "heard as well"] {
        assert_eq!(bob.next_of("said").await["text"], text);
    }
    deafen_second(&server).await;
    for text in ["missed", "deleted at once"] {
        ann.ask(say(&game, text)).await;
    }
    for n in [1, 4] {
        ann.ask(json!({"type": "unsay", "game": game, "room": "players", "n": n})).await;
    }
    server.node(1).resume().await;
    assert_eq!(bob.next_of("said").await["text"], "missed");
    assert_eq!(bob.next_of("unsaid").await["n"], 1);
    ann.ask(say(&game, "and now?")).await;
    // Each line arrives once, and a deleted one not at all.
    assert_eq!(bob.next_of("said").await["text"], "and now?");
}

#[tokio::test]
async fn what_a_killed_node_did_not_announce_reaches_the_clients_of_the_others() {
    let mut server = Server::cluster(2, |_| {}).await;
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    let mut bob = Peer::guest_at(server.node(1), "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let n = bob.ask(say(&game, "heard")).await["n"].clone();
    assert_eq!(ann.next_of("said").await["n"], n);
    // The node stores a line and dies before it announces it.
    server.sql(
        "INSERT INTO talk (game, room, n, at, said_by, author, req, text)
         SELECT game, room, n + 1, at + 1, said_by, author, 'lost', 'my last words' FROM talk",
    );
    server.node_mut(1).kill().await;
    assert_eq!(ann.next_of("said").await["text"], "my last words");
    assert_eq!(ann.ask(say(&game, "bob?")).await["n"], 3);
    assert_eq!(ann.next_of("said").await["text"], "bob?");
}
