//! Several nodes on one database.

mod balancer; // HAProxy in front of the nodes
mod contest; // players who act against themselves at two nodes, and faults
mod faults; // nothing is lost, doubled or shown in vain

use postgres_fixture::wrong_clock;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::harness::{Frame, Metrics, PATIENCE, Peer, Server, Setup, game};

/// A game of ann on the first node and bob on the second.
async fn start_two(server: &Server) -> (Peer, Peer, String) {
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    let mut bob = Peer::guest_at(server.node(1), "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    (ann, bob, game)
}

/// Waits until a client is shown whether a seat is present.
async fn next_presence(peer: &mut Peer, game: &str, seat: usize, online: bool) -> Value {
    let frame = peer.next_matching("presence", |frame| {
        frame["type"] == "presence"
            && frame["game"] == game
            && frame["seats"][seat]["online"] == online
    });
    frame.await["seats"][seat].clone()
}

#[tokio::test]
async fn all_nodes_show_every_move_of_a_game() {
    let server = Server::cluster(3, |_| {}).await;
    let (mut ann, mut bob, game) = start_two(&server).await;
    let mut eve = Peer::guest_at(server.node(2), "eve").await;
    eve.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    eve.next_event(&game, "ended").await;
    for peer in [&bob, &eve] {
        assert_eq!(peer.records(&game), ann.records(&game));
    }
}

#[tokio::test]
async fn players_on_different_nodes_talk_and_play_again() {
    let server = Server::cluster(3, |_| {}).await;
    let (mut ann, mut bob, game) = start_two(&server).await;
    let mut eve = Peer::guest_at(server.node(2), "eve").await;
    eve.ask(json!({"type": "watch", "game": game})).await;
    ann.ask(json!({"type": "say", "game": game, "room": "players", "text": "hello"})).await;
    let said = bob.next_of("said").await;
    assert_eq!((&said["by"], &said["text"]), (&json!("ann"), &json!("hello")));
    let talk = json!({"type": "talk", "game": game, "room": "players"});
    let listed = bob.ask(talk).await;
    assert_eq!(listed["lines"][0]["text"], "hello", "{listed}");
    game::resign(&mut bob, &mut ann, &game).await;
    eve.next_event(&game, "ended").await;
    ann.ask(json!({"type": "rematch", "game": game})).await;
    let offered = bob.next_of("challenged").await;
    assert_eq!(offered["rematch_of"], json!(game));
    let begun = bob.ask(json!({"type": "rematch", "game": game})).await;
    let next = begun["game"].as_str().expect("both want it").to_owned();
    for peer in [&mut ann, &mut bob] {
        peer.next_event(&next, "started").await;
    }
    // The players have changed sides.
    game::play_moves(&mut [&mut bob, &mut ann], &next, 4).await;
}

#[tokio::test]
async fn a_player_on_another_node_is_present_and_one_who_left_can_be_claimed() {
    let server = Server::cluster(3, |setup| {
        setup.set("games", "claim_after", "300ms");
        setup.set("games", "claim_after_untimed", "300ms");
    })
    .await;
    let (mut ann, mut bob, game) = start_two(&server).await;
    let claim = json!({"type": "claim", "game": game, "what": "abandoned"});
    game::play_moves(&mut [&mut ann, &mut bob], &game, 3).await;
    ann.refused(claim.clone(), "forbidden").await;
    let mut eve = Peer::guest_at(server.node(2), "eve").await;
    let seen = eve.ask(json!({"type": "watch", "game": game})).await;
    let all_here = json!([{"seat": 0, "online": true}, {"seat": 1, "online": true}]);
    assert_eq!(seen["presence"], all_here, "a room that opens elsewhere knows them");

    bob.disconnect();
    for peer in [&mut ann, &mut eve] {
        next_presence(peer, &game, 1, false).await;
    }
    let back = bob.reconnect_to(server.node(2).address()).await;
    for peer in [&mut ann, &mut eve] {
        next_presence(peer, &game, 1, true).await;
    }
    ann.refused(claim.clone(), "forbidden").await;
    drop(back);
    let claim_at = loop {
        let away = next_presence(&mut ann, &game, 1, false).await;
        if let Some(claim_at) = away["claim_at"].as_u64() {
            break claim_at;
        }
    };
    assert!(claim_at > 0);
    // The claim counts from the absence, which every node knows.
    let mut claimed = ann.request(claim.clone()).await;
    while claimed["code"] == "too_soon" {
        claimed = ann.request(claim.clone()).await;
    }
    assert_eq!(claimed["type"], "ok", "{claimed}");
    eve.next_event(&game, "ended").await;
}

#[tokio::test]
async fn spectators_of_all_nodes_are_counted() {
    let server = Server::cluster(3, |_| {}).await;
    let (mut ann, _bob, game) = start_two(&server).await;
    let watch = json!({"type": "watch", "game": game});
    let mut watching = Vec::new();
    for index in 0..3 {
        let mut peer = Peer::guest_at(server.node(index), &format!("eve{index}")).await;
        peer.ask(watch.clone()).await;
        watching.push(peer);
    }
    let three = |frame: &Value| frame["type"] == "presence" && frame["spectators"] == 3;
    ann.next_matching("three spectators", three).await;
}

#[tokio::test]
async fn moves_reach_another_node_without_a_read() {
    let server = Server::cluster(2, |_| {}).await;
    let (mut ann, mut bob, game) = start_two(&server).await;
    // Both rooms are open from here on.
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let followed = async || {
        let mut followed = [0; 2];
        for node in 0..2 {
            let metrics = Metrics::fetch_at(server.node(node).address()).await;
            for (sum, from) in followed.iter_mut().zip(["announcement", "journal"]) {
                let name = format!("adamant_followed_records_total{{from=\"{from}\"}}");
                *sum += metrics.value(&name);
            }
        }
        followed
    };
    let before = followed().await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 6).await;
    let after = followed().await;
    assert_eq!([after[0] - before[0], after[1] - before[1]], [6, 0]);
}

