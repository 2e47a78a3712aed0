//! `salvage` of a damaged data directory, and `restore` of a backup or of one of its games.

use std::{
    fs,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::backup::{change_a_byte, log, names, text, two_games};
use crate::harness::{Peer, Server, game, http, server_command};

/// Runs a command with `--json`. Returns its exit status and what it has printed.
async fn run(arguments: &[&str]) -> (Option<i32>, Value) {
    let (status, said) = server_command(&[arguments, &["--json"]].concat()).await;
    (status, serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}")))
}

async fn serve(data: &Path) -> Server {
    Server::embedded(|setup| setup.set("store", "data", text(data))).await
}

/// Returns the files of a directory with what is in them.
fn contents(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let content = |name: String| (name.clone(), fs::read(directory.join(name)).unwrap());
    names(directory).into_iter().map(content).collect()
}

#[tokio::test]
async fn a_salvage_takes_every_game_whose_chain_holds_and_the_ratings_with_it() {
    let mut server = Server::embedded(|setup| setup.argument("--no-house")).await;
    let (mut ann, mut bob) =
        (Peer::account(&server, "ann").await, Peer::account(&server, "Bob").await);
    let mut ended = Vec::new();
    for loser in [0, 1, 1] {
        let rated = json!({"rated": true});
        let game = game::start(&mut [&mut ann, &mut bob], rated).await;
        game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
        let players = [&mut ann, &mut bob];
        players.into_iter().nth(loser).unwrap().ask(json!({"type": "resign", "game": game})).await;
        ann.next_event(&game, "rated").await;
        bob.next_event(&game, "rated").await;
        ended.push(game);
    }
    let live = game::start_and_play(&mut [&mut ann, &mut bob], 5).await;
    ann.ask(json!({"type": "say", "game": live, "room": "players", "text": "good luck"})).await;
    let standings = json!({"type": "standings", "rules": "adamas", "players": 2});
    let before = ann.ask(standings.clone()).await["standings"].clone();
    let data = server.data();
    let target = TempDir::new().unwrap();
    let to = target.path().join("new");
    let asked = ["salvage", "--data", text(&data), "--to", text(&to)];
    let (status, said) = server_command(&asked).await;
    assert_eq!(status, Some(1));
    assert!(said.contains("is in use by another server"), "{said}");
    assert!(!to.exists(), "nothing is left behind");
    ann.disconnect();
    bob.disconnect();
    server.stop().await;
    // The record is wrong wherever it is stored.
    change_a_byte(&data.join("adamant.db"), &ended[0]);
    let connection = Connection::open(data.join("adamant.db")).unwrap();
    connection.execute("DELETE FROM arrivals WHERE game = ?1", [&ended[0]]).unwrap();
    drop(connection);
    let files = contents(&data);

    let (status, said) = run(&asked).await;
    assert_eq!(status, Some(1), "{said}");
    let lost = json!([{
        "table": "journal", "game": ended[0], "record": 3,
        "why": format!("game {}: record 3 does not continue the chain", ended[0]),
    }]);
    assert_eq!((&said["lost"], &said["games"], &said["findings"]), (&lost, &json!(3), &json!([])));
    assert!(contents(&data) == files, "the source is as it was");
    let (status, said) = server_command(&["check", "--data", text(&to)]).await;
    assert_eq!(status, Some(0), "{said}");
    let (status, said) = server_command(&asked).await;
    assert_eq!(status, Some(1));
    assert!(said.contains("is not empty"), "{said}");

    let rescued = serve(&to).await;
    let key = ann.welcome["keys"].clone();
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &rescued).await;
    assert_eq!(ann.welcome["keys"], key);
    assert_eq!(ann.ask(standings).await["standings"], before, "the lost result counts");
    for game in [&ended[1], &ended[2], &live] {
        assert_eq!(log(&rescued, game).await, ann.records(game));
    }
    let (status, _) = http::refused(&rescued, &format!("/v1/games/{}", ended[0])).await;
    assert_eq!(status, 404);
    let talk = bob.ask(json!({"type": "talk", "game": live, "room": "players"})).await;
    assert_eq!(talk["lines"][0]["text"], "good luck", "{talk}");
    game::play_moves(&mut [&mut ann, &mut bob], &live, 2).await;
    assert_eq!(ann.records(&live), bob.records(&live));
}

