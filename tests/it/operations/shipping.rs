//! The second place: the machine is lost under load, and what was shipped is restored.

use std::{fs, path::Path, time::Duration};

use futures::future::join_all;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::Instant;

use super::{
    backup::{log, text},
    check,
};
use crate::harness::{
    Peer, Server,
    game::{self, play_moves},
    http::Metrics,
    is_long, server_command,
};

/// How often the machine is lost, in the short and in the long form, and after how long a load.
const LOSSES: (usize, usize) = (1, 12);
const LOAD: (Duration, Duration) = (Duration::from_millis(1500), Duration::from_secs(8));

/// The acknowledged moves that may be lost with the machine: those of so many milliseconds.
const LOSS_MAX_MS: u64 = 1000;

const WHOLE: &str = "a copy of the database was shipped";

/// The time of a record, in epoch milliseconds.
fn at(record: &str) -> u64 {
    let record: Value = serde_json::from_str(record).unwrap();
    record["at"].as_u64().unwrap()
}

async fn start(place: &Path, data: Option<&Path>) -> Server {
    let server = Server::embedded(|setup| {
        setup.argument("--no-limits");
        setup.set("store.shipping", "directory", text(place));
        setup.set("store.shipping", "with_key", true);
        // So small that it is copied into the database now and then.
        setup.set("store", "wal_mib", 1);
        if let Some(data) = data {
            setup.set("store", "data", text(data));
        }
    })
    .await;
    server.wait_for_log(WHOLE).await;
    server
}

async fn restore(place: &Path, to: &Path, more: &[&str]) -> (Option<i32>, String) {
    let asked = ["restore", "--json", "--from", text(place), "--to", text(to)];
    server_command(&[&asked[..], more].concat()).await
}

/// Two players in a game that no test ends, who move until the time is over.
async fn load(server: &Server, names: [String; 2], until: Instant) -> (Peer, String) {
    let [mut ann, mut bob] = Peer::guests(server, names.each_ref().map(String::as_str)).await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({"options": "-size=8"})).await;
    while Instant::now() < until {
        play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    }
    (ann, game)
}

#[tokio::test]
async fn with_the_machine_the_last_second_is_lost_and_no_more() {
    let place = TempDir::new().unwrap();
    let (losses, time) = if is_long() { (LOSSES.1, LOAD.1) } else { (LOSSES.0, LOAD.0) };
    let mut data: Option<TempDir> = None;
    for loss in 0..losses {
        let mut server = start(place.path(), data.as_ref().map(TempDir::path)).await;
        let until = Instant::now() + time;
        let pair = |number: usize| ["ann", "bob"].map(|name| format!("{name}{loss}x{number}"));
        let played = join_all((0..3).map(|number| load(&server, pair(number), until))).await;
        server.kill().await;
        fs::remove_dir_all(data.as_ref().map_or(server.data(), |data| data.path().to_owned()))
            .unwrap();

        let to = TempDir::new().unwrap();
        let (status, said) = restore(place.path(), to.path(), &["--until", "latest"]).await;
        assert_eq!(status, Some(0), "{said}");
        let said: Value = serde_json::from_str(&said).unwrap();
        assert!(said["until"].as_str() >= said["last_record"].as_str(), "{said}");
        let mut restored =
            Server::embedded(|setup| setup.set("store", "data", text(to.path()))).await;
        let last =
            |(player, game): &(Peer, String)| player.records(game).last().map(|record| at(record));
        let lost_at = played.iter().filter_map(last).max().expect("moves were made");
        for (player, game) in played {
            let (kept, made) = (log(&restored, &game).await, player.records(&game));
            assert_eq!(kept[..kept.len().min(made.len())], made[..kept.len().min(made.len())]);
            if let Some(missing) = made.get(kept.len()) {
                let lost_ms = lost_at - at(missing);
                println!("{lost_ms} ms of game {game} are lost");
                assert!(lost_ms <= LOSS_MAX_MS, "{lost_ms} ms of game {game} are lost");
            }
        }
        // The next server waits for nobody who still holds the directory.
        restored.kill().await;
        data = Some(to);
    }
}

#[tokio::test]
async fn a_stop_ships_everything_and_a_moment_before_is_restored_as_it_was() {
    let place = TempDir::new().unwrap();
    let mut server = start(place.path(), None).await;
    let metrics = Metrics::fetch(&server).await;
    assert!(metrics.value("adamant_last_shipped_seconds") < 60);
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let before = ann.records(&game).to_vec();
    server.stop().await;
    let to = TempDir::new().unwrap();
    let (status, said) = restore(place.path(), to.path(), &["--until", "latest"]).await;
    assert_eq!(status, Some(0), "{said}");
    let said: Value = serde_json::from_str(&said).unwrap();
    let moment = said["until"].as_str().expect("a time");
    server.restart().await;
    server.wait_for_log(WHOLE).await;
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &server).await;
    play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    server.stop().await;

    for (until, records) in [("latest", ann.records(&game)), (moment, &before[..])] {
        let to = TempDir::new().unwrap();
        let (status, said) = restore(place.path(), to.path(), &["--until", until]).await;
        assert_eq!(status, Some(0), "{said}");
        let restored = Server::embedded(|setup| setup.set("store", "data", text(to.path()))).await;
        let kept = log(&restored, &game).await;
        assert_eq!(kept, records, "{until}");
        let key = |data: &Path| fs::read(data.join("signing.key")).unwrap();
        assert!(key(&server.data()) == key(to.path()), "the key is the server's");
    }
    let to = TempDir::new().unwrap();
    let (status, said) =
        restore(place.path(), to.path(), &["--until", "2020-01-01T00:00:00Z"]).await;
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("has no whole copy of a database that was shipped before"), "{said}");
    let (status, said) = restore(place.path(), to.path(), &["--until", "yesterday"]).await;
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("such as 2026-11-22T10:11:12Z, or latest"), "{said}");
}

#[tokio::test]
async fn a_wrong_second_place_is_named_before_and_stops_no_move() {
    let directory = TempDir::new().unwrap();
    let away = directory.path().join("away");
    let lines = |section: &str| {
        let output = check(directory.path(), section);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, said) = lines(&format!("[store.shipping]\ndirectory = {away:?}\n"));
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("second place: ") && said.contains("mount the share"), "{said}");
    let (_, said) = lines("[store.shipping]\ncommand = [\"/no/such/program\"]\n");
    assert!(said.contains("/no/such/program is no program that can be run"), "{said}");
    let (status, said) = lines(
        "[store]\ndatabase = \"postgres://localhost/adamant\"\n[store.shipping]\n\
         directory = \"/mnt\"\n",
    );
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("archive_command") && said.contains("pg_basebackup"), "{said}");

    let server = Server::embedded(|setup| {
        setup.set("store.shipping", "directory", text(&away));
    })
    .await;
    server.wait_for_log("shipping fails").await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    fs::create_dir(&away).unwrap();
    server.wait_for_log("shipping succeeds again").await;
    server.wait_for_log(WHOLE).await;
}
