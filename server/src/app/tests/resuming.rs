//! Clients that come back while the server reads many games.

use std::{
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use futures::FutureExt as _;
use serde_json::json;
use tokio::time::Instant;

use super::node::TestNode;
use crate::limits::REPLAYS_WAITING_MAX;

/// Our clients give up on a connection that has no welcome after this time.
const CLIENTS_WAIT: Duration = Duration::from_secs(10);

/// Takes all places for reading games of a node, until the sender is dropped.
fn occupy(node: &TestNode) -> mpsc::Sender<()> {
    let (go_on, waits) = mpsc::channel();
    let waits = Arc::new(Mutex::new(waits));
    for _ in 0..REPLAYS_WAITING_MAX {
        let waits = Arc::clone(&waits);
        let work = move || waits.lock().unwrap().recv().is_err();
        // Work that has begun goes on; the rest would only wait.
        drop(node.services.rooms.work(None, work).now_or_never());
    }
    go_on
}

#[tokio::test]
async fn a_hello_whose_games_cannot_be_read_in_time_is_sent_again() {
    let ([one, two], _store) = TestNode::pair().await;
    let ((mut ann, token), (mut bob, _)) = (one.guest("ann").await, one.guest("bob").await);
    let challenge = json!({"type": "challenge", "rules": "diam", "seats": ["ann", "bob"]});
    let challenge = ann.ask(challenge).await["challenge"].clone();
    let accept = json!({"type": "accept", "challenge": challenge});
    let game = bob.ask(accept).await["game"].as_str().unwrap().to_owned();

    // The other node has the game only in its store.
    let go_on = occupy(&two);
    let player = json!({"type": "hello", "proto": [1], "auth": {"token": token}});
    let spectator = json!({"type": "hello", "proto": [1], "auth": {"guest": "cy"},
        "resume": {&game: {"seq": 1}}});
    let (mut again, mut cy) = (two.connect().await, two.connect().await);
    again.send(player.clone()).await;
    cy.send(spectator.clone()).await;
    let sent = Instant::now();
    assert_eq!(tokio::join!(again.closed(), cy.closed()), (1012, 1012));
    assert!(sent.elapsed() < CLIENTS_WAIT, "{:?}", sent.elapsed());

    drop(go_on);
    let welcome = two.connect().await.ask(player).await;
    assert_eq!(welcome["games"][0]["game"], json!(game), "{welcome}");
    // Nobody has been told the token of a guest, so there is none yet.
    let welcome = two.connect().await.ask(spectator).await;
    assert_eq!(welcome["type"], "welcome", "{welcome}");
}
