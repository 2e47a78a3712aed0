//! Offers: draws made, accepted, declined, withdrawn, overtaken by a move, and between three;
//! takebacks.

use serde_json::{Value, json};

use crate::harness::{Peer, Server, game};

struct Two {
    server: Server,
    ann: Peer,
    bob: Peer,
    game: String,
}

async fn two() -> Two {
    let (server, ann, bob, game) = game::server_with_two().await;
    Two { server, ann, bob, game }
}

fn offer(game: &str, what: &str) -> Value {
    json!({"type": "offer", "game": game, "what": what})
}

fn answer(game: &str, offer: &Value, accept: bool) -> Value {
    json!({"type": "answer", "game": game, "offer": offer, "accept": accept})
}

fn withdraw(game: &str, offer: &Value) -> Value {
    json!({"type": "withdraw", "game": game, "offer": offer})
}

async fn assert_closed(peer: &mut Peer, game: &str, offer: &Value, outcome: &str, by: u8) {
    let closed = peer
        .next_matching("the end of the offer", |frame| {
            frame["kind"] == "offer_closed" && frame["game"] == game && frame["offer"] == *offer
        })
        .await;
    assert_eq!((&closed["outcome"], &closed["by"]), (&json!(outcome), &json!(by)));
}

#[tokio::test]
async fn an_accepted_draw_offer_ends_the_game() {
    let Two { server: _server, mut ann, mut bob, game } = two().await;
    let made = ann.ask(offer(&game, "draw")).await["offer"].clone();
    let offered = bob.next_event(&game, "offered").await;
    assert_eq!((&offered["offer"], &offered["by"]), (&made, &json!(0)));
    assert_eq!((&offered["what"], &offered["needs"]), (&json!("draw"), &json!([1])));
    bob.refused(offer(&game, "draw"), "forbidden").await;
    ann.refused(answer(&game, &made, true), "forbidden").await;
    bob.refused(withdraw(&game, &made), "forbidden").await;
    bob.refused(answer(&game, &json!("o_99"), true), "no_such_offer").await;
    let takeback = json!({"type": "offer", "game": game, "what": "sugar"});
    ann.refused(takeback, "bad_message").await;

    bob.ask(answer(&game, &made, true)).await;
    for peer in [&mut ann, &mut bob] {
        assert_closed(peer, &game, &made, "accepted", 1).await;
        let ended = peer.next_event(&game, "ended").await;
        assert_eq!((&ended["winners"], &ended["places"]), (&json!([0, 1]), &json!([1, 1])));
        assert_eq!(ended["reason"], "agreement");
    }
    ann.refused(offer(&game, "draw"), "game_over").await;
    bob.refused(answer(&game, &made, true), "game_over").await;
}

#[tokio::test]
async fn a_draw_offer_is_declined_withdrawn_or_closed_by_a_move() {
    let Two { server, mut ann, mut bob, game } = two().await;
    let mut cy = Peer::guest(&server, "cy").await;
    cy.refused(offer(&game, "draw"), "not_a_player").await;

    let made = bob.ask(offer(&game, "draw")).await["offer"].clone();
    cy.refused(answer(&game, &made, true), "not_a_player").await;
    ann.ask(answer(&game, &made, false)).await;
    assert_closed(&mut bob, &game, &made, "declined", 0).await;
    ann.refused(answer(&game, &made, true), "no_such_offer").await;

    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    let made = bob.ask(offer(&game, "draw")).await["offer"].clone();
    bob.ask(withdraw(&game, &made)).await;
    assert_closed(&mut ann, &game, &made, "withdrawn", 1).await;
    bob.refused(withdraw(&game, &made), "no_such_offer").await;

    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    let made = bob.ask(offer(&game, "draw")).await["offer"].clone();
    ann.read_up_to(&game, bob.replay(&game).seq() + 1).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    assert_closed(&mut ann, &game, &made, "moved", 0).await;
    ann.refused(answer(&game, &made, true), "no_such_offer").await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    assert!(ann.table(&game).offers().is_empty());
}

