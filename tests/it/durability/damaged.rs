//! Damaged records, of which each closes its own game only, and a damaged write-ahead log.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use adamant_record::Replay;
use rusqlite::Connection;
use serde_json::json;

use crate::harness::{Metrics, Node, Peer, Server, Setup, game, http, server_command};

/// Changes a game's third record in the database.
fn damage_game(server: &Server, change: &str, game: &str) {
    let database = Connection::open(server.data().join("adamant.db")).unwrap();
    assert_eq!(database.execute(change, [game]).unwrap(), 1, "{change}");
}

#[tokio::test]
async fn a_broken_chain_stops_all_until_accepted_and_then_its_own_game_alone() {
    let mut server = Server::embedded(|_| {}).await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    let mut games = Vec::new();
    for _ in 0..3 {
        let game = game::start_and_play(&mut [&mut ann, &mut bob], 2).await;
        games.push(game);
    }
    let [live, finished, sound] = &games[..] else { panic!("three games") };
    ann.ask(json!({"type": "resign", "game": finished})).await;
    ann.next_event(finished, "ended").await;
    ann.disconnect();
    drop(bob);
    server.stop().await;
    damage_game(
        &server,
        "UPDATE arrivals SET record = CAST(replace(CAST(record AS TEXT), 'moved', 'mived') AS BLOB)
         WHERE game = ?1 AND seq = 3",
        live,
    );
    damage_game(
        &server,
        "UPDATE journal SET records =
             CAST(replace(CAST(records AS TEXT), '\"ply\":1', '\"ply\":3') AS BLOB)
         WHERE game = ?1",
        finished,
    );
    // Each start finds the same, and nothing is stored.
    for _ in 0..2 {
        server.restart().await;
        server.wait_for_log(&format!("game={live} record=3")).await;
        let (status, why) = http::readiness(&server).await;
        assert_eq!(status, 503);
        assert!(why.starts_with("read-only: the store is damaged, "), "{why}");
        let metrics = Metrics::fetch(&server).await;
        assert_eq!(metrics.value("adamant_reads_only{why=\"malformed\"}"), 1);
        let mut cy = Peer::connect(server.address()).await;
        let hello = json!({"type": "hello", "proto": [1], "auth": {"guest": "cy"}});
        cy.refused(hello, "read_only").await;
        drop(cy);
        server.stop().await;
    }
    let noted = fs::read_to_string(server.data().join("damage-found")).unwrap();
    assert!(noted.starts_with(&format!("game {live}: record 3 ")), "{noted}");
    server.configure(|setup| setup.argument("--accept-loss"));
    server.restart().await;
    server.wait_for_log(&format!("game={live} record=3")).await;
    server.wait_for_log("continuing in spite of damage").await;
    assert_eq!(http::readiness(&server).await.0, 200);
    assert_eq!(Metrics::fetch(&server).await.value("adamant_games_damaged"), 1);

    // A player of a damaged game can connect and play other games.
    let mut ann = ann.reconnect(&server).await;
    let resumed = ann.welcome["games"].as_array().unwrap();
    for (game, resume) in [(live, "gone"), (finished, "gone"), (sound, "tail")] {
        let told = resumed.iter().find(|told| told["game"] == **game).unwrap();
        assert_eq!(told["resume"], resume, "{told}");
    }
    server.wait_for_log(&format!("game={finished} record=3")).await;
    let notation = game::choose_move(ann.table(sound));
    game::make_move(&mut ann, sound, &notation).await;

    for game in [live, finished] {
        for request in
            [json!({"type": "watch", "game": game}), json!({"type": "positions", "game": game})]
        {
            let refused = ann.refused(request, "internal").await;
            assert_eq!((&refused["retry"], &refused["game"]), (&json!("never"), &json!(game)));
            assert!(refused["message"].as_str().unwrap().contains("damaged"), "{refused}");
        }
        let (status, body) = http::refused(&server, &format!("/v1/games/{game}/record")).await;
        assert_eq!((status, &body["code"]), (500, &json!("internal")), "{body}");
    }
    assert_eq!(Metrics::fetch(&server).await.value("adamant_games_damaged"), 2);
    let named = |line: &&String| line.contains("game records are damaged");
    assert_eq!(server.log().iter().filter(named).count(), 2, "each game is named once");

    // What was accepted, or was found meanwhile, stops no later server.
    drop(ann);
    server.stop().await;
    server.configure(|setup| setup.no_argument("--accept-loss"));
    server.restart().await;
    assert_eq!(http::readiness(&server).await.0, 200);
    let (status, _) = http::refused(&server, &format!("/v1/games/{finished}/record")).await;
    assert_eq!((status, http::readiness(&server).await.0), (500, 200));
}

