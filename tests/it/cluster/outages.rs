//! Requests while the database is away.

use std::time::Duration;

use futures::future::join_all;
use postgres_fixture::Cluster;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::harness::{Peer, Server, Setup, game};

/// What the documents promise, and what a busy machine adds.
const ANSWERED_WITHIN: Duration = Duration::from_secs(11);

/// Sends a request that must be refused, with the code that asks to send it again, in time.
async fn fails_in_time(peer: &mut Peer, request: Value) {
    let sent = Instant::now();
    let answer = peer.request(request.clone()).await;
    // Few lists are read at a time, also of what a user has.
    let codes = if request["type"] == "move" { ["internal"; 2] } else { ["internal", "busy"] };
    assert!(codes.iter().any(|code| answer["code"] == *code), "{request}: {answer}");
    let took = sent.elapsed();
    assert!(took < ANSWERED_WITHIN, "{request}: {} ms", took.as_millis());
}

#[tokio::test]
#[ignore = "long"]
async fn requests_fail_in_time_while_no_standby_is_left() {
    let database = Cluster::start(2);
    let url = database.url(&database.create_database());
    let server = Server::on_database(1, Setup::default(), &url).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    let mut others = Vec::new();
    for name in ["cy", "dan", "eve", "fay"] {
        others.push(Peer::guest(&server, name).await);
    }
    for standby in &database.servers()[1..] {
        standby.kill();
    }
    let turn = game::move_request(&bob, &game, &game::choose_move(bob.table(&game)));
    let requests = [
        turn.clone(),
        json!({"type": "seek", "rules": "diam"}),
        json!({"type": "games"}),
        json!({"type": "challenge", "rules": "diam", "seats": ["eve", "ann"]}),
        json!({"type": "challenge", "rules": "diam", "seats": ["fay", "ann"]}),
    ];
    let peers = [&mut bob].into_iter().chain(&mut others);
    join_all(peers.zip(requests).map(|(peer, request)| fails_in_time(peer, request))).await;
    // Once it is known that the database is away, nobody waits for long.
    let sent = Instant::now();
    fails_in_time(&mut others[0], json!({"type": "seek", "rules": "diam"})).await;
    assert!(sent.elapsed() < ANSWERED_WITHIN / 2, "{} ms", sent.elapsed().as_millis());
    for standby in &database.servers()[1..] {
        standby.start();
    }
    // The move may have been stored; its sender was told to find out.
    loop {
        let answer = bob.request(turn.clone()).await;
        if answer["type"] == "ok" || answer["code"] == "stale_turn" {
            break;
        }
        assert_eq!(answer["code"], "internal", "{answer}");
    }
    bob.read_up_to(&game, ann.replay(&game).seq() + 1).await;
}