#[tokio::test]
async fn a_player_makes_one_offer_a_turn_across_a_crash() {
    let Two { mut server, mut ann, mut bob, game } = two().await;
    for (what, number) in [("draw", "o_1"), ("abort", "o_2")] {
        let offer = json!({"type": "offer", "game": game, "what": what});
        let made = bob.ask(offer.clone()).await["offer"].clone();
        assert_eq!(made, number);
        bob.ask(withdraw(&game, &made)).await;
        let refused = bob.refused(offer, "forbidden").await;
        assert!(refused["message"].as_str().unwrap().contains("after the next move"), "{refused}");
    }
    let records = bob.replay(&game).seq();
    server.crash().await;
    ann = ann.reconnect(&server).await;
    bob = bob.reconnect(&server).await;
    bob.refused(offer(&game, "draw"), "forbidden").await;
    assert_eq!(bob.replay(&game).seq(), records);
    // The limit binds neither the other side nor the next turn.
    let made = ann.ask(offer(&game, "draw")).await["offer"].clone();
    bob.ask(answer(&game, &made, false)).await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    bob.ask(offer(&game, "draw")).await;
}

fn byoyomi() -> Value {
    let clock = json!({"mode": "byoyomi", "base_ms": 600_000, "periods": 3, "period_ms": 30_000});
    json!({"clock": clock})
}

#[tokio::test]
async fn a_takeback_survives_lost_connections_and_a_crash() {
    let mut server = Server::start().await;
    let (mut ann, mut bob, game) = game::start_two_with(&server, byoyomi()).await;
    ann.refused(offer(&game, "takeback"), "forbidden").await;
    let start = ann.table(&game).position().clone();
    let made = json!({"type": "move", "id": "m", "game": game, "turn": 0, "move": "c1-c2"});
    ann.ask(made.clone()).await;
    ann.read_up_to(&game, 3).await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    game::make_move(&mut bob, &game, "c5-c4").await;
    let offered = ann.ask(offer(&game, "takeback")).await["offer"].clone();
    ann.refused(offer(&game, "takeback"), "forbidden").await;
    bob.next_event(&game, "offered").await;

    server.crash().await;
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &server).await;
    let mut accept = answer(&game, &offered, true);
    accept["id"] = json!("yes");
    bob.ask(accept.clone()).await;
    let mut told = Value::Null;
    for peer in [&mut ann, &mut bob] {
        let closed = peer.next_event(&game, "offer_closed").await;
        assert_eq!((&closed["outcome"], &closed["by"]), (&json!("accepted"), &json!(1)));
        told = peer.next_event(&game, "taken_back").await;
        assert_eq!(
            (&told["turn"], &told["ply"], &told["to_move"]),
            (&json!(3), &json!(0), &json!(0))
        );
        assert_eq!(told["left_ms"], json!([690_000, 690_000]));
        assert_eq!(peer.table(&game).position(), &start);
    }
    let turn = |frame: &Value| frame["type"] == "your_turn" && frame["turn"] == 3;
    ann.next_matching("that it is ann's turn again", turn).await;
    let late = json!({"type": "move", "game": game, "turn": 2, "move": "c2-c3"});
    ann.refused(late, "stale_turn").await;

    server.crash().await;
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &server).await;
    ann.next_matching("that it is still ann's turn", turn).await;
    let again = bob.ask(accept).await;
    assert_eq!((&again["dup"], &again["offer"]), (&json!(true), &offered));
    // The reply to an undone move stays the same, and its id cannot stand for another move.
    let again = ann.ask(made).await;
    assert_eq!((&again["dup"], &again["seq"]), (&json!(true), &json!(3)));
    let other = json!({"type": "move", "id": "m", "game": game, "turn": 3, "move": "c1-e1"});
    ann.refused(other, "id_reuse").await;
    game::make_move(&mut ann, &game, "c1-e1").await;

    let mut eve = Peer::guest(&server, "eve").await;
    let snapshot = eve.request(json!({"type": "watch", "game": game})).await;
    assert_eq!((&snapshot["moves"], &snapshot["ply"]), (&json!(["c1-e1"]), &json!(1)));
    assert_eq!((&snapshot["turn"], &snapshot["position"]["e1"]), (&json!(4), &json!("O")));
    let clock = &snapshot["clock"];
    assert_eq!((&clock["mode"], &clock["base_ms"]), (&json!("byoyomi"), &json!(600_000)));
    assert_eq!((&clock["periods"], &clock["period_ms"]), (&json!(3), &json!(30_000)));
    let listed = eve.request(json!({"type": "games", "user": "ann"})).await;
    assert_eq!(
        (&listed["games"][0]["ply"], &listed["games"][0]["to_move"]),
        (&json!(1), &json!(1))
    );
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    assert_eq!(ann.records(&game), bob.records(&game));
    assert!(told["position"].is_object());
}

