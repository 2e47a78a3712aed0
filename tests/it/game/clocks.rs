//! Flags that fall while players are idle, absent, late or while the server is down; parked games.

use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::harness::{Frame, Metrics, Peer, Server, game};

/// The shortest time per move that a game may have.
const MOVE_MS: u64 = 1_000;

fn clock() -> Value {
    json!({"clock": {"mode": "per_move", "move_ms": MOVE_MS}})
}

fn at(frame: &Value) -> u64 {
    frame["at"].as_u64().unwrap()
}

/// Time for one move in tests that take their time.
const LONG_MOVE_MS: u64 = 4_000;

/// What a client has heard to be credited.
fn credited_ms(peer: &Peer) -> u64 {
    let adjusted = peer.frames().filter(|frame| frame["kind"] == "clock_adjusted");
    adjusted.map(|frame| frame["by_ms"].as_u64().unwrap()).sum()
}

#[tokio::test]
async fn an_outage_is_credited_to_the_clock() {
    let mut server = Server::start().await;
    let clock = json!({"clock": {"mode": "per_move", "move_ms": LONG_MOVE_MS}});
    let (mut ann, mut bob, game) = game::start_two_with(&server, clock).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let play = game::move_request(&ann, &game, &game::choose_move(ann.table(&game)));
    let moved = ann.table(&game).last_at();
    server.kill().await;
    // Ann's time runs out while the server is down.
    sleep(Duration::from_millis(LONG_MOVE_MS)).await;
    server.restart().await;

    let mut ann = ann.reconnect(&server).await;
    let adjusted = ann.next_event(&game, "clock_adjusted").await;
    assert_eq!((&adjusted["seat"], &adjusted["reason"]), (&json!(0), &json!("outage")));
    let by_ms = adjusted["by_ms"].as_u64().unwrap();
    assert!(by_ms >= LONG_MOVE_MS && by_ms <= at(&adjusted) - moved, "{adjusted}");
    let turn = ann.next_of("your_turn").await;
    // On a busy machine ann needs a while to come back, which is credited too.
    assert_eq!(turn["deadline"], moved + credited_ms(&ann) + LONG_MOVE_MS);
    let done = ann.ask(play).await;
    ann.read_up_to(&game, done["seq"].as_u64().unwrap()).await;
    let mut bob = bob.reconnect(&server).await;
    bob.read_up_to(&game, done["seq"].as_u64().unwrap()).await;
    assert_eq!(bob.records(&game), ann.records(&game));
}

/// Games that are played while the server is restarted.
const BUSY_GAMES: usize = 100;

#[tokio::test]
#[ignore = "long"]
async fn a_restart_at_the_busiest_hour_costs_nobody_a_game() {
    let mut server = Server::embedded(|_| {}).await;
    // The time of a move is shorter than the restart with the return of all players.
    let clock = json!({"clock": {"mode": "per_move", "move_ms": LONG_MOVE_MS}});
    let begin = |number: usize| {
        let (server, clock) = (&server, clock.clone());
        async move {
            let mut ann = Peer::guest(server, &format!("ann{number}")).await;
            let mut bob = Peer::guest(server, &format!("bob{number}")).await;
            let game = game::start(&mut [&mut ann, &mut bob], clock).await;
            game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
            (ann, bob, game)
        }
    };
    let seated = join_all((0..BUSY_GAMES).map(begin)).await;
    assert!(server.stop().await.success());
    sleep(Duration::from_millis(LONG_MOVE_MS)).await;
    server.restart().await;

    let address = server.address();
    let go_on = |(ann, bob, game): (Peer, Peer, String)| async move {
        let (mut ann, mut bob) = (ann.reconnect_to(address).await, bob.reconnect_to(address).await);
        game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
        assert!(ann.table(&game).outcome().is_none(), "{game}");
    };
    join_all(seated.into_iter().map(go_on)).await;
}

#[tokio::test]
async fn no_flag_falls_for_a_move_that_came_while_the_server_stood_still() {
    let server = Server::embedded(|_| {}).await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    // Less than a second is credited when it matters, a longer time to every running clock.
    for (thought_ms, still_ms) in [(MOVE_MS - 400, 700), (100, MOVE_MS + 400)] {
        let game = game::start(&mut [&mut ann, &mut bob], clock()).await;
        let mut play = game::move_request(&ann, &game, &game::choose_move(ann.table(&game)));
        play["id"] = json!(format!("{game}:0"));
        sleep(Duration::from_millis(thought_ms)).await;
        server.node(0).pause().await;
        ann.send(&play).await;
        sleep(Duration::from_millis(still_ms)).await;
        server.node(0).resume().await;
        let credited = ann.next_event(&game, "clock_adjusted").await;
        assert!(credited["by_ms"].as_u64().unwrap() >= still_ms - 100, "{credited}");
        ann.next_event(&game, "moved").await;
        ann.ask(json!({"type": "abort", "game": game})).await;
    }
}

