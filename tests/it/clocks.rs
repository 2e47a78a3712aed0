//! Clocks that run out while nobody says anything, while somebody is late, and while the server
//! is down.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::harness::{Peer, Server, game};

/// The shortest thinking time that can be agreed.
const MOVE_MS: u64 = 1_000;

fn clock() -> Value {
    json!({"clock": {"mode": "per_move", "move_ms": MOVE_MS}})
}

fn at(frame: &Value) -> u64 {
    frame["at"].as_u64().unwrap()
}

#[tokio::test]
async fn a_flag_falls_though_nobody_says_anything_and_a_late_move_is_too_late() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::begin(&mut [&mut ann, &mut bob], clock()).await;
    let turn = ann.next_of("your_turn").await;
    assert_eq!(turn["left_ms"], json!([MOVE_MS, MOVE_MS]));
    let late = game::request(&ann, &game, &game::choose(ann.table(&game)));
    let started = ann.table(&game).last_at();
    assert_eq!(turn["deadline"], started + MOVE_MS);

    let ended = bob.next_event(&game, "ended").await;
    assert_eq!((&ended["winners"], &ended["places"]), (&json!([1]), &json!([2, 1])));
    assert_eq!((&ended["reason"], &ended["by"]), (&json!("timed_out"), &json!(0)));
    assert!(at(&ended) >= started + MOVE_MS, "{ended}");
    // Ann has not looked at what came meanwhile: her move is answered after the end.
    ann.refused(late, "game_over").await;
    let place = |wanted: &dyn Fn(&Value) -> bool| ann.frames().position(wanted).unwrap();
    let end = place(&|frame| frame["kind"] == "ended");
    assert!(end < place(&|frame| frame["code"] == "game_over"), "{}", ann.story());
}

#[tokio::test]
async fn a_move_in_time_starts_the_next_ones_clock_and_one_flag_does_not_end_a_game_of_three() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    let game = game::begin(&mut [&mut ann, &mut bob, &mut cy], clock()).await;
    game::play(&mut [&mut ann, &mut bob, &mut cy], &game, 1).await;
    let moved = at(&ann.next_event(&game, "moved").await);
    let removed = cy.next_event(&game, "removed").await;
    assert_eq!((&removed["seat"], &removed["reason"]), (&json!(1), &json!("timed_out")));
    assert_eq!(removed["to_move"], 2);
    assert!(at(&removed) >= moved + MOVE_MS, "{removed}");
    let turn = cy.next_of("your_turn").await;
    assert_eq!(turn["turn"], removed["turn"]);
    let ended = ann.next_event(&game, "ended").await;
    assert_eq!((&ended["winners"], &ended["places"]), (&json!([0]), &json!([1, 2, 2])));
    assert_eq!((&ended["reason"], &ended["by"]), (&json!("timed_out"), &json!(2)));
    assert!(at(&ended) >= at(&removed) + MOVE_MS, "{ended}");
}

#[tokio::test]
async fn a_flag_that_fell_while_the_server_was_down_is_found_fallen() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::begin(&mut [&mut ann, &mut bob], clock()).await;
    game::play(&mut [&mut ann, &mut bob], &game, 2).await;
    let late = game::request(&ann, &game, &game::choose(ann.table(&game)));
    let moved = ann.table(&game).last_at();
    server.kill9().await;
    // The flag falls while there is no server: no event can tell, only time.
    sleep(Duration::from_millis(MOVE_MS)).await;
    server.restart().await;

    let mut bob = bob.reconnect(&server).await;
    let ended = bob.next_event(&game, "ended").await;
    assert_eq!((&ended["reason"], &ended["by"]), (&json!("timed_out"), &json!(0)));
    assert!(at(&ended) >= moved + MOVE_MS, "{ended}");
    let mut ann = ann.reconnect(&server).await;
    ann.refused(late, "game_over").await;
    ann.next_event(&game, "ended").await;
    assert_eq!(ann.records(&game), bob.records(&game));
}