#[tokio::test]
async fn a_database_without_its_header_or_its_last_pages_is_salvaged() {
    let mut server = Server::embedded(|setup| setup.argument("--no-house")).await;
    let (ann, bob, finished, live) = two_games(&server).await;
    let records = ann.records(&finished).len() + ann.records(&live).len();
    drop((ann, bob));
    server.stop().await;
    let data = server.data();
    let database = data.join("adamant.db");
    let whole = fs::read(&database).unwrap();
    let target = TempDir::new().unwrap();
    let salvage = async |name: &str| {
        let to = target.path().join(name);
        run(&["salvage", "--data", text(&data), "--to", text(&to)]).await
    };

    fs::OpenOptions::new().write(true).open(&database).unwrap().write_all_at(&[0; 100], 0).unwrap();
    let (status, said) = salvage("header").await;
    assert_eq!((status, &said["games"]), (Some(0), &json!(2)), "{said}");
    assert_eq!((&said["records"], &said["lost"]), (&json!(records), &json!([])));

    fs::write(&database, &whole[..whole.len() - 3 * 4096]).unwrap();
    let (_, said) = salvage("short").await;
    assert_eq!(said["findings"], json!([]), "what is left is whole: {said}");
    let all = said["games"].as_u64().unwrap() + said["lost"].as_array().unwrap().len() as u64;
    assert!(all >= 2, "what is lost is named: {said}");

    fs::write(&database, "no database").unwrap();
    let to = target.path().join("none");
    let (status, said) =
        server_command(&["salvage", "--data", text(&data), "--to", text(&to)]).await;
    assert_eq!(status, Some(1), "{said}");
    assert!(!to.exists(), "nothing is left behind");
}

#[tokio::test]
async fn a_salvage_leaves_out_downloads_with_a_line_that_the_records_do_not_make() {
    let mut server = Server::embedded(|setup| {
        setup.argument("--no-house");
        setup.set("downloads", "every", "50ms");
    })
    .await;
    drop(two_games(&server).await);
    while !http::get(&server, "/v1/downloads").await["files"][0].is_object() {}
    server.stop().await;
    let data = server.data();
    let connection = Connection::open(data.join("adamant.db")).unwrap();
    let change = "UPDATE download_games SET line_end = replace(line_end, '\"seq\":', '\"seq\": ')";
    assert_eq!(connection.execute(change, []).unwrap(), 1);
    drop(connection);
    let (status, said) = server_command(&["check", "--data", text(&data)]).await;
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("download_lines and download_games: line 1 of "), "{said}");

    let target = TempDir::new().unwrap();
    let to = target.path().join("new");
    let (status, said) = run(&["salvage", "--data", text(&data), "--to", text(&to)]).await;
    assert_eq!((status, &said["games"]), (Some(1), &json!(2)), "{said}");
    assert_eq!(said["lost"][0]["table"], "download_files", "{said}");
    assert_eq!(said["findings"], json!([]), "{said}");
    let rescued = Server::embedded(|setup| {
        setup.set("store", "data", text(&to));
        setup.set("downloads", "every", "50ms");
    })
    .await;
    while !http::get(&rescued, "/v1/downloads").await["files"][0].is_object() {}
}

/// Copies the database of a server into a new directory.
async fn back_up(server: &Server) -> (TempDir, PathBuf) {
    let elsewhere = TempDir::new().unwrap();
    let file = elsewhere.path().join("a.db");
    let data = server.data();
    let asked = ["backup", "--with-key", "--data", text(&data), "--to", text(&file)];
    let (status, said) = server_command(&asked).await;
    assert_eq!(status, Some(0), "{said}");
    (elsewhere, file)
}

