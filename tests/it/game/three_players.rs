//! Games of three: a player leaves out of turn, the others play on, and every player has a place.

use serde_json::json;

use crate::harness::{Peer, Server, game};

async fn three(server: &Server) -> [Peer; 3] {
    [
        Peer::guest(server, "ann").await,
        Peer::guest(server, "bob").await,
        Peer::guest(server, "cy").await,
    ]
}

#[tokio::test]
async fn a_player_resigns_out_of_turn_and_the_others_play_to_the_end() {
    let server = Server::start().await;
    let [mut ann, mut bob, mut cy] = three(&server).await;
    let game = game::start(&mut [&mut ann, &mut bob, &mut cy], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob, &mut cy], &game, 3).await;
    assert_eq!(game::to_move(ann.table(&game)), Some(0));

    let turn = cy.table(&game).turn();
    let ok = cy.ask(json!({"type": "resign", "game": game})).await;
    assert_eq!(ok["turn"], turn + 1, "a removal takes a turn number");
    let removed = ann.next_event(&game, "removed").await;
    assert_eq!(removed["seat"], 2);
    assert_eq!(removed["reason"], "resigned");
    assert_eq!(removed["to_move"], 0, "the turn does not change");
    assert_eq!(removed["turn"], turn + 1);
    let stale = json!({"type": "move", "game": game, "turn": turn, "move": "a1-a2"});
    ann.refused(stale, "stale_turn").await;
    cy.read_up_to(&game, removed["seq"].as_u64().unwrap()).await;
    cy.refused(json!({"type": "offer", "game": game, "what": "draw"}), "forbidden").await;
    cy.refused(json!({"type": "resign", "game": game}), "forbidden").await;

    game::play_to_end(&mut [&mut ann, &mut bob, &mut cy], &game).await;
    let outcome = cy.table(&game).outcome().unwrap().clone();
    let ended: serde_json::Value = serde_json::from_str(cy.records(&game).last().unwrap()).unwrap();
    assert_eq!(ended["places"][2], 3, "the first player to leave is last");
    assert!(!ended["winners"].as_array().unwrap().contains(&json!(2)), "{outcome:?}");
    assert_eq!(ann.records(&game), cy.records(&game));
    assert_eq!(bob.records(&game), cy.records(&game));
}

#[tokio::test]
async fn the_remaining_players_agree_to_a_draw() {
    let server = Server::start().await;
    let [mut ann, mut bob, mut cy] = three(&server).await;
    let game = game::start(&mut [&mut ann, &mut bob, &mut cy], json!({})).await;
    // It is ann's turn: her resignation passes the turn on.
    ann.ask(json!({"type": "resign", "game": game})).await;
    let removed = bob.next_event(&game, "removed").await;
    assert_eq!(removed["to_move"], 1);

    let offer = bob.ask(json!({"type": "offer", "game": game, "what": "draw"})).await;
    let offered = cy.next_event(&game, "offered").await;
    assert_eq!(offered["needs"], json!([2]), "a player who left gets no turn");
    let answer = json!({"type": "answer", "game": game, "offer": offer["offer"], "accept": true});
    ann.refused(answer.clone(), "forbidden").await;
    let mut late = Peer::anonymous(&server).await;
    let snapshot = late.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["offers"][0]["needs"], json!([2]));
    cy.ask(answer).await;
    let ended = ann.next_event(&game, "ended").await;
    assert_eq!(ended["winners"], json!([1, 2]));
    assert_eq!(ended["places"], json!([3, 1, 1]));
    assert_eq!(ended["reason"], "agreement");
}

#[tokio::test]
async fn a_player_can_resign_hexma_out_of_turn() {
    let mut server = Server::start().await;
    let [mut ann, mut bob, mut cy] = three(&server).await;
    let hexma = json!({"rules": "hexma"});
    let game = game::start(&mut [&mut ann, &mut bob, &mut cy], hexma).await;
    game::play_moves(&mut [&mut ann, &mut bob, &mut cy], &game, 3).await;
    assert_eq!(game::to_move(ann.table(&game)), Some(0));
    let turn = cy.table(&game).turn();

    let resign = json!({"type": "resign", "id": "enough", "game": game});
    let ok = cy.ask(resign.clone()).await;
    assert_eq!(ok["turn"], turn + 1, "a removal takes a turn number");
    let removed = ann.next_event(&game, "removed").await;
    assert_eq!((&removed["seat"], &removed["to_move"]), (&json!(2), &json!(0)));
    assert_eq!(removed["reason"], "resigned");
    let stale = json!({"type": "move", "game": game, "turn": turn, "move": "k13-j12"});
    ann.refused(stale, "stale_turn").await;

    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    let mut bob = bob.reconnect(&server).await;
    let mut cy = cy.reconnect(&server).await;
    let again = cy.ask(resign).await;
    assert_eq!((&again["dup"], &again["seq"]), (&json!(true), &removed["seq"]));
    let snapshot = cy.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(
        (&snapshot["to_move"], &snapshot["seats"][2]["state"]),
        (&json!(0), &json!("resigned"))
    );

    // The turn alternates between the two remaining players.
    game::catch_up(&mut [&mut ann, &mut bob, &mut cy], &game).await;
    game::play_moves(&mut [&mut ann, &mut bob, &mut cy], &game, 4).await;
    assert_eq!(game::to_move(cy.table(&game)), Some(0));
    assert_eq!(cy.table(&game).ply(), 7);
    ann.ask(json!({"type": "resign", "game": game})).await;
    let ended = cy.next_event(&game, "ended").await;
    assert_eq!((&ended["winners"], &ended["places"]), (&json!([1]), &json!([2, 1, 3])));
}
