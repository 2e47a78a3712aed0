//! What the server's search thinks of finished games.

use std::time::Duration;

use serde_json::json;

use crate::harness::{Frame, Peer, game};

/// Asks until the server has analysed a game.
async fn analysis(peer: &mut Peer, game: &str) -> Frame {
    // The server has no other signal than its next answer.
    let mut rounds = tokio::time::interval(Duration::from_millis(100));
    loop {
        rounds.tick().await;
        let found = peer.ask(json!({"type": "analyse", "game": game})).await;
        match found["state"].as_str().unwrap() {
            "queued" => assert!(found["ahead"].is_u64(), "{found}"),
            "running" => assert!(found["searched"].is_u64(), "{found}"),
            "done" => return found,
            other => panic!("{other}: {found}"),
        }
    }
}

/// Starts a game of Stymie on a board of 3 and makes these moves.
async fn play(ann: &mut Peer, bob: &mut Peer, moves: &[&str]) -> String {
    let terms = json!({"rules": "stymie", "options": "-size=3 -swap"});
    let game = game::start(&mut [ann, bob], terms).await;
    for notation in moves {
        let table = ann.table(&game);
        let is_anns = table.to_move() == table.seat_of(ann.name());
        let peer = if is_anns { &mut *ann } else { &mut *bob };
        game::make_move(peer, &game, notation).await;
        game::catch_up(&mut [ann, bob], &game).await;
    }
    game
}

#[tokio::test]
async fn a_finished_game_is_analysed_once_for_everybody() {
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let game = play(&mut ann, &mut bob, &["a1", "b2"]).await;
    let ask = json!({"type": "analyse", "game": game});
    ann.refused(ask.clone(), "forbidden").await;
    game::resign(&mut ann, &mut bob, &game).await;

    let found = analysis(&mut ann, &game).await;
    let moves = found["moves"].as_array().unwrap();
    let said: Vec<_> = moves.iter().map(|mv| (&mv["ply"], &mv["seat"], &mv["move"])).collect();
    assert_eq!(said, [(&json!(1), &json!(0), &json!("a1")), (&json!(2), &json!(1), &json!("b2"))]);
    for mv in moves {
        for value in ["value", "best_value"] {
            assert!((-1000..=1000).contains(&mv[value].as_i64().unwrap()), "{mv}");
        }
        assert!(mv["best_value"].as_i64() >= mv["value"].as_i64() || mv["verdict"] == "good");
        assert!(!mv["best"].as_array().unwrap().is_empty(), "{mv}");
    }
    assert_eq!(found["accuracy"].as_array().unwrap().len(), 2);

    // Others have it at once, and it stays the same.
    let again = ann.ask(ask.clone()).await;
    assert_eq!((&again["state"], &again["moves"]), (&json!("done"), &found["moves"]));
    let mut eve = Peer::anonymous(&server).await;
    assert_eq!(analysis(&mut eve, &game).await["moves"], found["moves"], "of any node");
}

#[tokio::test]
async fn accuracy_belongs_to_the_seat_that_a_player_has_at_the_end() {
    let (_server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let game = play(&mut ann, &mut bob, &["a1", "swap"]).await;
    game::resign(&mut ann, &mut bob, &game).await;
    let found = analysis(&mut ann, &game).await;
    assert_eq!(found["moves"][1]["move"], "swap");
    assert_eq!(found["moves"][1]["seat"], 1);
    let lost = |ply: usize| {
        let mv = &found["moves"][ply];
        (mv["best_value"].as_i64().unwrap() - mv["value"].as_i64().unwrap()).max(0)
    };
    // Ann made the first move and has the second seat now.
    for (seat, ply) in [(1, 0), (0, 1)] {
        let accuracy = &found["accuracy"][seat];
        assert_eq!(accuracy["seat"], seat, "{found}");
        assert_eq!(accuracy["percent"] == 100, lost(ply) == 0, "{found}");
    }
}

#[tokio::test]
async fn games_of_three_are_not_analysed() {
    let (_server, [mut ann, mut bob, mut cy]) = Peer::start_with_guests(["ann", "bob", "cy"]).await;
    let game = game::start(&mut [&mut ann, &mut bob, &mut cy], json!({"rules": "hexma"})).await;
    for peer in [&mut ann, &mut bob] {
        peer.ask(json!({"type": "resign", "game": game})).await;
    }
    cy.next_event(&game, "ended").await;
    let refused = cy.refused(json!({"type": "analyse", "game": game}), "forbidden").await;
    let sentence = "an analysis is of a game of two, and this one has 3 players";
    assert_eq!(refused["message"], sentence);
    cy.refused(json!({"type": "analyse", "game": "nosuchgame"}), "not_found").await;
}

#[tokio::test]
async fn an_analysis_through_a_live_game_is_not_for_its_players() {
    let (_server, [mut ann, mut bob, mut eve]) =
        Peer::start_with_guests(["ann", "bob", "eve"]).await;
    let over = play(&mut ann, &mut bob, &["a1", "b2", "c3"]).await;
    game::resign(&mut ann, &mut bob, &over).await;
    let found = analysis(&mut eve, &over).await;
    analysis(&mut ann, &over).await;
    let live = play(&mut ann, &mut eve, &["a1", "b2"]).await;
    ann.refused(json!({"type": "analyse", "game": over}), "forbidden").await;
    assert_eq!(analysis(&mut bob, &over).await["moves"], found["moves"]);
    game::resign(&mut ann, &mut eve, &live).await;
    assert_eq!(analysis(&mut ann, &over).await["moves"], found["moves"]);
}

#[tokio::test]
async fn a_user_has_few_analyses_at_once() {
    let (_server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let mut games = Vec::new();
    for _ in 0..3 {
        // A search of the large board takes much longer than all requests.
        let terms = json!({"rules": "adamas", "options": "-size=5"});
        let game = game::start(&mut [&mut ann, &mut bob], terms).await;
        game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
        game::resign(&mut ann, &mut bob, &game).await;
        games.push(game);
    }
    for game in &games[..2] {
        let begun = ann.ask(json!({"type": "analyse", "game": game})).await;
        assert_ne!(begun["state"], "done", "{begun}");
    }
    let ask = json!({"type": "analyse", "game": games[2]});
    let refused = ann.refused(ask, "rate_limited").await;
    assert_eq!(refused["limit"], "analyses_per_user");
}
