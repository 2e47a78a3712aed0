//! Games without connected clients: the server parks them, and their flags still fall on time.

use serde_json::{Value, json};

use crate::harness::{Metrics, Peer, Server, game};

/// Time for one move: long enough for the game to be parked.
const MOVE_MS: u64 = 3_000;

/// Starts a server that parks games soon, and a game there that both players have left while ann is
/// to move.
async fn parked() -> (Server, [Peer; 2], String) {
    let server = Server::with(|setup| {
        setup.set("games", "park_after", "100ms");
        setup.set("log", "filter", "info,adamant_server=debug");
    })
    .await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let clock = json!({"clock": {"mode": "per_move", "move_ms": MOVE_MS}});
    let game = game::start(&mut [&mut ann, &mut bob], clock).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    ann.disconnect();
    bob.disconnect();
    server.wait_for_log("game parked").await;
    (server, [ann, bob], game)
}

/// Polls the list of finished games, which opens no room, until it contains the game.
async fn finished(eve: &mut Peer, game: &str) -> Value {
    loop {
        let list = eve.ask(json!({"type": "games", "state": "finished"})).await;
        let games = list["games"].as_array().unwrap();
        if let Some(entry) = games.iter().find(|entry| entry["game"] == game) {
            return entry.clone();
        }
    }
}

#[tokio::test]
async fn a_parked_games_flag_falls_without_a_room() {
    let (server, [ann, bob], game) = parked().await;
    let moved = bob.table(&game).last_at();
    let mut eve = Peer::anonymous(&server).await;
    let entry = finished(&mut eve, &game).await;
    assert_eq!(entry["result"]["reason"], "timed_out");
    assert!(entry["last_at"].as_u64().unwrap() >= moved + MOVE_MS, "{entry}");
    server.wait_for_log("parked game's deadline passed").await;
    for peer in [ann, bob] {
        let mut peer = peer.reconnect(&server).await;
        let ended = peer.next_event(&game, "ended").await;
        assert_eq!((&ended["by"], &ended["at"]), (&json!(0), &entry["last_at"]));
    }
}

#[tokio::test]
async fn a_crash_keeps_a_parked_games_flag_and_credits_the_outage() {
    let (mut server, [ann, _bob], game) = parked().await;
    let moved = ann.table(&game).last_at();
    server.kill().await;
    server.restart().await;
    let mut eve = Peer::anonymous(&server).await;
    let until = eve.welcome["ts"].as_u64().unwrap();
    let entry = finished(&mut eve, &game).await;
    eve.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    let adjusted = eve.next_event(&game, "clock_adjusted").await;
    assert_eq!((&adjusted["seat"], &adjusted["reason"]), (&json!(0), &json!("outage")));
    let by_ms = adjusted["by_ms"].as_u64().unwrap();
    assert!(by_ms > 0 && by_ms <= until - moved, "{adjusted}");
    let ended = eve.next_event(&game, "ended").await;
    assert_eq!((&ended["reason"], &ended["at"]), (&json!("timed_out"), &entry["last_at"]));
    assert!(ended["at"].as_u64().unwrap() >= moved + by_ms + MOVE_MS, "{ended}");
}

/// Each of these games has had a room.
const GAMES_WITH_THE_HOUSE: usize = 120;

#[tokio::test]
async fn finished_games_close_their_rooms_and_spectators_still_receive_talk() {
    let server = Server::one_node(|setup| setup.set("games", "park_after", "1s")).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut eve = Peer::guest(&server, "eve").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    eve.ask(json!({"type": "watch", "game": game})).await;
    ann.ask(json!({"type": "resign", "game": game})).await;
    for peer in [&mut ann, &mut bob, &mut eve] {
        peer.next_event(&game, "ended").await;
    }
    for _ in 0..GAMES_WITH_THE_HOUSE {
        let challenge = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "house"]});
        let made = ann.ask(challenge).await;
        let begun = ann
            .next_matching("the house's answer", |frame| {
                frame["type"] == "challenge_closed" && frame["challenge"] == made["challenge"]
            })
            .await;
        ann.ask(json!({"type": "resign", "game": begun["game"]})).await;
        ann.next_event(begun["game"].as_str().unwrap(), "ended").await;
    }
    let metrics = Metrics::wait_for(&server, "adamant_rooms", 0).await;
    assert_eq!(metrics.value("adamant_rooms_over"), 0);
    assert_eq!(metrics.value("adamant_games_parked"), 0);

    ann.ask(json!({"type": "say", "game": game, "room": "players", "text": "gg"})).await;
    for peer in [&mut ann, &mut bob] {
        assert_eq!(peer.next_of("said").await["text"], "gg");
    }
    bob.ask(json!({"type": "say", "game": game, "room": "spectators", "text": "bye"})).await;
    for peer in [&mut ann, &mut bob, &mut eve] {
        assert_eq!(peer.next_of("said").await["text"], "bye");
        let told = |frame: &Value| frame["type"] == "snapshot" && frame.get("re").is_none();
        assert!(!peer.has_received(told).await, "no event is sent again");
    }
    Metrics::wait_for(&server, "adamant_rooms", 0).await;

    // An `unwatch` opens no room.
    let unwatched = eve.ask(json!({"type": "unwatch", "game": game})).await;
    assert_eq!(unwatched["game"], json!(game));
    assert_eq!(Metrics::fetch(&server).await.value("adamant_rooms"), 0);

    ann.ask(json!({"type": "rematch", "game": game})).await;
    bob.next_of("challenged").await;
    let again = bob.ask(json!({"type": "rematch", "game": game})).await;
    let again = again["game"].as_str().expect("both asked for it").to_owned();
    for peer in [&mut ann, &mut bob] {
        peer.next_event(&again, "started").await;
    }
    game::play_moves(&mut [&mut bob, &mut ann], &again, 2).await;
}
