//! Resuming a game: by cursor, with a wrong cursor, without one, and a game that does not exist.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, game};

/// Starts a game in which bob is to move and has missed four events: a move, an offer, its
/// withdrawal and another offer.
async fn with_an_absent_bob(server: &Server) -> (Peer, Peer, String) {
    let mut ann = Peer::guest(server, "ann").await;
    let mut bob = Peer::guest(server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    // From here on bob reads nothing.
    let play = game::choose_move(ann.table(&game));
    game::make_move(&mut ann, &game, &play).await;
    let made = ann.ask(json!({"type": "offer", "game": game, "what": "draw"})).await;
    ann.ask(json!({"type": "withdraw", "game": game, "offer": made["offer"]})).await;
    let made = ann.ask(json!({"type": "offer", "game": game, "what": "abort"})).await;
    ann.read_up_to(&game, made["seq"].as_u64().unwrap()).await;
    (ann, bob, game)
}

fn verdict<'a>(welcome: &'a Frame, game: &str) -> &'a Value {
    let games = welcome["games"].as_array().unwrap();
    games.iter().find(|entry| entry["game"] == game).unwrap()
}

#[tokio::test]
async fn a_cursor_brings_exactly_the_missed_events() {
    let server = Server::start().await;
    let (ann, bob, game) = with_an_absent_bob(&server).await;
    let known = bob.replay(&game).seq();
    let mut bob = bob.reconnect(&server).await;
    let entry = verdict(&bob.welcome, &game);
    assert_eq!((&entry["resume"], &entry["seat"]), (&json!("tail"), &json!(1)));
    assert_eq!(entry["from"], known + 1);
    let turn = bob.next_of("your_turn").await;
    assert_eq!((&turn["game"], &turn["seat"]), (&json!(game), &json!(1)));
    // `your_turn` comes after all of the missed events.
    assert_eq!(bob.records(&game), ann.records(&game));
    let came: Vec<&Value> =
        bob.frames().filter(|frame| frame["type"] == "event").map(|frame| &frame["seq"]).collect();
    let expected: Vec<u64> = (known + 1..=ann.replay(&game).seq()).collect();
    assert_eq!(json!(came), json!(expected));

    // Up to date: no event is missing, and `your_turn` is sent again.
    let mut bob = bob.reconnect(&server).await;
    bob.next_of("your_turn").await;
    assert_eq!(bob.frames().filter(|frame| frame["type"] == "event").count(), 0);
    let play = game::choose_move(bob.table(&game));
    game::make_move(&mut bob, &game, &play).await;
}

#[tokio::test]
async fn a_cursor_that_contradicts_the_record_brings_a_snapshot() {
    let server = Server::start().await;
    let (ann, bob, game) = with_an_absent_bob(&server).await;
    let token = bob.token.clone().unwrap();
    let resume = async |cursor: Value| {
        let mut back = Peer::connect(server.address()).await;
        let hello = json!({"auth": {"token": token}, "resume": {&game: cursor}});
        let welcome = back.hello(hello).await;
        (back, verdict(&welcome, &game)["resume"].clone())
    };
    let known = bob.replay(&game).seq();
    let forged = "ab".repeat(32);
    for past in [
        json!({"seq": known, "chain": forged}),
        json!({"seq": ann.replay(&game).seq(), "chain": forged}),
        json!({"seq": 999}),
    ] {
        let (mut back, verdict) = resume(past).await;
        assert_eq!(verdict, "fork");
        let snapshot = back.next_of("snapshot").await;
        assert_eq!(snapshot["seq"], ann.replay(&game).seq());
        assert_eq!(snapshot["chain"], ann.replay(&game).chain().to_string());
        assert_eq!(snapshot["offers"][0]["needs"], json!([1]));
        back.next_of("your_turn").await;
    }
    for past in [json!({"seq": known}), json!({"seq": 0}), bob.cursor(&game)] {
        let (mut back, verdict) = resume(past.clone()).await;
        assert_eq!(verdict, "tail");
        let first = back.next_of("event").await;
        assert_eq!(first["seq"], past["seq"].as_u64().unwrap() + 1);
    }
}

#[tokio::test]
async fn without_a_cursor_a_snapshot_comes_and_an_unknown_game_is_gone() {
    let server = Server::start().await;
    let (ann, bob, game) = with_an_absent_bob(&server).await;
    let token = bob.token.clone().unwrap();
    let mut back = Peer::connect(server.address()).await;
    let resume = json!({"nosuchgame": {"seq": 3}});
    let welcome = back.hello(json!({"auth": {"token": token}, "resume": resume})).await;
    assert_eq!(verdict(&welcome, &game)["resume"], "snapshot");
    assert_eq!(verdict(&welcome, "nosuchgame")["resume"], "gone");
    let snapshot = back.next_of("snapshot").await;
    assert_eq!(snapshot["reason"], "resumed");
    assert_eq!(snapshot["seq"], ann.replay(&game).seq());
    let turn = back.next_of("your_turn").await;
    assert_eq!(turn["turn"], snapshot["turn"]);

    // A spectator resumes by cursor, too, without a seat.
    let mut cy = Peer::connect(server.address()).await;
    let welcome = cy.hello(json!({"resume": {&game: {"seq": 2}}})).await;
    let entry = verdict(&welcome, &game);
    assert_eq!((&entry["resume"], entry.get("seat")), (&json!("tail"), None));
    assert_eq!(cy.next_of("event").await["seq"], 3);
}

#[tokio::test]
async fn every_session_of_a_player_receives_events_and_may_move() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let token = ann.token.clone().unwrap();
    let mut second = Peer::connect(server.address()).await;
    second.hello(json!({"auth": {"token": token}, "resume": {&game: {"seq": 0}}})).await;
    second.read_up_to(&game, 2).await;
    let play = game::choose_move(second.table(&game));
    game::make_move(&mut second, &game, &play).await;
    ann.next_event(&game, "moved").await;
    bob.next_event(&game, "moved").await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    for peer in [&mut ann, &mut second] {
        peer.next_matching("the next turn", |frame| {
            frame["type"] == "your_turn" && frame["turn"] == 2
        })
        .await;
    }
}
