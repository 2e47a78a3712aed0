//! Rejected moves, repeated moves, and their effect on the clocks.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::harness::{Peer, Server, game};

/// How long a player keeps sending illegal moves: long enough to be seen in milliseconds.
const TRYING: Duration = Duration::from_millis(60);

/// Returns a move that splits the first stack in two directions, in two spellings: canonical
/// notation has the cells in ascending order.
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
    panic!("no stack can be split\n{}", peer.recent_frames());
}

#[tokio::test]
async fn rejected_moves_give_a_reason_and_change_nothing() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let play = game::choose_move(ann.table(&game));
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
    // The turn number is checked first, and then whose turn it is.
    bob.refused(request(7, &play), "stale_turn").await;
    bob.refused(request(0, "!"), "not_your_turn").await;
    cy.refused(request(7, "!"), "not_a_player").await;
    let elsewhere = json!({"type": "move", "game": "nosuchgame", "turn": 0, "move": play});
    ann.refused(elsewhere, "not_found").await;
    ann.refused(json!({"type": "move", "game": game, "turn": -1, "move": play}), "bad_message")
        .await;
    ann.refused(json!({"type": "move", "game": game, "turn": 0}), "bad_message").await;

    // The other player has received no event.
    assert!(!bob.has_received(|frame| frame["kind"] == "moved").await, "{}", bob.recent_frames());
    let ok = game::make_move(&mut ann, &game, &play).await;
    assert_eq!((&ok["seq"], &ok["turn"], ok.get("dup")), (&json!(3), &json!(1), None));
}

#[tokio::test]
async fn a_repeated_move_is_made_once() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let (play, spelt_otherwise) = split(&ann, &game);
    let other = {
        let table = ann.table(&game);
        let moves = table.position().legal_moves(50);
        let canonical = table.position().parse_move(&play).unwrap().to_string();
        moves.iter().map(ToString::to_string).find(|legal| *legal != canonical).unwrap()
    };
    let request =
        |play: &str| json!({"type": "move", "id": "first", "game": game, "turn": 0, "move": play});

    // The server does not remember a rejected request: the client corrects it under the same id.
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

    // Each user has their own ids.
    bob.read_up_to(&game, ok["seq"].as_u64().unwrap()).await;
    let mut answer = game::move_request(&bob, &game, &game::choose_move(bob.table(&game)));
    answer["id"] = json!("first");
    assert_eq!(bob.ask(answer).await.get("dup"), None);

    // The id survives a reconnect and a crash.
    let mut ann = ann.reconnect(&server).await;
    same(&ann.ask(request(&play)).await);
    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    same(&ann.ask(request(&spelt_otherwise)).await);
    ann.refused(request(&other), "id_reuse").await;

    // The id is checked before the end of the game is.
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
async fn rejected_moves_do_not_stop_the_clock() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let clock = json!({"clock": {"mode": "fischer", "base_ms": 60_000, "inc_ms": 2_000}});
    let game = game::start(&mut [&mut ann, &mut bob], clock).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let before: Value = serde_json::from_str(ann.records(&game).last().unwrap()).unwrap();
    let turn = ann.table(&game).turn();

    let began = Instant::now();
    while began.elapsed() < TRYING {
        let illegal = json!({"type": "move", "game": game, "turn": turn, "move": "c3-c3"});
        ann.refused(illegal, "illegal_move").await;
    }
    let tried_ms = u64::try_from(began.elapsed().as_millis()).unwrap();
    let play = game::choose_move(ann.table(&game));
    game::make_move(&mut ann, &game, &play).await;
    let moved = ann
        .next_matching("the move", |frame| frame["turn"] == turn + 1 && frame["kind"] == "moved")
        .await;

    let number = |frame: &Value, fact: &str| frame[fact].as_u64().unwrap();
    let (spent, lag) = (number(&moved, "spent_ms"), number(&moved, "lag_ms"));
    assert_eq!(spent, number(&moved, "at") - number(&before, "at"));
    // Rounding may lose two milliseconds.
    assert!(spent + 2 >= tried_ms, "tried for {tried_ms} ms: {moved}");
    let left = |frame: &Value, seat: usize| frame["left_ms"][seat].as_u64().unwrap();
    assert_eq!(left(&moved, 0), left(&before, 0) - (spent - lag) + 2_000);
    assert_eq!(left(&moved, 1), left(&before, 1));
}
