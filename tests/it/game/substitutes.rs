//! A computer on the seat of a player who leaves a game of three.

use serde_json::{Value, json};

use crate::harness::{Peer, game};

/// A rated game in which everybody has moved, and in which the third player resigns out of turn.
#[tokio::test]
async fn a_computer_plays_on_for_a_player_who_resigned_across_a_crash() {
    let (mut server, [mut ann, mut bob, mut cy]) =
        Peer::start_with_accounts(["ann", "bob", "cy"]).await;
    let terms =
        json!({"rated": true, "clock": {"mode": "fischer", "base_ms": 600_000, "inc_ms": 0}});
    let game = game::start(&mut [&mut ann, &mut bob, &mut cy], terms).await;
    game::play_moves(&mut [&mut ann, &mut bob, &mut cy], &game, 4).await;
    let turn = bob.table(&game).turn();
    let resign = json!({"type": "resign", "id": "leave", "game": game});
    cy.ask(resign.clone()).await;
    let offered = game::answer_seat_offer(&mut ann, &game, true).await;
    assert_eq!((&offered["seat"], &offered["reason"]), (&json!(2), &json!("resigned")));

    server.crash().await;
    [ann, bob, cy] = Peer::reconnect_all([ann, bob, cy], &server).await;
    let mut eve = Peer::anonymous(&server).await;
    let snapshot = eve.ask(json!({"type": "watch", "game": game})).await;
    let open = &snapshot["offers"][0];
    assert_eq!((&open["what"], &open["needs"]), (&json!("substitute"), &json!([1])));
    assert_eq!(
        (&open["substitute"]["user"], &open["substitute"]["level"]),
        (&json!("house"), &json!(4))
    );
    assert_eq!(open["substitute"]["until"], offered["until"]);
    assert!(snapshot["clock"]["running"].is_null(), "all clocks stand");
    let told = |frame: &Value| frame["type"] == "your_turn";
    assert!(!bob.has_received(|frame| told(frame)).await, "all turns wait");
    let mv = game::choose_move(bob.table(&game));
    bob.refused(json!({"type": "move", "game": game, "turn": turn, "move": mv}), "too_soon").await;
    game::answer_seat_offer(&mut bob, &game, true).await;

    let substituted = ann.next_event(&game, "substituted").await;
    assert_eq!((&substituted["seat"], &substituted["turn"]), (&json!(2), &json!(turn + 1)));
    assert_eq!(
        (&substituted["by"]["user"], &substituted["left_ms"][2]),
        (&json!("house"), &json!(600_000))
    );
    assert_eq!(cy.ask(resign).await["dup"], true);
    cy.refused(json!({"type": "resign", "game": game}), "not_a_player").await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    let by_house = |frame: &Value| frame["kind"] == "moved" && frame["seat"] == 2;
    ann.next_matching("a move of the computer", |frame| by_house(frame)).await;

    for peer in [&mut ann, &mut bob] {
        peer.ask(json!({"type": "resign", "game": game})).await;
    }
    let rated = cy.next_event(&game, "rated").await;
    let change = |seat: usize| {
        rated["after"][seat].as_i64().unwrap() - rated["before"][seat].as_i64().unwrap()
    };
    assert_eq!((change(0), change(1)), (0, 0), "{rated}");
    assert!(change(2) < 0, "{rated}");
    let list = json!({"type": "games", "state": "finished", "user": "cy", "result": "lost"});
    let entry = cy.ask(list).await["games"][0].clone();
    assert_eq!(entry["substituted"], json!({"seat": 2, "user": "cy"}));
    assert_eq!(entry["seats"][2]["user"], "house");
}
