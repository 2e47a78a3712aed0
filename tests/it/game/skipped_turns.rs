//! Players without a legal move: the server skips them, and the game is drawn if no player has one.

use std::fmt::Write as _;

use serde_json::json;

use crate::harness::{Frame, Peer, Server, game};

/// Plays a script of moves. The peers are in seat order and read all events.
async fn follow(peers: &mut [&mut Peer], game: &str, script: impl IntoIterator<Item = &str>) {
    for notation in script {
        game::catch_up(peers, game).await;
        let seat = game::to_move(peers[0].table(game)).expect("the script stops with the game");
        game::make_move(peers[seat], game, notation).await;
    }
    game::catch_up(peers, game).await;
}

fn is_turn(frame: &Frame, turn: u32) -> bool {
    frame["type"] == "your_turn" && frame["turn"] == turn
}

#[tokio::test]
async fn a_blocked_player_is_skipped_in_diam() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let terms = json!({"rules": "diam", "options": "-board=8x3 -pieces=2x3"});
    let game = game::start(&mut [&mut ann, &mut bob], terms).await;
    let script = "A2 X1 B2 Y1 A2 X1 B3 Y4 A3 X4 B3 Y4";
    follow(&mut [&mut ann, &mut bob], &game, script.split(' ')).await;
    let skipped = ann.next_event(&game, "skipped").await;
    assert_eq!((&skipped["seat"], &skipped["to_move"]), (&json!(0), &json!(1)));
    assert_eq!((&skipped["turn"], &skipped["ply"]), (&json!(13), &json!(13)));
    assert_eq!(skipped.get("req"), None, "the skip has no request");
    // ann receives no `your_turn` for the skipped turn.
    let turn = bob.next_matching("bob's turn", |frame| is_turn(frame, 13)).await;
    assert_eq!(turn["seat"], 1);
    assert!(!ann.has_received(|frame| is_turn(frame, 12)).await, "{}", ann.recent_frames());
    let early = json!({"type": "move", "game": game, "turn": 12, "move": "2+"});
    ann.refused(early, "stale_turn").await;

    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    let mut bob = bob.reconnect(&server).await;
    assert_eq!(bob.next_of("your_turn").await["turn"], 13);
    follow(&mut [&mut ann, &mut bob], &game, ["1,3-"]).await;
    assert_eq!(ann.next_of("your_turn").await["turn"], 14);
    let snapshot = ann.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["moves"][12], "pass");
}

#[tokio::test]
async fn a_full_ring_is_a_draw_in_diam() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let terms = json!({"rules": "diam", "options": "-board=8x3 -pieces=2x6"});
    let game = game::start(&mut [&mut ann, &mut bob], terms).await;
    let mut script = String::new();
    for sector in 1..=4 {
        // Opposite sectors belong to different players, so that the position has no symmetry.
        let (own, other) = if sector % 2 == 1 {
            (["A", "B", "A"], ["X", "Y", "X"])
        } else {
            (["B", "A", "B"], ["Y", "X", "Y"])
        };
        for (a, x) in own.into_iter().zip(other) {
            write!(script, "{a}{sector} {x}{} ", sector + 4).expect("writing to memory");
        }
    }
    follow(&mut [&mut ann, &mut bob], &game, script.split_whitespace()).await;
    let ended = ann.next_event(&game, "ended").await;
    assert_eq!((&ended["reason"], &ended["winners"]), (&json!("stuck"), &json!([0, 1])));
    assert_eq!(ended["places"], json!([1, 1]));
}