#[tokio::test]
async fn three_players_agree_on_a_takeback_and_on_an_abort() {
    let (_server, [mut ann, mut bob, mut cy]) = Peer::start_with_guests(["ann", "bob", "cy"]).await;
    let clock = json!({"clock": {"mode": "days", "per_move_days": 2}});
    let game = game::start(&mut [&mut ann, &mut bob, &mut cy], clock).await;
    game::play_moves(&mut [&mut ann, &mut bob, &mut cy], &game, 4).await;

    let made = bob.ask(offer(&game, "takeback")).await["offer"].clone();
    cy.ask(answer(&game, &made, true)).await;
    let agreed = bob.next_event(&game, "agreed").await;
    assert_eq!((&agreed["seat"], &agreed["needs"]), (&json!(2), &json!([0])));
    ann.ask(answer(&game, &made, true)).await;
    for peer in [&mut ann, &mut bob, &mut cy] {
        let back = peer.next_event(&game, "taken_back").await;
        assert_eq!(
            (&back["ply"], &back["turn"], &back["to_move"]),
            (&json!(1), &json!(5), &json!(1))
        );
        let days = 2 * 86_400_000_u64;
        assert_eq!(back["left_ms"], json!([days, days, days]));
    }

    ann.ask(json!({"type": "abort", "game": game})).await;
    let aborted = cy.next_event(&game, "aborted").await;
    assert_eq!((&aborted["by"], &aborted["reason"]), (&json!(0), &json!("by_player")));

    let game = game::start_and_play(&mut [&mut ann, &mut bob, &mut cy], 3).await;
    ann.refused(json!({"type": "abort", "game": game}), "forbidden").await;
    let made = cy.ask(offer(&game, "abort")).await["offer"].clone();
    for peer in [&mut ann, &mut bob] {
        peer.ask(answer(&game, &made, true)).await;
    }
    for peer in [&mut ann, &mut bob, &mut cy] {
        let aborted = peer.next_event(&game, "aborted").await;
        assert_eq!((&aborted["by"], &aborted["reason"]), (&json!(2), &json!("agreed")));
    }
    ann.refused(offer(&game, "takeback"), "game_over").await;
}

#[tokio::test]
async fn clocks_out_of_range_are_rejected_with_the_range() {
    let (_server, [mut ann, _bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    for (clock, message) in [
        (
            json!({"mode": "byoyomi", "base_ms": 0, "periods": 0, "period_ms": 30_000}),
            "periods must be from 1 to 99",
        ),
        (
            json!({"mode": "byoyomi", "base_ms": 0, "periods": 1, "period_ms": 999}),
            "period_ms must be from 1000 to 3600000",
        ),
        (json!({"mode": "days", "per_move_days": 31}), "per_move_days must be from 1 to 30"),
    ] {
        let challenge = json!({
            "type": "challenge", "rules": "adamas", "seats": ["ann", "bob"], "clock": clock,
        });
        let refused = ann.refused(challenge, "bad_message").await;
        assert!(refused["message"].as_str().unwrap().contains(message), "{refused}");
    }
}