#[tokio::test]
async fn a_malformed_database_is_read_only_after_a_restart_too() {
    let mut server = Server::embedded(alone).await;
    let mut eve = Peer::account(&server, "eve").await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    game::resign(&mut ann, &mut bob, &game).await;
    eve.disconnect();
    drop((ann, bob));
    server.stop().await;
    // The archived records.
    lose_page(&server.data(), "journal");
    server.restart().await;
    let mut eve = eve.reconnect(&server).await;
    eve.refused(json!({"type": "watch", "game": game}), "internal").await;
    server.wait_for_log("the database is malformed").await;
    for _ in 0..2 {
        let (status, why) = http::readiness(&server).await;
        assert_eq!(status, 503);
        assert!(why.starts_with("read-only: the store is damaged, "), "{why}");
        let seek = json!({"type": "seek", "rules": "hexma", "lasting": true});
        eve.refused(seek, "read_only").await;
        eve.disconnect();
        server.stop().await;
        server.restart().await;
        server.wait_for_log("store is read-only").await;
        eve = eve.reconnect(&server).await;
    }
    eve.disconnect();
    server.stop().await;
    server.configure(|setup| setup.argument("--accept-loss"));
    server.restart().await;
    server.wait_for_log("continuing in spite of damage").await;
}

#[tokio::test]
async fn a_server_that_finds_damage_while_it_starts_begins_read_only() {
    let mut server = Server::embedded(alone).await;
    let mut eve = Peer::account(&server, "eve").await;
    eve.disconnect();
    server.stop().await;
    for name in ["bans_not_lifted", "policy", "offers_open"] {
        lose_page(&server.data(), name);
        server.restart().await;
        let (status, why) = http::readiness(&server).await;
        assert_eq!(status, 503, "{name}");
        assert!(why.starts_with("read-only: the store is damaged, "), "{name}: {why}");
        server.stop().await;
        fs::remove_file(server.data().join("damage-found")).unwrap();
    }
}

/// Zeroes the first page of a table or an index, as a disk gives it that has lost a sector.
fn lose_page(data: &Path, name: &str) {
    let database = data.join(DATABASE);
    let select = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    let connection = Connection::open(&database).unwrap();
    let page: u32 = connection.query_row(select, [name], |row| row.get(0)).unwrap();
    let page = page as usize;
    drop(connection);
    let mut bytes = fs::read(&database).unwrap();
    bytes[(page - 1) * 4096..page * 4096].fill(0);
    fs::write(&database, bytes).unwrap();
}

const LOG: &str = "adamant.db-wal";
const DATABASE: &str = "adamant.db";

/// Sizes in bytes of the WAL's header and of one of its frames.
const HEADER: usize = 32;
const FRAME: usize = 24 + 4096;

fn has_logged(server: &Server, text: &str) -> bool {
    server.log().iter().any(|line| line.contains(text))
}

/// Returns the numbers of the frames that end commits of the current generation.
fn ends_of_commits(log: &[u8]) -> Vec<usize> {
    let frames = log[HEADER..].chunks_exact(FRAME).enumerate();
    frames
        .filter(|(_, frame)| frame[8..16] == log[16..24] && frame[4..8] != [0; 4])
        .map(|(index, _)| index)
        .collect()
}

/// Flips a byte in the middle of the committed part of the WAL.
fn damage(data: &Path) {
    let path = data.join(LOG);
    let mut log = fs::read(&path).unwrap();
    let ends = ends_of_commits(&log);
    let frame = ends[ends.len() / 2];
    log[HEADER + frame * FRAME + 1000] ^= 1;
    fs::write(&path, log).unwrap();
}

/// Returns the saved copies of a damaged WAL.
fn aside(data: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("damaged"))
        .collect()
}

fn alone(setup: &mut Setup) {
    setup.argument("--no-house");
}

