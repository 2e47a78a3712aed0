//! The statistics of a game, which count its finished games.

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::harness::{Frame, PATIENCE, Peer, Server, game, http, with};

async fn stats(peer: &mut Peer, fields: Value) -> Frame {
    peer.ask(with(json!({"type": "stats", "rules": "adamas"}), fields)).await
}

/// Waits until the server has counted this number of games, aborted ones included.
async fn counted(peer: &mut Peer, games: u64) -> Frame {
    let looking = async {
        loop {
            let found = stats(peer, json!({})).await;
            if found["games"].as_u64().unwrap() + found["aborted"].as_u64().unwrap() == games {
                return found;
            }
        }
    };
    // Of several nodes that were killed another one takes over the counting when the lease ends.
    timeout(2 * PATIENCE, looking).await.expect("the games are counted")
}

/// Plays the first moves of a game, which `loser` then resigns.
async fn play(seats: [&mut Peer; 2], config: Value, moves: &[&str], loser: usize) -> String {
    let [first, second] = seats;
    let game = game::start(&mut [&mut *first, &mut *second], config).await;
    for (turn, notation) in moves.iter().enumerate() {
        let player = if turn % 2 == 0 { &mut *first } else { &mut *second };
        game::make_move(player, &game, notation).await;
        game::catch_up(&mut [&mut *first, &mut *second], &game).await;
    }
    let resigns = if loser == 0 { &mut *first } else { &mut *second };
    resigns.ask(json!({"type": "resign", "game": game})).await;
    game
}

#[tokio::test]
async fn finished_games_are_counted_by_result_end_length_and_opening() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let none = stats(&mut ann, json!({})).await;
    assert_eq!(
        (&none["games"], &none["wins"], none.get("length")),
        (&json!(0), &json!([0, 0]), None)
    );
    play([&mut ann, &mut bob], json!({}), &["c1-c2", "c5-c4"], 0).await;
    play([&mut ann, &mut bob], json!({}), &["c1-c2"], 1).await;
    // The opening of an unlisted game stays unknown, and that on another board is another one.
    play([&mut ann, &mut bob], json!({"unlisted": true}), &["c1-d1", "c5-c4"], 0).await;
    play([&mut ann, &mut bob], json!({"options": "-prog_cap"}), &["c1-d1"], 0).await;
    let aborted = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(json!({"type": "abort", "game": aborted})).await;
    // A server looks for games to count when it starts, and then each five seconds.
    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;

    let found = counted(&mut ann, 5).await;
    assert_eq!((&found["rules"], &found["players"]), (&json!("adamas@1"), &json!(2)));
    assert_eq!(
        (&found["games"], &found["wins"], &found["draws"], &found["aborted"]),
        (&json!(4), &json!([1, 3]), &json!(0), &json!(1))
    );
    assert_eq!(found["reasons"], json!([{"reason": "resigned", "games": 4}]));
    assert_eq!(
        found["length"],
        json!({"shortest": 1, "lower_quartile": 1, "median": 1, "upper_quartile": 2, "longest": 2,
            "bar_width": 1, "bars": [0, 2, 2]})
    );
    assert_eq!(
        found["openings"],
        json!([
            {"moves": ["c1-c2"], "games": 2, "wins": [1, 1], "draws": 0},
            {"moves": ["c1-c2", "c5-c4"], "games": 1, "wins": [0, 1], "draws": 0}
        ])
    );
    let people = stats(&mut ann, json!({"opponents": "people"})).await;
    assert_eq!((&people["games"], &people["opponents"]), (&json!(4), &json!("people")));
    assert_eq!(stats(&mut ann, json!({"opponents": "mixed"})).await["games"], 0);
    assert_eq!(stats(&mut ann, json!({"players": 3})).await["games"], 0);
    ann.refused(json!({"type": "stats", "rules": "ludo"}), "not_found").await;
    ann.refused(json!({"type": "stats", "rules": "diam", "players": 3}), "bad_message").await;
    let read = http::get(&server, "/v1/stats/adamas?opponents=people").await;
    assert_eq!(read["openings"], people["openings"]);
    let (status, problem) = http::refused(&server, "/v1/stats/adamas?opponents=all").await;
    assert_eq!((status, problem["code"].as_str()), (400, Some("bad_message")));

    // A game counts once, whenever the server stops.
    server.kill().await;
    server.restart().await;
    let mut ann = Peer::anonymous(&server).await;
    assert_eq!(stats(&mut ann, json!({})).await["games"], 4);
}

#[tokio::test]
async fn games_with_bots_are_counted_apart() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let seats = json!(["ann", "house"]);
    ann.ask(json!({"type": "challenge", "rules": "adamas", "seats": seats})).await;
    let game = ann.next_of("challenge_closed").await["game"].clone();
    ann.ask(json!({"type": "resign", "game": game})).await;
    counted(&mut ann, 1).await;
    assert_eq!(stats(&mut ann, json!({"opponents": "mixed"})).await["wins"], json!([0, 1]));
    assert_eq!(stats(&mut ann, json!({"opponents": "people"})).await["games"], 0);
}
