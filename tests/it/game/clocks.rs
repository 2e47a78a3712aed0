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

/// Time for one move where the test itself takes its time.
const LONG_MOVE_MS: u64 = 4_000;

#[tokio::test]
async fn the_time_without_a_server_is_given_back_and_a_flag_does_not_fall_in_it() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let clock = json!({"clock": {"mode": "per_move", "move_ms": LONG_MOVE_MS}});
    let game = game::begin(&mut [&mut ann, &mut bob], clock).await;
    game::play(&mut [&mut ann, &mut bob], &game, 2).await;
    let play = game::request(&ann, &game, &game::choose(ann.table(&game)));
    let moved = ann.table(&game).last_at();
    server.kill9().await;
    // Ann's time runs out while there is no server: no event can tell, only time.
    sleep(Duration::from_millis(LONG_MOVE_MS)).await;
    server.restart().await;

    let mut ann = ann.reconnect(&server).await;
    let adjusted = ann.next_event(&game, "clock_adjusted").await;
    assert_eq!((&adjusted["seat"], &adjusted["reason"]), (&json!(0), &json!("outage")));
    let by_ms = adjusted["by_ms"].as_u64().unwrap();
    assert!(by_ms >= LONG_MOVE_MS && by_ms <= at(&adjusted) - moved, "{adjusted}");
    let turn = ann.next_of("your_turn").await;
    assert_eq!(turn["deadline"], moved + by_ms + LONG_MOVE_MS);
    let done = ann.ask(play).await;
    ann.hear_up_to(&game, done["seq"].as_u64().unwrap()).await;
    let mut bob = bob.reconnect(&server).await;
    bob.hear_up_to(&game, done["seq"].as_u64().unwrap()).await;
    assert_eq!(bob.records(&game), ann.records(&game));
}

#[tokio::test]
async fn however_often_the_server_dies_no_time_is_given_back_twice() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let clock = json!({"clock": {"mode": "per_move", "move_ms": 600_000}});
    let game = game::begin(&mut [&mut ann, &mut bob], clock).await;
    game::play(&mut [&mut ann, &mut bob], &game, 2).await;
    let moved = ann.table(&game).last_at();
    for stop in [false, false, true, false, true] {
        // A stop that was asked for costs nobody time either.
        if stop {
            server.stop().await;
        } else {
            server.kill9().await;
        }
        server.restart().await;
    }
    let mut ann = ann.reconnect(&server).await;
    let turn = ann.next_of("your_turn").await;
    let ts = ann.welcome["ts"].as_u64().unwrap();
    let given_back = turn["deadline"].as_u64().unwrap() - moved - 600_000;
    let is_adjusted = |frame: &&Value| frame["kind"] == "clock_adjusted";
    let adjusted: Vec<u64> =
        ann.frames().filter(is_adjusted).map(|frame| frame["by_ms"].as_u64().unwrap()).collect();
    assert_eq!(adjusted.iter().sum::<u64>(), given_back);
    assert!((1..=5).contains(&adjusted.len()) && given_back <= ts - moved, "{}", ann.story());
}