/// Time for one move: long enough for the game to be parked.
const PARKED_MOVE_MS: u64 = 3_000;

/// Starts a server that parks games soon, and a game there that both players have left while ann is
/// to move.
async fn parked() -> (Server, [Peer; 2], String) {
    let server = Server::with(|setup| {
        setup.set("games", "park_after", "100ms");
        setup.set("log", "filter", "info,adamant_server=debug");
    })
    .await;
    let clock = json!({"clock": {"mode": "per_move", "move_ms": PARKED_MOVE_MS}});
    let (mut ann, mut bob, game) = game::start_two_with(&server, clock).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    ann.disconnect();
    bob.disconnect();
    server.wait_for_log("game parked").await;
    (server, [ann, bob], game)
}

/// How long a clock stands after an outage until its player is back.
const RETURN_MAX_MS: u64 = 20_000;

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
    assert!(entry["last_at"].as_u64().unwrap() >= moved + PARKED_MOVE_MS, "{entry}");
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
    server.crash().await;
    let mut eve = Peer::anonymous(&server).await;
    let until = eve.welcome["ts"].as_u64().unwrap();
    let entry = finished(&mut eve, &game).await;
    eve.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    let adjusted = eve.next_event(&game, "clock_adjusted").await;
    assert_eq!((&adjusted["seat"], &adjusted["reason"]), (&json!(0), &json!("outage")));
    let by_ms = adjusted["by_ms"].as_u64().unwrap();
    // The clock also stands until the player is back, who never comes.
    assert!(by_ms > 0 && by_ms <= until - moved + RETURN_MAX_MS, "{adjusted}");
    let ended = eve.next_event(&game, "ended").await;
    assert_eq!((&ended["reason"], &ended["at"]), (&json!("timed_out"), &entry["last_at"]));
    assert!(ended["at"].as_u64().unwrap() >= moved + by_ms + PARKED_MOVE_MS, "{ended}");
}

/// Each of these games has had a room.
const GAMES_WITH_THE_HOUSE: usize = 120;

#[tokio::test]
async fn finished_games_close_their_rooms_and_spectators_still_receive_talk() {
    let server = Server::one_node(|setup| setup.set("games", "park_after", "1s")).await;
    let [mut ann, mut bob, mut eve] = Peer::guests(&server, ["ann", "bob", "eve"]).await;
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

fn claim(game: &str) -> Value {
    json!({"type": "claim", "game": game, "what": "abandoned"})
}

/// Returns the next `presence` frame with this state of a seat.
async fn next_presence(peer: &mut Peer, game: &str, seat: usize, online: bool) -> Value {
    let frame = peer
        .next_matching("presence", |frame| {
            frame["type"] == "presence"
                && frame["game"] == game
                && frame["seats"][seat]["online"] == online
        })
        .await;
    frame["seats"][seat].clone()
}

/// A wait for a claim that is over soon, and one that a slow test does not miss.
const SHORT_MS: u64 = 300;
const LONGER_MS: u64 = 1_500;

/// Starts a server on which a claim is possible after this wait. It shows a player away after the
/// same time at the latest.
async fn server_with_claims_after(wait_ms: u64) -> Server {
    Server::with(|setup| {
        setup.set("games", "claim_after", format!("{wait_ms}ms"));
        setup.set("games", "claim_after_untimed", format!("{wait_ms}ms"));
    })
    .await
}

#[tokio::test]
async fn players_and_spectators_receive_presence() {
    let server = server_with_claims_after(SHORT_MS).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    let mut eve = Peer::anonymous(&server).await;
    eve.ask(json!({"type": "watch", "game": game})).await;
    bob.disconnect();
    // It is ann's turn: the game does not wait for bob.
    for peer in [&mut ann, &mut eve] {
        let away = next_presence(peer, &game, 1, false).await;
        assert!(away["since"].is_u64() && away["claim_at"].is_null(), "{away}");
    }
    game::play_moves(&mut [&mut ann], &game, 1).await;
    let turn = ann.replay(&game).table().expect("it has begun").last_at();
    for peer in [&mut ann, &mut eve] {
        assert_eq!(next_presence(peer, &game, 1, false).await["claim_at"], turn + SHORT_MS);
    }
    let snapshot = eve.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["presence"][0], json!({"seat": 0, "online": true}));
    assert_eq!(snapshot["presence"][1]["online"], false);
    assert_eq!(snapshot["spectators"], 1);

    let mut bob = bob.reconnect(&server).await;
    for peer in [&mut ann, &mut eve, &mut bob] {
        assert_eq!(next_presence(peer, &game, 1, true).await, json!({"seat": 1, "online": true}));
    }
    // A player who unwatches is not present, though still connected.
    bob.ask(json!({"type": "unwatch", "game": game})).await;
    next_presence(&mut ann, &game, 1, false).await;
}

