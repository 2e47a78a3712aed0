//! Clients that stop reading.
//!
//! The server waits for none of them. A spectator receives a snapshot once it reads again. A player
//! is disconnected and misses nothing after a reconnect.

use std::cell::Cell;

use serde_json::{Value, json};

use crate::harness::{
    Metrics, Peer, Server, game,
    raw_socket::{RawSocket, narrow},
};

/// Games that make each list a few kilobytes long, so that a queue reaches its limit of bytes
/// before its limit of frames.
const GAMES: usize = 6;

/// Lists requested and not read: more than the socket buffers and a queue hold.
const LISTS: usize = 1_000;

/// How often a spectator stops reading until it has missed an event. That depends on how fast the
/// server writes the lists.
const ROUNDS: usize = 10;

/// Games that send a player more than a queue holds: about ten frames each.
const FLOOD_GAMES: usize = 80;

/// Starts a server with a game between two players, and enough other games to fill a list.
async fn busy_server() -> (Server, Peer, Peer, String) {
    // A player whose connection is closed counts as away at once.
    let server = Server::with(|setup| setup.set("games", "claim_after_untimed", "1ms")).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({"options": {"size": 5}})).await;
    for _ in 0..GAMES {
        game::start(&mut [&mut ann, &mut bob], json!({})).await;
    }
    (server, ann, bob, game)
}

#[tokio::test]
async fn a_slow_spectator_delays_no_player_and_receives_a_snapshot() {
    let (server, mut ann, mut bob, game) = busy_server().await;
    let url = format!("ws://{}/v1/ws", server.address());
    let mut slow = Peer::over(Box::new(narrow(server.address()).await), &url).await;
    slow.hello(json!({})).await;
    slow.ask(json!({"type": "watch", "game": game})).await;

    let mut lagged = Value::Null;
    for _ in 0..ROUNDS {
        for _ in 0..LISTS {
            slow.send(&json!({"type": "games", "id": "list"})).await;
        }
        // The players receive all moves although the spectator reads nothing.
        game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
        let last = ann.replay(&game).seq();
        let told = slow
            .next_matching("the last event or a snapshot instead", |frame| {
                let is_last = frame["type"] == "event" && frame["seq"] == last;
                frame["game"] == game.as_str() && (is_last || frame["reason"] == "lagged")
            })
            .await;
        if told["type"] == "snapshot" {
            lagged = told;
            break;
        }
    }
    let at = lagged["seq"].as_u64().expect("a spectator who missed events receives a notice");
    assert!(Metrics::fetch(&server).await.value("adamant_spectator_lags_total") > 0);
    assert!(at <= ann.replay(&game).seq());
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    slow.next_event(&game, "ended").await;

    let frames: Vec<&Value> =
        slow.frames().filter(|frame| frame["game"] == game.as_str()).collect();
    let snapshot = frames.iter().position(|frame| **frame == lagged).expect("it has come");
    let record = |seq: u64| read(&ann.records(&game)[usize::try_from(seq).unwrap() - 1]);
    assert_eq!(lagged["chain"], record(at)["chain"]);
    // Presence may come in between.
    let events = frames[snapshot + 1..].iter().filter(|frame| frame["type"] == "event");
    let after: Vec<Value> = events.map(|&frame| frame.clone()).collect();
    let missing: Vec<Value> = (at + 1..=ann.replay(&game).seq()).map(record).collect();
    assert_eq!(after, missing, "after the snapshot every event comes once");
}

#[tokio::test]
async fn a_slow_player_is_disconnected_and_misses_nothing() {
    let (server, mut ann, mut bob, game) = busy_server().await;
    let mut games = vec![game.clone()];
    for _ in 0..FLOOD_GAMES {
        games.push(game::start(&mut [&mut ann, &mut bob], json!({})).await);
    }
    let (token, cursor) = (bob.token.clone(), bob.cursor(&game));
    bob.close().await;
    let mut slow = RawSocket::over(narrow(server.address()).await);
    assert_eq!(slow.upgrade(server.address(), "").await.status, 101);
    let auth = json!({"token": token});
    slow.text(&json!({"type": "hello", "id": "h", "proto": [1], "auth": auth}).to_string()).await;
    assert_eq!(slow.next_json().await.expect("a welcome")["type"], "welcome");
    for _ in 0..LISTS {
        slow.text(r#"{"type":"games","id":"list"}"#).await;
    }

    // The close frame is read as soon as it comes, however long the disk takes for an offer.
    let is_away = Cell::new(false);
    let offering = async {
        for game in &games {
            for turn in 0..2 {
                for what in ["draw", "abort"] {
                    let offer = json!({"type": "offer", "game": game, "what": what});
                    let offer = ann.ask(offer).await["offer"].clone();
                    ann.ask(json!({"type": "withdraw", "game": game, "offer": offer})).await;
                }
                if is_away.get() {
                    return;
                }
                if turn == 0 {
                    game::play_moves(&mut [&mut ann], game, 1).await;
                }
            }
        }
        panic!("the slow player is never disconnected");
    };
    let mut eve = Peer::anonymous(&server).await;
    let hearing = async {
        let watch = json!({"type": "watch", "game": game});
        while eve.ask(watch.clone()).await["presence"][1]["online"] != false {}
        is_away.set(true);
        slow.skip_to_close_code().await
    };
    let ((), farewell) = tokio::join!(offering, hearing);
    // Through so small a window the sent frames may take longer than the server waits before its
    // close frame; then the connection just ends.
    assert!(matches!(farewell, Some(4004) | None), "{farewell:?}");
    Metrics::wait_for(&server, "adamant_sessions_ended_total{cause=\"slow consumer\"}", 1).await;

    let mut bob = Peer::connect(server.address()).await;
    let welcome = bob.hello(json!({"auth": auth, "resume": {&game: cursor}})).await;
    let told =
        welcome["games"].as_array().unwrap().iter().find(|told| told["game"] == game.as_str());
    let from = cursor["seq"].as_u64().unwrap() + 1;
    assert_eq!(told.unwrap()["resume"], "tail");
    assert_eq!(told.unwrap()["from"], from);
    let last = ann.replay(&game).seq();
    bob.next_matching("the last event", |frame| {
        frame["type"] == "event" && frame["game"] == game.as_str() && frame["seq"] == last
    })
    .await;
    let of_game = |frame: &&Value| frame["type"] == "event" && frame["game"] == game.as_str();
    let heard: Vec<Value> = bob.frames().filter(of_game).cloned().collect();
    let missed = &ann.records(&game)[usize::try_from(from).unwrap() - 1..];
    assert_eq!(heard, missed.iter().map(|record| read(record)).collect::<Vec<_>>());
}

fn read(record: &str) -> Value {
    serde_json::from_str(record).expect("records are JSON")
}
