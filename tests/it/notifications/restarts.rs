//! Servers that are killed or stopped while notifications wait for their time.

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use tokio::{task::yield_now, time::timeout};

use super::endpoint::{Endpoint, leave};
use crate::harness::{PATIENCE, Peer, Server, Setup, game};

const OK: &str = "HTTP/1.1 200 OK";
const GAMES: usize = 2;

/// Long enough for a server to end before.
fn with_grace(endpoint: &Endpoint, setup: &mut Setup) {
    endpoint.trust(setup);
    setup.set("notifications", "grace", "2s");
}

/// Starts games in which it is bob's turn once he has left. Returns the games in order.
async fn leave_bob_to_move(endpoint: &Endpoint, mut bob: Peer, ann: &mut Peer) -> Vec<String> {
    bob.ask(json!({"type": "webhook_set", "url": endpoint.url("/")})).await;
    let mut games = Vec::new();
    for _ in 0..GAMES {
        games.push(game::start(&mut [ann, &mut bob], json!({})).await);
    }
    leave(bob, ann).await;
    for game in &games {
        let notation = game::choose_move(ann.table(game));
        game::make_move(ann, game, &notation).await;
    }
    games.sort();
    games
}

/// Waits until this many notices are stored.
async fn stored(count: impl Fn() -> String, expected: usize) {
    let waiting = async {
        while count() != expected.to_string() {
            yield_now().await;
        }
    };
    timeout(PATIENCE, waiting).await.expect("the notices are stored");
}

/// Expects a notification of the turn in each game, and of nothing else before a challenge that is
/// made now.
async fn expect_each_once(endpoint: &mut Endpoint, games: &[String], by: &mut Peer) {
    let mut told = Vec::new();
    for _ in games {
        let body = endpoint.next().await.json();
        assert_eq!((&body["type"], &body["user"]), (&json!("your_turn"), &json!("bob")));
        told.push(body["game"].as_str().unwrap().to_owned());
    }
    told.sort();
    assert_eq!(told, games);
    let challenge = json!({"type": "challenge", "rules": "adamas", "seats": ["bob", by.name()]});
    let challenge = by.ask(challenge).await["challenge"].clone();
    let body: Value = endpoint.next().await.json();
    assert_eq!(body["challenge"], challenge, "{body}");
}

#[tokio::test]
async fn a_notification_outlives_its_server() {
    for is_killed in [true, false] {
        let mut endpoint = Endpoint::answering(OK).await;
        let mut server = Server::embedded(|setup| with_grace(&endpoint, setup)).await;
        let bob = Peer::account(&server, "bob").await;
        let mut ann = Peer::guest(&server, "ann").await;
        let games = leave_bob_to_move(&endpoint, bob, &mut ann).await;
        if is_killed {
            let database = server.data().join("adamant.db");
            let database =
                Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
            let count = "SELECT count(*) FROM notices";
            let count = || database.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap();
            stored(|| count().to_string(), GAMES).await;
            server.kill().await;
        } else {
            server.stop().await;
        }
        assert!(endpoint.is_unused(), "no notification is sent yet");
        server.restart().await;
        let mut eve = Peer::guest(&server, "eve").await;
        expect_each_once(&mut endpoint, &games, &mut eve).await;
    }
}

#[tokio::test]
async fn a_notification_outlives_its_node() {
    for is_killed in [true, false] {
        let mut endpoint = Endpoint::answering(OK).await;
        let mut server = Server::cluster(2, |setup| with_grace(&endpoint, setup)).await;
        // The first node.
        let bob = Peer::account(&server, "bob").await;
        let mut ann = Peer::guest_at(server.node(1), "ann").await;
        let games = leave_bob_to_move(&endpoint, bob, &mut ann).await;
        if is_killed {
            stored(|| server.sql("SELECT count(*) FROM notices"), GAMES).await;
            server.node_mut(1).kill().await;
        } else {
            server.node(1).terminate().await;
            server.node_mut(1).wait().await;
        }
        let mut eve = Peer::guest_at(server.node(0), "eve").await;
        expect_each_once(&mut endpoint, &games, &mut eve).await;
        stored(|| server.sql("SELECT count(*) FROM notices"), 0).await;
    }
}
