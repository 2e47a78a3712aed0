//! The harness itself: a server starts, is spoken to, is killed and comes back.

use serde_json::json;

use crate::harness::{Peer, Server, game};

#[tokio::test]
async fn a_server_is_played_on_killed_and_started_again() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
    game::play(&mut [&mut ann, &mut bob], &game, 3).await;
    server.kill9().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    let mut bob = bob.reconnect(&server).await;
    assert_eq!(ann.welcome["games"][0]["resume"], "tail");
    game::play_out(&mut [&mut ann, &mut bob], &game).await;
    assert_eq!(ann.records(&game), bob.records(&game));
    assert!(server.stop().await.success());
}
