//! Draw offers: made, accepted, declined, withdrawn, overtaken by a move, and between three.

use serde_json::{Value, json};

use crate::harness::{Peer, Server, game};

struct Two {
    server: Server,
    ann: Peer,
    bob: Peer,
    game: String,
}

async fn two() -> Two {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    Two { server, ann, bob, game }
}

fn offer(game: &str) -> Value {
    json!({"type": "offer", "game": game, "what": "draw"})
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
    let made = ann.ask(offer(&game)).await["offer"].clone();
    let offered = bob.next_event(&game, "offered").await;
    assert_eq!((&offered["offer"], &offered["by"]), (&made, &json!(0)));
    assert_eq!((&offered["what"], &offered["needs"]), (&json!("draw"), &json!([1])));
    bob.refused(offer(&game), "forbidden").await;
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
    ann.refused(offer(&game), "game_over").await;
    bob.refused(answer(&game, &made, true), "game_over").await;
}

#[tokio::test]
async fn a_draw_offer_is_declined_withdrawn_or_closed_by_a_move() {
    let Two { server, mut ann, mut bob, game } = two().await;
    let mut cy = Peer::guest(&server, "cy").await;
    cy.refused(offer(&game), "not_a_player").await;

    let made = bob.ask(offer(&game)).await["offer"].clone();
    cy.refused(answer(&game, &made, true), "not_a_player").await;
    ann.ask(answer(&game, &made, false)).await;
    assert_closed(&mut bob, &game, &made, "declined", 0).await;
    ann.refused(answer(&game, &made, true), "no_such_offer").await;

    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    let made = bob.ask(offer(&game)).await["offer"].clone();
    bob.ask(withdraw(&game, &made)).await;
    assert_closed(&mut ann, &game, &made, "withdrawn", 1).await;
    bob.refused(withdraw(&game, &made), "no_such_offer").await;

    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    let made = bob.ask(offer(&game)).await["offer"].clone();
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
    server.kill().await;
    server.restart().await;
    ann = ann.reconnect(&server).await;
    bob = bob.reconnect(&server).await;
    bob.refused(offer(&game), "forbidden").await;
    assert_eq!(bob.replay(&game).seq(), records);
    // The limit binds neither the other side nor the next turn.
    let made = ann.ask(offer(&game)).await["offer"].clone();
    bob.ask(answer(&game, &made, false)).await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    bob.ask(offer(&game)).await;
}
