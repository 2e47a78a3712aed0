//! Moves that are refused, moves that are sent twice, and what they do to the clocks.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::harness::{Peer, Server, game};

/// How long a player keeps trying illegal moves in the test of the clock: long enough to be seen
/// in milliseconds.
const TRYING: Duration = Duration::from_millis(60);

/// A move that splits the first stack in two directions, in both spellings: canonical notation has
/// the cells in ascending order.
fn split(peer: &Peer, game: &str) -> (String, String) {
    let position = peer.table(game).position();
    for from in position.sources() {
        let targets = position.targets(from);
        let [first, second, ..] = targets.as_slice() else { continue };
        let name = |cell| position.cell_name(cell).as_str().to_owned();
        let (from, one, two) = (name(from), name(first.cell), name(second.cell));
        let spellings = (format!("{from}-{one},{two}"), format!("{from}-{two},{one}"));
        if position.parse_move(&spellings.0).is_ok_and(|play| position.validate(&play).is_ok()) {
            return spellings;
        }
    }
    panic!("no stack can be split\n{}", peer.story());
}

#[tokio::test]
async fn refused_moves_say_why_and_change_nothing() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    let game = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
    let play = game::choose(ann.table(&game));
    let request =
        |turn: u32, play: &str| json!({"type": "move", "game": game, "turn": turn, "move": play});

    let illegal = ann.refused(request(0, "c3-c4"), "illegal_move").await;
    assert!(illegal["why"].is_string(), "{illegal}");
    assert_eq!((&illegal["game"], &illegal["retry"]), (&json!(game), &json!("never")));
    let unreadable = ann.refused(request(0, "!"), "illegal_move").await;
    assert!(unreadable["why"].is_string(), "{unreadable}");

    let stale = ann.refused(request(7, &play), "stale_turn").await;
    assert_eq!((&stale["turn"], &stale["retry"]), (&json!(0), &json!("resync")));
    bob.refused(request(0, &play), "not_your_turn").await;
    // Checks come in order: whose turn it is matters only for the right turn.
    bob.refused(request(7, &play), "stale_turn").await;
    bob.refused(request(0, "!"), "not_your_turn").await;
    cy.refused(request(7, "!"), "not_a_player").await;
    let elsewhere = json!({"type": "move", "game": "nosuchgame", "turn": 0, "move": play});
    ann.refused(elsewhere, "not_found").await;
    ann.refused(json!({"type": "move", "game": game, "turn": -1, "move": play}), "bad_message")
        .await;
    ann.refused(json!({"type": "move", "game": game, "turn": 0}), "bad_message").await;

    // Nobody has heard of any of it.
    assert!(!bob.has_now(|frame| frame["kind"] == "moved").await, "{}", bob.story());
    let ok = game::make(&mut ann, &game, &play).await;
    assert_eq!((&ok["seq"], &ok["turn"], ok.get("dup")), (&json!(3), &json!(1), None));
}

#[tokio::test]
async fn a_move_that_is_sent_again_is_made_once() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
    let (play, spelt_otherwise) = split(&ann, &game);
    let other = {
        let table = ann.table(&game);
        let moves = table.position().legal_moves(50);
        let canonical = table.position().parse_move(&play).unwrap().to_string();
        moves.iter().map(ToString::to_string).find(|legal| *legal != canonical).unwrap()
    };
    let request =
        |play: &str| json!({"type": "move", "id": "first", "game": game, "turn": 0, "move": play});

    // A refused request is not remembered: it is corrected under the same id.
    ann.refused(request("c3-c4"), "illegal_move").await;
    let ok = ann.ask(request(&play)).await;
    assert_eq!(ok.get("dup"), None, "{ok}");
    let same = |again: &Value| {
        assert_eq!(again["dup"], true, "{again}");
        for fact in ["type", "re", "game", "seq", "turn"] {
            assert_eq!(again[fact], ok[fact], "{again}");
        }
    };
    same(&ann.ask(request(&play)).await);
    same(&ann.ask(request(&spelt_otherwise)).await);
    ann.refused(request(&other), "id_reuse").await;
    let later = json!({"type": "move", "id": "first", "game": game, "turn": 1, "move": play});
    ann.refused(later, "id_reuse").await;
    ann.refused(json!({"type": "resign", "id": "first", "game": game}), "id_reuse").await;

    // Ids are each user's own.
    bob.hear_up_to(&game, ok["seq"].as_u64().unwrap()).await;
    let mut answer = game::request(&bob, &game, &game::choose(bob.table(&game)));
    answer["id"] = json!("first");
    assert_eq!(bob.ask(answer).await.get("dup"), None);

    // Neither a new connection nor a crash makes the server forget.
    let mut ann = ann.reconnect(&server).await;
    same(&ann.ask(request(&play)).await);
    server.kill9().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    same(&ann.ask(request(&spelt_otherwise)).await);
    ann.refused(request(&other), "id_reuse").await;

    // Not even the end of the game does, and it is looked for first.
    let resign = json!({"type": "resign", "id": "last", "game": game});
    let resigned = ann.ask(resign.clone()).await;
    let again = ann.ask(resign).await;
    assert_eq!((&again["dup"], &again["seq"]), (&json!(true), &resigned["seq"]));
    same(&ann.ask(request(&play)).await);
    ann.refused(json!({"type": "resign", "game": game}), "game_over").await;
    let moved = |frame: &&Value| frame["kind"] == "moved" && frame["seat"] == 0;
    let records = ann.records(&game).iter().map(|text| serde_json::from_str(text).unwrap());
    assert_eq!(records.collect::<Vec<Value>>().iter().filter(moved).count(), 1);
}

#[tokio::test]
async fn the_clock_runs_on_while_moves_are_refused() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let clock = json!({"clock": {"mode": "fischer", "base_ms": 60_000, "inc_ms": 2_000}});
    let game = game::begin(&mut [&mut ann, &mut bob], clock).await;
    game::play(&mut [&mut ann, &mut bob], &game, 2).await;
    let before: Value = serde_json::from_str(ann.records(&game).last().unwrap()).unwrap();
    let turn = ann.table(&game).turn();

    let began = Instant::now();
    while began.elapsed() < TRYING {
        let illegal = json!({"type": "move", "game": game, "turn": turn, "move": "c3-c3"});
        ann.refused(illegal, "illegal_move").await;
    }
    let tried_ms = u64::try_from(began.elapsed().as_millis()).unwrap();
    let play = game::choose(ann.table(&game));
    game::make(&mut ann, &game, &play).await;
    let moved = ann
        .next_matching("the move", |frame| frame["turn"] == turn + 1 && frame["kind"] == "moved")
        .await;

    let number = |frame: &Value, fact: &str| frame[fact].as_u64().unwrap();
    let (spent, lag) = (number(&moved, "spent_ms"), number(&moved, "lag_ms"));
    assert_eq!(spent, number(&moved, "at") - number(&before, "at"));
    // Two milliseconds may be lost to rounding.
    assert!(spent + 2 >= tried_ms, "tried for {tried_ms} ms: {moved}");
    let left = |frame: &Value, seat: usize| frame["left_ms"][seat].as_u64().unwrap();
    assert_eq!(left(&moved, 0), left(&before, 0) - (spent - lag) + 2_000);
    assert_eq!(left(&moved, 1), left(&before, 1));
}
