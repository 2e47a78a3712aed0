//! Nodes on machines whose clocks are wrong.

use postgres_fixture::wrong_clock;
use serde_json::json;

use crate::harness::{Peer, Server, Setup, game};

const HOUR_SECONDS: i64 = 3_600;
const BASE_MS: u64 = 600_000;
/// More than the test takes, and far less than the clock is wrong.
const PLAYED_MAX_MS: u64 = 60_000;

/// Runs a node on a machine whose clock is so many seconds ahead.
fn set_clock(setup: &mut Setup, folder: &tempfile::TempDir, ahead_seconds: i64) {
    let environment = wrong_clock(folder.path(), ahead_seconds);
    let environment = environment.map(|(name, value)| format!("{name}={value}"));
    setup.run_by(&["env", &environment[0], &environment[1]]);
}

#[tokio::test]
async fn a_node_whose_machine_has_a_wrong_clock_costs_no_player_time() {
    let folder = tempfile::tempdir().unwrap();
    for ahead_seconds in [HOUR_SECONDS, -HOUR_SECONDS] {
        let mut server = Server::cluster(2, |_| {}).await;
        let mut ann = Peer::guest_at(server.node(0), "ann").await;
        let mut bob = Peer::guest_at(server.node(0), "bob").await;
        let clock = json!({"mode": "fischer", "base_ms": BASE_MS, "inc_ms": 0});
        let game = game::start(&mut [&mut ann, &mut bob], json!({"clock": clock})).await;
        game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
        let wrong = server.node_mut(1);
        wrong.terminate().await;
        wrong.wait().await;
        set_clock(wrong.setup(), &folder, ahead_seconds);
        wrong.restart().await;
        wrong.wait_for_log("the machine's clock is wrong").await;
        // A spectator has the node open the game, and a player moves through it.
        let mut eve = Peer::guest_at(server.node(1), "eve").await;
        eve.ask(json!({"type": "watch", "game": game, "from": 1})).await;
        let token = ann.token.clone().expect("a guest has a token");
        let mut second = Peer::with_token_at(server.node(1), &token).await;
        second.ask(json!({"type": "watch", "game": game, "from": 1})).await;
        let known = ann.replay(&game).seq();
        for peer in [&mut eve, &mut second] {
            peer.read_up_to(&game, known).await;
        }
        game::play_moves(&mut [&mut second, &mut bob], &game, 2).await;
        game::catch_up(&mut [&mut eve, &mut bob], &game).await;
        let seen = eve.ask(json!({"type": "watch", "game": game})).await;
        for left in seen["clock"]["left_ms"].as_array().expect("both have a clock") {
            let left = left.as_u64().expect("a number");
            assert!(left > BASE_MS - PLAYED_MAX_MS, "{ahead_seconds} s: {left} ms left");
        }
    }
}
