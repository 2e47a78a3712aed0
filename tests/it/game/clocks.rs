//! Flags that fall while players are idle, late or while the server is down.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::harness::{Peer, Server, game};

/// The shortest time per move that a game may have.
const MOVE_MS: u64 = 1_000;

fn clock() -> Value {
    json!({"clock": {"mode": "per_move", "move_ms": MOVE_MS}})
}

fn at(frame: &Value) -> u64 {
    frame["at"].as_u64().unwrap()
}

#[tokio::test]
async fn a_flag_falls_without_a_request_and_rejects_a_late_move() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], clock()).await;
    let turn = ann.next_of("your_turn").await;
    assert_eq!(turn["left_ms"], json!([MOVE_MS, MOVE_MS]));
    let late = game::move_request(&ann, &game, &game::choose_move(ann.table(&game)));
    let started = ann.table(&game).last_at();
    assert_eq!(turn["deadline"], started + MOVE_MS);

    let ended = bob.next_event(&game, "ended").await;
    assert_eq!((&ended["winners"], &ended["places"]), (&json!([1]), &json!([2, 1])));
    assert_eq!((&ended["reason"], &ended["by"]), (&json!("timed_out"), &json!(0)));
    assert!(at(&ended) >= started + MOVE_MS, "{ended}");
    // Ann has not read the events: the reply to her move comes after the end.
    ann.refused(late, "game_over").await;
    let place = |wanted: &dyn Fn(&Value) -> bool| ann.frames().position(wanted).unwrap();
    let end = place(&|frame| frame["kind"] == "ended");
    assert!(end < place(&|frame| frame["code"] == "game_over"), "{}", ann.recent_frames());
}

/// Time for one move in tests that take their time.
const LONG_MOVE_MS: u64 = 4_000;

/// What a client has heard to be credited.
fn credited_ms(peer: &Peer) -> u64 {
    let adjusted = peer.frames().filter(|frame| frame["kind"] == "clock_adjusted");
    adjusted.map(|frame| frame["by_ms"].as_u64().unwrap()).sum()
}

#[tokio::test]
async fn an_outage_is_credited_to_the_clock() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let clock = json!({"clock": {"mode": "per_move", "move_ms": LONG_MOVE_MS}});
    let game = game::start(&mut [&mut ann, &mut bob], clock).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let play = game::move_request(&ann, &game, &game::choose_move(ann.table(&game)));
    let moved = ann.table(&game).last_at();
    server.kill().await;
    // Ann's time runs out while the server is down.
    sleep(Duration::from_millis(LONG_MOVE_MS)).await;
    server.restart().await;

    let mut ann = ann.reconnect(&server).await;
    let adjusted = ann.next_event(&game, "clock_adjusted").await;
    assert_eq!((&adjusted["seat"], &adjusted["reason"]), (&json!(0), &json!("outage")));
    let by_ms = adjusted["by_ms"].as_u64().unwrap();
    assert!(by_ms >= LONG_MOVE_MS && by_ms <= at(&adjusted) - moved, "{adjusted}");
    let turn = ann.next_of("your_turn").await;
    // On a busy machine ann needs a while to come back, which is credited too.
    assert_eq!(turn["deadline"], moved + credited_ms(&ann) + LONG_MOVE_MS);
    let done = ann.ask(play).await;
    ann.read_up_to(&game, done["seq"].as_u64().unwrap()).await;
    let mut bob = bob.reconnect(&server).await;
    bob.read_up_to(&game, done["seq"].as_u64().unwrap()).await;
    assert_eq!(bob.records(&game), ann.records(&game));
}

#[tokio::test]
async fn no_flag_falls_for_a_move_that_came_while_the_server_stood_still() {
    let server = Server::embedded(|_| {}).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    // Less than a second is credited when it matters, a longer time to every running clock.
    for (thought_ms, still_ms) in [(MOVE_MS - 400, 700), (100, MOVE_MS + 400)] {
        let game = game::start(&mut [&mut ann, &mut bob], clock()).await;
        let mut play = game::move_request(&ann, &game, &game::choose_move(ann.table(&game)));
        play["id"] = json!(format!("{game}:0"));
        sleep(Duration::from_millis(thought_ms)).await;
        server.node(0).pause().await;
        ann.send(&play).await;
        sleep(Duration::from_millis(still_ms)).await;
        server.node(0).resume().await;
        let credited = ann.next_event(&game, "clock_adjusted").await;
        assert!(credited["by_ms"].as_u64().unwrap() >= still_ms - 100, "{credited}");
        ann.next_event(&game, "moved").await;
        ann.ask(json!({"type": "abort", "game": game})).await;
    }
}

#[tokio::test]
async fn repeated_crashes_credit_each_outage_once() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let clock = json!({"clock": {"mode": "per_move", "move_ms": 600_000}});
    let game = game::start(&mut [&mut ann, &mut bob], clock).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let moved = ann.table(&game).last_at();
    for stop in [false, false, true, false, true] {
        // A graceful stop costs no time either.
        if stop {
            server.stop().await;
        } else {
            server.kill().await;
        }
        server.restart().await;
    }
    let mut ann = ann.reconnect(&server).await;
    let turn = ann.next_of("your_turn").await;
    let ts = ann.welcome["ts"].as_u64().unwrap();
    let given_back = turn["deadline"].as_u64().unwrap() - moved - 600_000;
    assert_eq!(credited_ms(&ann), given_back);
    // On a busy machine ann needs a while to come back, which is credited too.
    let adjusted = ann.frames().filter(|frame| frame["kind"] == "clock_adjusted");
    let back = adjusted.map(at).max().unwrap_or(ts).max(ts);
    assert!((1..=back - moved).contains(&given_back), "{}", ann.recent_frames());
}