#[tokio::test]
async fn live_lists_have_the_games_of_all_nodes() {
    let server = Server::cluster(3, |_| {}).await;
    let mut eve = Peer::guest_at(server.node(2), "eve").await;
    let empty = eve.ask(json!({"type": "live"})).await;
    assert_eq!(empty["add"], json!([]));
    let (mut ann, mut bob, game) = start_two(&server).await;
    let lists = |frame: &Frame, ply: u64| {
        let added = frame["add"].as_array().into_iter().flatten();
        frame["type"] == "live"
            && added.map(|live| &live["entry"]).any(|entry| {
                entry["game"] == game.as_str() && entry["ply"].as_u64().unwrap() >= ply
            })
    };
    eve.next_matching("the new game", |frame| lists(frame, 0)).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    eve.next_matching("the moves", |frame| lists(frame, 2)).await;
    ann.ask(json!({"type": "resign", "game": game})).await;
    eve.next_matching("the end", |frame| frame["remove"] == json!([game])).await;
}

const HOUR_SECONDS: i64 = 3_600;
const BASE_MS: u64 = 600_000;
/// More than the test takes, and far less than the clock is wrong.
const PLAYED_MAX_MS: u64 = 60_000;

/// Runs a node on a machine whose clock is so many seconds ahead.
fn set_clock(setup: &mut Setup, folder: &tempfile::TempDir, ahead_seconds: i64) {
    let environment = wrong_clock(folder.path(), ahead_seconds);
    let environment = environment.map(|(name, value)| format!("{name}={value}"));
    setup.run_by(&["env", &environment[0], &environment[1]]);
}

#[tokio::test]
async fn a_node_whose_machine_has_a_wrong_clock_costs_no_player_time() {
    let folder = tempfile::tempdir().unwrap();
    for ahead_seconds in [HOUR_SECONDS, -HOUR_SECONDS] {
        let mut server = Server::cluster(2, |_| {}).await;
        let mut ann = Peer::guest_at(server.node(0), "ann").await;
        let mut bob = Peer::guest_at(server.node(0), "bob").await;
        let clock = json!({"mode": "fischer", "base_ms": BASE_MS, "inc_ms": 0});
        let game = game::start(&mut [&mut ann, &mut bob], json!({"clock": clock})).await;
        game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
        let wrong = server.node_mut(1);
        wrong.terminate().await;
        wrong.wait().await;
        set_clock(wrong.setup(), &folder, ahead_seconds);
        wrong.restart().await;
        wrong.wait_for_log("the machine's clock is wrong").await;
        // A spectator has the node open the game, and a player moves through it.
        let mut eve = Peer::guest_at(server.node(1), "eve").await;
        eve.ask(json!({"type": "watch", "game": game, "from": 1})).await;
        let token = ann.token.clone().expect("a guest has a token");
        let mut second = Peer::with_token_at(server.node(1), &token).await;
        second.ask(json!({"type": "watch", "game": game, "from": 1})).await;
        let known = ann.replay(&game).seq();
        for peer in [&mut eve, &mut second] {
            peer.read_up_to(&game, known).await;
        }
        game::play_moves(&mut [&mut second, &mut bob], &game, 2).await;
        game::catch_up(&mut [&mut eve, &mut bob], &game).await;
        let seen = eve.ask(json!({"type": "watch", "game": game})).await;
        for left in seen["clock"]["left_ms"].as_array().expect("both have a clock") {
            let left = left.as_u64().expect("a number");
            assert!(left > BASE_MS - PLAYED_MAX_MS, "{ahead_seconds} s: {left} ms left");
        }
    }
}