#[tokio::test]
async fn a_damaged_wal_is_served_read_only_until_the_operator_accepts_the_loss() {
    let mut server = Server::embedded(alone).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 20).await;
    let before = ann.replay(&game).seq();
    server.kill().await;
    damage(&server.data());
    let files = [DATABASE, LOG].map(|name| fs::read(server.data().join(name)).unwrap());

    // A check before the start finds the damage and changes nothing.
    let data = server.data().display().to_string();
    let (status, said) = server_command(&["check", "--data", &data]).await;
    assert_eq!(status, Some(1));
    assert!(said.starts_with("the WAL is damaged: "), "{said}");
    let copy = server.data().with_file_name("copy.db").display().to_string();
    let (status, said) = server_command(&["backup", "--to", &copy, "--data", &data]).await;
    assert_eq!(status, Some(1));
    assert!(said.starts_with("the WAL is damaged: "), "{said}");

    // Each further start does the same.
    for _ in 0..2 {
        server.restart().await;
        let (status, why) = http::readiness(&server).await;
        assert_eq!(status, 503);
        assert!(why.starts_with("read-only: the WAL is damaged, "), "{why}");
        assert!(why.contains("frames with at least"), "{why}");
        server.wait_for_log("ERROR the WAL is damaged").await;
        let metrics = Metrics::fetch(&server).await;
        assert_eq!(metrics.value("adamant_reads_only{why=\"damaged\"}"), 1);
        assert_eq!(metrics.value("adamant_reads_only{why=\"no_room\"}"), 0);
        let commits = metrics.value("adamant_log_lost_commits");
        assert!((5..=20).contains(&commits), "{commits} commits");
        assert!(metrics.value("adamant_log_lost_frames") >= commits);
        assert_eq!(metrics.value("adamant_commits_total"), 0);
        assert_eq!(http::ask(&server, "GET", "/healthz").await.status, 200);

        let [kept] = &*aside(&server.data()) else { panic!("one copy") };
        for (name, content) in [DATABASE, LOG].iter().zip(&files) {
            assert!(fs::read(kept.join(name)).unwrap() == *content, "{name} is kept as it was");
        }
        let log = http::ask(&server, "GET", &format!("/v1/games/{game}/log")).await.text().await;
        let mut replay = Replay::new();
        for line in log.lines() {
            replay.push(line.as_bytes()).expect("a whole chain");
        }
        assert!((1..before).contains(&replay.seq()), "{} of {before}", replay.seq());

        let mut reader = Peer::anonymous(&server).await;
        let snapshot = reader.ask(json!({"type": "watch", "game": game})).await;
        assert_eq!(snapshot["seq"], replay.seq());
        let listed = reader.ask(json!({"type": "games"})).await;
        assert_eq!(listed["games"][0]["game"], *game);
        let answer = http::refused(&server, "/v1/games/k7q2mxrt").await;
        assert_eq!(answer.0, 404);
        drop(reader);
        server.stop().await;
        for (name, content) in [DATABASE, LOG].iter().zip(&files) {
            assert!(fs::read(server.data().join(name)).unwrap() == *content, "{name} is untouched");
        }
    }

    server.configure(|setup| setup.argument("--accept-loss"));
    server.restart().await;
    assert_eq!(http::readiness(&server).await, (200, "ready\n".to_owned()));
    server.wait_for_log("continuing without the damaged part").await;
    let metrics = Metrics::fetch(&server).await;
    assert_eq!(metrics.value("adamant_reads_only{why=\"damaged\"}"), 0);
    assert_eq!(metrics.value("adamant_forks_total"), 0);

    // The players know more events than are left.
    let cursor = ann.cursor(&game);
    let hello = json!({"auth": {"token": ann.token}, "resume": {&game: cursor}});
    let welcome = Peer::connect(server.address()).await.hello(hello).await;
    assert_eq!(welcome["games"][0]["resume"], "fork", "{welcome}");
    assert_eq!(Metrics::fetch(&server).await.value("adamant_forks_total"), 1);
    server.wait_for_log("client has records unknown to this server").await;

    // The given-up frames do not come back.
    server.kill().await;
    server.configure(|setup| setup.no_argument("--accept-loss"));
    server.restart().await;
    assert_eq!(http::readiness(&server).await.0, 200);
    assert_eq!(aside(&server.data()).len(), 1);
}