#[tokio::test]
async fn a_claim_ends_a_game_of_two_after_the_wait() {
    let mut server = server_with_claims_after(LONGER_MS).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let mut eve = Peer::guest(&server, "eve").await;
    eve.refused(claim(&game), "not_a_player").await;
    ann.refused(claim(&game), "forbidden").await;
    bob.disconnect();
    next_presence(&mut ann, &game, 1, false).await;
    // The wait begins with bob's turn.
    game::play_moves(&mut [&mut ann], &game, 1).await;
    let early = ann.refused(claim(&game), "too_soon").await;
    assert_eq!((&early["retry"], &early["game"]), (&json!("after"), &json!(game)));
    let wait = early["retry_after_ms"].as_u64().unwrap();
    assert!((1..=LONGER_MS).contains(&wait), "{early}");

    // Bob is away from the start of the new process on, and a claim is possible sooner there.
    server.kill().await;
    server.configure(|setup| {
        setup.set("games", "claim_after_untimed", format!("{SHORT_MS}ms"));
    });
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    next_presence(&mut ann, &game, 1, false).await;
    let mut claim = claim(&game);
    claim["id"] = json!("the claim");
    let done = loop {
        let reply = ann.request(claim.clone()).await;
        if reply["code"] != "too_soon" {
            break reply;
        }
    };
    assert_eq!(done["type"], "ok", "{done}");
    let ended = ann.next_event(&game, "ended").await;
    assert_eq!((&ended["seq"], &ended["req"]), (&done["seq"], &json!("the claim")));
    assert_eq!((&ended["reason"], &ended["winners"]), (&json!("abandoned"), &json!([0])));
    assert_eq!((&ended["by"], &ended["claimed_by"]), (&json!(1), &json!(0)));

    // The same claim after another crash has the same reply, and bob receives the end.
    server.crash().await;
    let mut ann = ann.reconnect(&server).await;
    let again = ann.ask(claim.clone()).await;
    assert_eq!((&again["dup"], &again["seq"]), (&json!(true), &done["seq"]));
    claim["id"] = json!("another claim");
    ann.refused(claim, "game_over").await;
    let mut bob = bob.reconnect(&server).await;
    bob.next_event(&game, "ended").await;
    assert_eq!(bob.records(&game), ann.records(&game));
}

/// Repeats a claim until the server accepts it.
async fn claim_in_time(peer: &mut Peer, request: &Value) -> Frame {
    loop {
        let reply = peer.request(request.clone()).await;
        if reply["code"] != "too_soon" {
            assert_eq!(reply["type"], "ok", "{}", peer.recent_frames());
            return reply;
        }
    }
}

#[tokio::test]
async fn a_claim_in_a_game_of_three_removes_one_player() {
    let mut server = server_with_claims_after(SHORT_MS).await;
    let [mut ann, mut bob, mut cy] = Peer::guests(&server, ["ann", "bob", "cy"]).await;
    let clock = json!({"clock": {"mode": "fischer", "base_ms": 600_000, "inc_ms": 0}});
    let game = game::start(&mut [&mut ann, &mut bob, &mut cy], clock).await;
    game::play_moves(&mut [&mut ann, &mut bob, &mut cy], &game, 4).await;
    bob.disconnect();
    next_presence(&mut cy, &game, 1, false).await;
    let mut wrong = claim(&game);
    wrong["seat"] = json!(0);
    cy.refused(wrong.clone(), "forbidden").await;
    wrong["seat"] = json!(3);
    cy.refused(wrong, "bad_message").await;
    let mut named = claim(&game);
    named["seat"] = json!(1);
    claim_in_time(&mut cy, &named).await;
    let offered = game::answer_seat_offer(&mut ann, &game, false).await;
    assert_eq!((&offered["seat"], &offered["claimed_by"]), (&json!(1), &json!(2)));
    let removed = ann.next_event(&game, "removed").await;
    assert_eq!((&removed["seat"], &removed["reason"]), (&json!(1), &json!("abandoned")));
    assert_eq!(removed["claimed_by"], 2);
    // Bob has left the game, and may not claim against the players who are in it.
    let mut bob = bob.reconnect(&server).await;
    bob.next_event(&game, "removed").await;
    ann.disconnect();
    next_presence(&mut cy, &game, 0, false).await;
    bob.refused(claim(&game), "forbidden").await;

    server.crash().await;
    let [mut ann, mut bob, mut cy] = Peer::reconnect_all([ann, bob, cy], &server).await;
    let snapshot = cy.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["seats"][1]["state"], "abandoned");
    assert!(snapshot["presence"][1]["claim_at"].is_null(), "{snapshot}");
    let turn = cy.next_of("your_turn").await;
    assert_eq!(turn["turn"], removed["turn"]);
    game::catch_up(&mut [&mut ann, &mut bob, &mut cy], &game).await;
    game::play_moves(&mut [&mut ann, &mut bob, &mut cy], &game, 1).await;
}
