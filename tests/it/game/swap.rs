//! The swap of seats: everything follows the users, before and after a crash.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, game, with};

const OPENING: &str = "c3";

/// A game of Stymie after ann's first move, before bob's answer.
async fn opened(server: &Server) -> (Peer, Peer, String) {
    let mut ann = Peer::guest(server, "ann").await;
    let mut bob = Peer::guest(server, "bob").await;
    let terms = json!({"rules": "stymie", "options": "-size=3 -swap",
        "clock": {"mode": "fischer", "base_ms": 600_000, "inc_ms": 0}});
    let game = game::start(&mut [&mut ann, &mut bob], terms).await;
    ann.ask(play(&game, "opening", 0, OPENING)).await;
    for peer in [&mut ann, &mut bob] {
        peer.read_up_to(&game, 3).await;
    }
    (ann, bob, game)
}

fn play(game: &str, id: &str, turn: u32, notation: &str) -> Value {
    json!({"type": "move", "id": id, "game": game, "turn": turn, "move": notation})
}

/// Returns the users in seat order.
fn users(seats: &Value) -> Vec<&str> {
    seats.as_array().unwrap().iter().map(|seat| seat["user"].as_str().unwrap()).collect()
}

/// Checks that lists and snapshots show the swapped seats and the user to move.
async fn assert_reseated(server: &Server, game: &str, state: &str) {
    let mut anonymous = Peer::anonymous(server).await;
    let snapshot = anonymous.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(users(&snapshot["seats"]), ["bob", "ann"], "{snapshot}");
    assert_eq!(
        (&snapshot["seats"][0]["letter"], &snapshot["moves"][1]),
        (&json!("V"), &json!("swap"))
    );
    assert_eq!(snapshot["position"][OPENING], "V", "the piece stays what it was");
    for asked in [json!({}), json!({"user": "ann"}), json!({"user": "bob"})] {
        let list = json!({"type": "games", "state": state});
        let list = anonymous.ask(with(list, asked)).await;
        let entry = &list["games"][0];
        assert_eq!((&entry["game"], users(&entry["seats"])), (&json!(game), vec!["bob", "ann"]));
        assert_eq!(entry["to_move"], snapshot["to_move"]);
        assert_eq!(entry["ply"], snapshot["ply"]);
    }
}

fn is_turn(frame: &Frame, turn: u32) -> bool {
    frame["type"] == "your_turn" && frame["turn"] == turn
}

#[tokio::test]
async fn a_rated_game_has_the_swap_unless_it_is_switched_off() {
    let server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
    let mut bob = Peer::account(&server, "bob").await;
    for (rated, options, swap) in [
        (true, json!({}), true),
        (true, json!("-size=3"), true),
        (true, json!({"swap": false}), false),
        (true, json!("-swap=off"), false),
        (false, json!({}), false),
        (false, json!("-swap"), true),
        (false, json!("-swap=on"), true),
    ] {
        let terms = json!({"rules": "stymie", "options": options, "rated": rated});
        let challenge = with(json!({"type": "challenge", "seats": ["ann", "bob"]}), terms.clone());
        let made = ann.ask(challenge).await["challenge"].clone();
        let told = bob.next_of("challenged").await;
        assert_eq!(
            (&told["challenge"], &told["options"]["swap"]),
            (&made, &json!(swap)),
            "{terms}"
        );
        let game = bob.ask(json!({"type": "accept", "challenge": made})).await["game"].clone();
        let game = game.as_str().unwrap();
        let created = bob.next_event(game, "created").await;
        assert_eq!((&created["options"]["swap"], &created["rated"]), (&json!(swap), &json!(rated)));
        // A rematch has the same options.
        ann.next_event(game, "started").await;
        ann.ask(json!({"type": "resign", "game": game})).await;
        bob.next_event(game, "ended").await;
        let again = bob.ask(json!({"type": "rematch", "game": game})).await["challenge"].clone();
        assert_eq!(ann.next_of("challenged").await["options"]["swap"], swap);
        ann.ask(json!({"type": "decline", "challenge": again})).await;
    }
    // A seek shows the resulting option and matches a seek that spells it out.
    bob.ask(json!({"type": "lobby", "watch": true})).await;
    let seek = |options: Value| {
        json!({"type": "seek", "rules": "stymie", "options": options,
        "players": 2, "rated": true})
    };
    ann.ask(seek(json!({}))).await;
    let shown =
        |frame: &Frame| frame["type"] == "lobby" && !frame["add"].as_array().unwrap().is_empty();
    let added = bob.next_matching("the seek", shown).await;
    assert_eq!(added["add"][0]["options"], json!({"size": 8, "swap": true}));
    let joined = bob.ask(seek(json!({"size": 8, "swap": true}))).await;
    assert!(joined["game"].is_string(), "{joined}");
}