#[tokio::test]
async fn a_read_only_server_writes_nothing_on_any_request() {
    let mut server = Server::embedded(alone).await;
    let clock = json!({"clock": {"mode": "per_move", "move_ms": 5000}});
    let (mut ann, mut bob, game) = game::start_two_with(&server, clock).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 20).await;
    server.kill().await;
    damage(&server.data());
    server.restart().await;

    let mut cy = Peer::connect(server.address()).await;
    let hello = json!({"type": "hello", "proto": [1], "auth": {"guest": "cy"}});
    cy.refused(hello, "read_only").await;
    let mut ann = Peer::with_token(&server, ann.token.as_deref().expect("a token")).await;
    let snapshot = ann.ask(json!({"type": "watch", "game": game})).await;
    let turn = snapshot["turn"].clone();
    for request in [
        json!({"type": "move", "game": game, "turn": turn, "move": "c1-c2"}),
        json!({"type": "resign", "game": game}),
        json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "bob"]}),
        json!({"type": "say", "game": game, "room": "players", "text": "hello"}),
    ] {
        let refusal = ann.refused(request, "read_only").await;
        assert_eq!(refusal["retry"], "after");
    }
    // Neither the flag that fell long ago nor a second snapshot causes a write.
    let again = ann.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(again["seq"], snapshot["seq"]);
    assert!(!has_logged(&server, "room terminated"), "{:?}", server.log());
    assert!(!has_logged(&server, "heartbeat write failed"), "{:?}", server.log());
    assert!(!has_logged(&server, "commit failed"), "{:?}", server.log());
}

#[tokio::test]
async fn signs_of_a_mistake_are_logged_as_warnings() {
    let mut server = Server::embedded(|setup| {
        alone(setup);
        setup.set("talk", "moderators", toml::Value::Array(vec!["judge".into()]));
    })
    .await;
    let metrics = Metrics::fetch(&server).await;
    for what in ["new_database", "clock_behind", "key_exposed"] {
        assert_eq!(metrics.value(&format!("adamant_warnings{{what=\"{what}\"}}")), 0);
    }
    assert_eq!(metrics.value("adamant_warnings{what=\"moderator_unknown\"}"), 1);
    server.wait_for_log("WARN a moderator has no account name=judge").await;
    drop(Peer::account(&server, "Judge").await);
    server.stop().await;
    server.restart().await;
    let metrics = Metrics::fetch(&server).await;
    assert_eq!(metrics.value("adamant_warnings{what=\"moderator_unknown\"}"), 0);
    server.stop().await;

    // As if the volume of the database were not mounted.
    fs::rename(server.data().join(DATABASE), server.data().join("elsewhere.db")).unwrap();
    let keys = ["signing.key", "vapid.key"].map(|key| server.data().join(key));
    let protect = |mode| {
        for key in &keys {
            fs::set_permissions(key, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    protect(0o644);
    let mut elsewhere = Setup::default();
    alone(&mut elsewhere);
    elsewhere.set("store", "data", server.data().display().to_string());
    let Err(refused) = Node::try_start(elsewhere).await else { panic!("it has started") };
    assert!(refused.iter().any(|line| line.contains("--new-database")), "{refused:?}");
    assert!(!server.data().join(DATABASE).exists(), "none is made");
    server.configure(|setup| setup.argument("--new-database"));
    server.restart().await;
    server.configure(|setup| setup.no_argument("--new-database"));
    let metrics = Metrics::fetch(&server).await;
    assert_eq!(metrics.value("adamant_warnings{what=\"new_database\"}"), 1);
    assert_eq!(metrics.value("adamant_warnings{what=\"key_exposed\"}"), 1);
    server.wait_for_log("WARN new database beside an older signing key").await;
    server.wait_for_log("WARN signing key is readable by other users").await;
    server.wait_for_log("WARN push key is readable by other users").await;
    server.stop().await;

    protect(0o600);
    let future = "UPDATE alive SET alive_at = alive_at + 86400000";
    sql(&server.data().join("elsewhere.db"), future);
    fs::rename(server.data().join("elsewhere.db"), server.data().join(DATABASE)).unwrap();
    server.restart().await;
    let metrics = Metrics::fetch(&server).await;
    assert_eq!(metrics.value("adamant_warnings{what=\"new_database\"}"), 0);
    assert_eq!(metrics.value("adamant_warnings{what=\"clock_behind\"}"), 1);
    server.wait_for_log("system clock is behind the newest record").await;
}

/// Runs a statement on a database that no server has open.
fn sql(database: &Path, statement: &str) {
    let script =
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()";
    let done = Command::new("python3").args(["-c", script]).arg(database).arg(statement).status();
    assert!(done.is_ok_and(|status| status.success()), "python3 cannot change the database");
}
