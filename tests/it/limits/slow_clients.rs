//! Clients that stop reading. Nobody waits for them: a spectator is told how things stand once it
//! reads again, a player is sent away and misses nothing by coming back.

use std::cell::Cell;

use serde_json::{Value, json};

use crate::{
    harness::raw_socket::{Wire, narrow},
    harness::{Peer, Server, game},
    operations::metrics::Page,
};

/// Games that make every list of games a few kilobytes long: a queue holds no more than so many
/// frames long before it holds too many bytes.
const GAMES: usize = 6;

/// Lists that are asked for and not read: more than the operating system takes for a connection
/// whose other end does not read, and a queue besides.
const LISTS: usize = 1_000;

/// How often a spectator stops reading until it has missed something. Whether it does at once
/// depends on how fast the server writes the lists.
const ROUNDS: usize = 10;

/// Games in which a player is told enough for more than a queue has room for: of each ten frames.
const FLOOD_GAMES: usize = 80;

/// Two players with a game that lasts, and enough others to fill a list.
async fn busy_house() -> (Server, Peer, Peer, String) {
    // Whoever is sent away counts as away at once.
    let server = Server::with(|setup| setup.set("games", "claim_after_untimed", "1ms")).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::begin(&mut [&mut ann, &mut bob], json!({"options": {"size": 5}})).await;
    for _ in 0..GAMES {
        game::begin(&mut [&mut ann, &mut bob], json!({})).await;
    }
    (server, ann, bob, game)
}

#[tokio::test]
async fn a_spectator_who_does_not_read_delays_nobody_and_is_told_how_things_stand() {
    let (server, mut ann, mut bob, game) = busy_house().await;
    let url = format!("ws://{}/v1/ws", server.address());
    let mut slow = Peer::over(Box::new(narrow(server.address()).await), &url).await;
    slow.hello(json!({})).await;
    slow.ask(json!({"type": "watch", "game": game})).await;

    let mut lagged = Value::Null;
    for _ in 0..ROUNDS {
        for _ in 0..LISTS {
            slow.send(&json!({"type": "games", "id": "list"})).await;
        }
        // The players hear all of their moves although the spectator hears nothing.
        game::play(&mut [&mut ann, &mut bob], &game, 4).await;
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
    let at = lagged["seq"].as_u64().expect("a spectator who missed something is told");
    assert!(Page::of(&server).await.value("adamant_spectator_lags_total") > 0);
    assert!(at <= ann.replay(&game).seq());
    game::play_out(&mut [&mut ann, &mut bob], &game).await;
    slow.next_event(&game, "ended").await;

    let frames: Vec<&Value> =
        slow.frames().filter(|frame| frame["game"] == game.as_str()).collect();
    let snapshot = frames.iter().position(|frame| **frame == lagged).expect("it has come");
    let record = |seq: u64| read(&ann.records(&game)[usize::try_from(seq).unwrap() - 1]);
    assert_eq!(lagged["chain"], record(at)["chain"]);
    // Who is there may be told in between.
    let events = frames[snapshot + 1..].iter().filter(|frame| frame["type"] == "event");
    let after: Vec<Value> = events.map(|&frame| frame.clone()).collect();
    let missing: Vec<Value> = (at + 1..=ann.replay(&game).seq()).map(record).collect();
    assert_eq!(after, missing, "after the snapshot every event comes once");
}

#[tokio::test]
async fn a_player_who_does_not_read_is_sent_away_and_misses_nothing() {
    let (server, mut ann, mut bob, game) = busy_house().await;
    let mut games = vec![game.clone()];
    for _ in 0..FLOOD_GAMES {
        games.push(game::begin(&mut [&mut ann, &mut bob], json!({})).await);
    }
    let (token, cursor) = (bob.token.clone(), bob.cursor(&game));
    bob.leave().await;
    let mut slow = Wire::over(narrow(server.address()).await);
    assert_eq!(slow.upgrade(server.address(), "").await.status, 101);
    let auth = json!({"token": token});
    slow.text(&json!({"type": "hello", "id": "h", "proto": [1], "auth": auth}).to_string()).await;
    assert_eq!(slow.next_json().await.expect("a welcome")["type"], "welcome");
    for _ in 0..LISTS {
        slow.text(r#"{"type":"games","id":"list"}"#).await;
    }

    // The goodbye is listened to as soon as it is said, however long the disk takes for an offer.
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
                    game::play(&mut [&mut ann], game, 1).await;
                }
            }
        }
        panic!("whoever does not read is kept for ever");
    };
    let mut eve = Peer::nobody(&server).await;
    let hearing = async {
        let watch = json!({"type": "watch", "game": game});
        while eve.ask(watch.clone()).await["presence"][1]["online"] != false {}
        is_away.set(true);
        slow.farewell().await
    };
    let ((), farewell) = tokio::join!(offering, hearing);
    // Through so narrow a window what was sent before may take longer than the server waits to say
    // why; then the connection just ends.
    assert!(matches!(farewell, Some(4004) | None), "{farewell:?}");
    Page::once(&server, "adamant_sessions_ended_total{cause=\"slow consumer\"}", 1).await;

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