fn say(game: &str, text: &str) -> Value {
    json!({"type": "say", "game": game, "room": "players", "text": text})
}

/// Ends the connections of the second node to the database while it stands still: it does not
/// listen until it goes on.
async fn deafen_second(server: &Server) {
    server.node(1).pause().await;
    let end = "SELECT count(pg_terminate_backend(pid, 10000)) > 0 FROM pg_stat_activity
        WHERE application_name = 'adamant/n2' AND datname = current_database()";
    assert_eq!(server.sql(end), "t");
}

#[tokio::test]
async fn what_is_said_and_deleted_while_a_node_does_not_listen_reaches_its_clients() {
    let server = Server::cluster(2, |_| {}).await;
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    let mut bob = Peer::guest_at(server.node(1), "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(say(&game, "heard")).await;
    ann.ask(say(&game, "heard as well")).await;
    for text in ["heard", "heard as well"] {
        assert_eq!(bob.next_of("said").await["text"], text);
    }
    deafen_second(&server).await;
    for text in ["missed", "deleted at once"] {
        ann.ask(say(&game, text)).await;
    }
    for n in [1, 4] {
        ann.ask(json!({"type": "unsay", "game": game, "room": "players", "n": n})).await;
    }
    server.node(1).resume().await;
    assert_eq!(bob.next_of("said").await["text"], "missed");
    assert_eq!(bob.next_of("unsaid").await["n"], 1);
    ann.ask(say(&game, "and now?")).await;
    // Each line arrives once, and a deleted one not at all.
    assert_eq!(bob.next_of("said").await["text"], "and now?");
}

#[tokio::test]
async fn what_a_killed_node_did_not_announce_reaches_the_clients_of_the_others() {
    let mut server = Server::cluster(2, |_| {}).await;
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    let mut bob = Peer::guest_at(server.node(1), "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let n = bob.ask(say(&game, "heard")).await["n"].clone();
    assert_eq!(ann.next_of("said").await["n"], n);
    // The node stores a line and dies before it announces it.
    server.sql(
        "INSERT INTO talk (game, room, n, at, said_by, author, req, text)
         SELECT game, room, n + 1, at + 1, said_by, author, 'lost', 'my last words' FROM talk",
    );
    server.node_mut(1).kill().await;
    assert_eq!(ann.next_of("said").await["text"], "my last words");
    assert_eq!(ann.ask(say(&game, "bob?")).await["n"], 3);
    assert_eq!(ann.next_of("said").await["text"], "bob?");
}

/// Waits until the directory lists these bots.
async fn lists(peer: &mut Peer, expected: &[&str]) {
    let listed = async {
        loop {
            let list = peer.request(json!({"type": "directory"})).await;
            // The server may refuse for the rate.
            let Some(bots) = list["bots"].as_array() else { continue };
            if bots.iter().map(|bot| &bot["user"]).eq(expected) {
                return;
            }
        }
    };
    timeout(PATIENCE, listed).await.unwrap_or_else(|_| panic!("the directory lists {expected:?}"));
}

#[tokio::test]
async fn the_directory_lists_the_bots_of_all_nodes() {
    let mut server = Server::cluster(3, |setup| setup.argument("--no-house")).await;
    let mut eve = Peer::guest_at(server.node(2), "eve").await;
    let mut bots = Vec::new();
    for (node, name) in [(0, "hal"), (1, "abe")] {
        let mut bot = Peer::connect(server.node(node).address()).await;
        bot.hello(json!({"auth": {"guest": name, "bot": true}})).await;
        bot.ask(json!({"type": "bot_status", "accepts": {}, "free": 1})).await;
        bots.push(bot);
    }
    lists(&mut eve, &["abe", "hal"]).await;
    // A node that starts later asks the others.
    drop(eve);
    server.node_mut(2).kill().await;
    server.node_mut(2).restart().await;
    let mut eve = Peer::guest_at(server.node(2), "eva").await;
    lists(&mut eve, &["abe", "hal"]).await;
    bots.pop();
    lists(&mut eve, &["hal"]).await;
    server.node_mut(0).kill().await;
    lists(&mut eve, &[]).await;
}
