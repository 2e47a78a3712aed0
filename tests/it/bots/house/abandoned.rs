//! Games that the opponents of server bots leave.

use serde_json::json;

use super::challenging::{begin, challenge};
use crate::harness::{Peer, Server, game};

#[tokio::test]
async fn a_server_bot_aborts_a_game_that_its_guest_left_untouched() {
    let mut server = Server::with(|setup| setup.set("games", "house_waits_untouched", "1s")).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let left = begin(&mut ann, challenge(&["ann", "house"])).await;
    let kept = begin(&mut bob, challenge(&["house", "bob"])).await;
    ann.disconnect();
    bob.ask(json!({"type": "watch", "game": left})).await;
    let aborted = bob.next_event(&left, "aborted").await;
    assert_eq!(aborted["by"], 1);
    // Bob is connected, so his game stays.
    let list = bob.ask(json!({"type": "games", "user": "bob"})).await;
    assert_eq!(list["games"][0]["game"], kept);

    // Games from before a crash are aborted, too.
    bob.disconnect();
    server.kill().await;
    server.restart().await;
    let mut cy = Peer::guest(&server, "cy").await;
    cy.ask(json!({"type": "watch", "game": kept})).await;
    if cy.frames().all(|frame| frame["result"].is_null()) {
        cy.next_event(&kept, "aborted").await;
    }
}

#[tokio::test]
async fn a_server_bot_resigns_a_game_only_after_its_wait() {
    let mut server = Server::with(|setup| setup.set("games", "house_waits", "1s")).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let game = begin(&mut ann, challenge(&["ann", "house"])).await;
    let play = game::choose_move(ann.table(&game));
    game::make_move(&mut ann, &game, &play).await;
    ann.next_event(&game, "moved").await;
    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    let ended = ann.next_event(&game, "ended").await;
    assert_eq!((&ended["reason"], &ended["winners"]), (&json!("resigned"), &json!([0])));
}
