//! Aborts and resignations.

use serde_json::json;

use crate::harness::{Peer, Server, game};

#[tokio::test]
async fn a_game_can_be_aborted_until_each_side_has_moved() {
    let server = Server::start().await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    let mut cy = Peer::guest(&server, "cy").await;
    let abort = |game: &str| json!({"type": "abort", "game": game});
    cy.refused(abort(&game), "not_a_player").await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    bob.ask(abort(&game)).await;
    let aborted = ann.next_event(&game, "aborted").await;
    assert_eq!((&aborted["by"], &aborted["reason"]), (&json!(1), &json!("by_player")));
    ann.refused(abort(&game), "game_over").await;
    let snapshot = cy.ask(json!({"type": "watch", "game": game})).await;
    let result = json!({"winners": [], "places": [], "reason": "aborted"});
    assert_eq!(snapshot["result"], result);

    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    ann.refused(abort(&game), "forbidden").await;
    bob.refused(abort(&game), "forbidden").await;
}

#[tokio::test]
async fn a_resignation_ends_a_game_of_two_on_any_turn() {
    let server = Server::start().await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    let resign = json!({"type": "resign", "game": game});
    let mut anonymous = Peer::anonymous(&server).await;
    anonymous.refused(resign.clone(), "not_a_player").await;
    bob.ask(resign.clone()).await;
    let ended = ann.next_event(&game, "ended").await;
    assert_eq!((&ended["winners"], &ended["places"]), (&json!([0]), &json!([1, 2])));
    assert_eq!((&ended["reason"], &ended["by"]), (&json!("resigned"), &json!(1)));
    ann.refused(resign, "game_over").await;
    let play = json!({"type": "move", "game": game, "turn": 0, "move": "a1-a2"});
    ann.refused(play, "game_over").await;
}