#[tokio::test]
async fn a_swap_exchanges_the_users_seats() {
    let server = Server::start().await;
    let (mut ann, mut bob, game) = opened(&server).await;
    assert_eq!(bob.next_of("your_turn").await["seat"], 1);
    let ok = bob.ask(play(&game, "answer", 1, "SWAP")).await;
    assert_eq!((&ok["seq"], &ok["turn"]), (&json!(4), &json!(2)));
    let swapped = ann.next_event(&game, "swapped").await;
    assert_eq!(users(&swapped["seats"]), ["bob", "ann"]);
    assert_eq!((&swapped["seat"], &swapped["to_move"]), (&json!(1), &json!(1)));
    assert_eq!((&swapped["turn"], &swapped["ply"]), (&json!(2), &json!(2)));
    assert_eq!(swapped["req"], "answer");
    assert_reseated(&server, &game, "live").await;

    // It is the other seat's turn now, and the other user's: ann has opened and moves again.
    let turn = ann.next_matching("her turn", |frame| is_turn(frame, 2)).await;
    assert_eq!((&turn["seat"], &turn["ply"]), (&json!(1), &json!(2)));
    assert!(!bob.has_received(|frame| is_turn(frame, 2)).await, "{}", bob.recent_frames());
    bob.refused(play(&game, "too soon", 2, "a1"), "not_your_turn").await;
    ann.refused(play(&game, "swap back", 2, "swap"), "illegal_move").await;
    ann.refused(play(&game, "three", 2, "a1,b2,a3"), "illegal_move").await;

    // A request id belongs to the user, not to the seat.
    let again = bob.ask(play(&game, "answer", 1, "swap")).await;
    assert_eq!((&again["dup"], &again["seq"]), (&json!(true), &json!(4)));
    bob.refused(play(&game, "answer", 1, "a1"), "id_reuse").await;
    let again = ann.ask(play(&game, "opening", 0, OPENING)).await;
    assert_eq!((&again["dup"], &again["seq"]), (&json!(true), &json!(3)));
    bob.refused(play(&game, "opening", 0, OPENING), "stale_turn").await;
    let own = ann.ask(play(&game, "answer", 2, "a1")).await;
    assert_eq!((own.get("dup"), &own["turn"]), (None, &json!(3)));
    let turn = bob.next_matching("his turn", |frame| is_turn(frame, 3)).await;
    assert_eq!(turn["seat"], 0);

    // A resignation now counts for the user's new seat.
    bob.ask(json!({"type": "resign", "game": game})).await;
    let ended = ann.next_event(&game, "ended").await;
    assert_eq!((&ended["by"], &ended["winners"]), (&json!(0), &json!([1])));
    assert_reseated(&server, &game, "finished").await;
}

#[tokio::test]
async fn a_crash_keeps_the_swapped_seats() {
    let mut server = Server::start().await;
    let (ann, mut bob, game) = opened(&server).await;
    bob.ask(play(&game, "answer", 1, "swap")).await;
    server.kill().await;
    server.restart().await;
    assert_reseated(&server, &game, "live").await;

    let mut bob = bob.reconnect(&server).await;
    let mut ann = ann.reconnect(&server).await;
    for (peer, seat) in [(&bob, 0), (&ann, 1)] {
        let entry = &peer.welcome["games"][0];
        assert_eq!((&entry["game"], &entry["seat"]), (&json!(game), &json!(seat)));
    }
    let again = bob.ask(play(&game, "answer", 1, "swap")).await;
    assert_eq!((&again["dup"], &again["seq"]), (&json!(true), &json!(4)));
    bob.refused(play(&game, "answer", 1, "a1"), "id_reuse").await;
    let again = ann.ask(play(&game, "opening", 0, OPENING)).await;
    assert_eq!((&again["dup"], &again["seq"]), (&json!(true), &json!(3)));
    let turn = ann.next_of("your_turn").await;
    assert_eq!((&turn["seat"], &turn["turn"]), (&json!(1), &json!(2)));
    assert!(
        !bob.has_received(|frame| frame["type"] == "your_turn").await,
        "{}",
        bob.recent_frames()
    );

    // The users play on in their new seats, to the end and across another crash.
    game::play_moves(&mut [&mut bob, &mut ann], &game, 2).await;
    server.kill().await;
    server.restart().await;
    let mut bob = bob.reconnect(&server).await;
    let mut ann = ann.reconnect(&server).await;
    game::play_to_end(&mut [&mut bob, &mut ann], &game).await;
    assert_eq!(ann.records(&game), bob.records(&game));
    let ended: Value = serde_json::from_str(ann.records(&game).last().unwrap()).unwrap();
    assert_eq!(ended["reason"], "connected");
    assert_reseated(&server, &game, "finished").await;
}