#[tokio::test]
async fn a_backup_is_restored_into_an_empty_directory_or_not_at_all() {
    let server = Server::embedded(|_| {}).await;
    let (ann, _bob, finished, live) = two_games(&server).await;
    let (elsewhere, file) = back_up(&server).await;
    let restore = async |from: &Path, to: &Path| {
        server_command(&["restore", "--from", text(from), "--to", text(to)]).await
    };
    let to = elsewhere.path().join("restored");
    let (status, said) = restore(&file, &to).await;
    assert_eq!(status, Some(0), "{said}");
    assert!(said.starts_with("2 games with ") && said.ends_with(" records restored\n"), "{said}");
    let files = ["adamant.db", "signing.key", "signing.pub", "vapid.key"];
    assert_eq!(names(&to), files);
    let (status, said) = restore(&file, &to).await;
    assert_eq!(status, Some(1));
    assert!(said.contains("is not empty"), "{said}");
    let restored = serve(&to).await;
    for game in [&finished, &live] {
        assert_eq!(log(&restored, game).await, ann.records(game));
    }

    change_a_byte(&file, &finished);
    let to = elsewhere.path().join("damaged");
    let (status, said) = restore(&file, &to).await;
    assert_eq!(status, Some(1));
    assert!(said.contains(&*finished) && said.contains("salvage --data"), "{said}");
    assert!(!to.exists(), "nothing is left behind");
    fs::create_dir(&to).unwrap();
    assert_eq!(restore(&file, &to).await.0, Some(1));
    assert_eq!(names(&to), Vec::<String>::new(), "a directory that was there stays, empty");
    let (_, said) = restore(&elsewhere.path().join("none"), &to).await;
    assert!(said.contains("there is no database"), "{said}");
    let (_, said) = restore(Path::new("postgres://localhost/adamant"), &to).await;
    assert!(said.contains("restore writes a data directory"), "{said}");
}

#[tokio::test]
async fn a_damaged_game_is_restored_from_a_backup_and_the_server_writes_again() {
    let mut server = Server::embedded(|_| {}).await;
    let (mut ann, mut bob, finished, live) = two_games(&server).await;
    let (elsewhere, file) = back_up(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &live, 2).await;
    let records = ann.records(&finished).to_vec();
    let data = server.data();
    let restore = async |game: &str| {
        let asked = ["restore", "--from", text(&file), "--to", text(&data), "--game", game];
        server_command(&asked).await
    };
    let (status, said) = restore(&finished).await;
    assert_eq!(status, Some(1));
    assert!(said.contains("is in use by another server"), "{said}");
    drop((ann, bob));
    server.stop().await;

    let (status, said) = restore(&finished).await;
    assert_eq!(status, Some(1));
    assert!(said.contains("there is nothing to restore"), "{said}");
    let (_, said) = restore("k7q2mxrt").await;
    assert!(said.contains("the backup has no game k7q2mxrt"), "{said}");
    change_a_byte(&data.join("adamant.db"), &finished);
    server.restart().await;
    let (status, _) = http::refused(&server, &format!("/v1/games/{finished}/record")).await;
    assert_eq!((status, http::readiness(&server).await.0), (500, 503));
    server.stop().await;
    assert!(data.join("damage-found").exists());

    let (status, said) = restore(&finished).await;
    let restored = format!("game {finished}: {} records restored\n", records.len());
    assert_eq!((status, said), (Some(0), restored));
    let (status, said) = server_command(&["check", "--data", text(&data)]).await;
    assert_eq!(status, Some(0), "{said}");
    server.restart().await;
    assert_eq!(http::readiness(&server).await.0, 200, "{:?}", server.log());
    assert_eq!(log(&server, &finished).await, records);
    server.stop().await;

    // The damage is behind the last record of the backup.
    let last = "UPDATE arrivals SET record = CAST(replace(CAST(record AS TEXT), 'moved', 'mived')
             AS BLOB)
         WHERE id = (SELECT MAX(id) FROM arrivals WHERE game = ?1 AND record LIKE '%moved%')";
    let connection = Connection::open(data.join("adamant.db")).unwrap();
    assert_eq!(connection.execute(last, [&live]).unwrap(), 1);
    drop(connection);
    let (status, said) = restore(&live).await;
    assert_eq!(status, Some(1));
    assert!(said.contains("restore it from a later backup"), "{said}");
    // Nor is a game of another server taken.
    fs::write(elsewhere.path().join("signing.pub"), "00".repeat(32) + "\n").unwrap();
    let (_, said) = restore(&live).await;
    assert!(said.contains("the backup is of another server"), "{said}");
}
