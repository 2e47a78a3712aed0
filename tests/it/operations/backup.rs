//! `backup`, restore and `check` of a data directory, also while games are played.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Peer, Server, game, http, server_command};

fn text(path: &Path) -> &str {
    path.to_str().expect("paths of tests are text")
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Returns the names of the files in a directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

async fn log(server: &Server, game: &str) -> Vec<String> {
    let log = http::ask(server, "GET", &format!("/v1/games/{game}/log")).await.text().await;
    log.lines().map(str::to_owned).collect()
}

/// Starts two players with a finished game and a live one.
async fn two_games(server: &Server) -> (Peer, Peer, String, String) {
    let mut ann = Peer::guest(server, "ann").await;
    let mut bob = Peer::guest(server, "bob").await;
    let finished = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &finished, 4).await;
    ann.ask(json!({"type": "resign", "game": finished})).await;
    ann.next_event(&finished, "ended").await;
    // So large that no test ends it.
    let live = game::start(&mut [&mut ann, &mut bob], json!({"options": "-size=8"})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &live, 4).await;
    (ann, bob, finished, live)
}

#[tokio::test]
async fn a_backup_made_during_play_can_be_served_elsewhere() {
    let server = Server::embedded(|_| {}).await;
    let (mut ann, mut bob, finished, live) = two_games(&server).await;
    let before = ann.records(&live).len();
    let elsewhere = TempDir::new().unwrap();
    let file = elsewhere.path().join("adamant.db");
    let data = server.data();
    let asked = ["backup", "--to", text(&file), "--with-key", "--json", "--data", text(&data)];
    let mut seats = [&mut ann, &mut bob];
    let (made, ()) = tokio::join!(server_command(&asked), game::play_moves(&mut seats, &live, 20));
    assert_eq!(made.0, Some(0), "{}", made.1);
    let said: Value = serde_json::from_str(&made.1).unwrap();
    assert_eq!((&said["backup"], &said["games"]), (&json!(file), &json!(2)));
    assert_eq!((&said["found"], &said["findings"]), (&json!(0), &json!([])));
    let files = ["adamant.db", "signing.key", "signing.pub", "vapid.key"];
    assert_eq!(names(elsewhere.path()), files);
    for name in names(elsewhere.path()) {
        assert_eq!(mode(&elsewhere.path().join(&name)), 0o600, "{name}");
    }

    // A check of the server's directory or of the backup finds nothing and leaves no file behind.
    for whole in [&data, &file] {
        let (status, said) = server_command(&["check", "--data", text(whole)]).await;
        assert_eq!(status, Some(0), "{said}");
        assert!(said.starts_with("2 games with ") && said.ends_with("no findings\n"), "{said}");
    }
    let files = ["adamant.db", "signing.key", "signing.pub", "vapid.key"];
    assert_eq!(names(elsewhere.path()), files);
    game::play_moves(&mut [&mut ann, &mut bob], &live, 2).await;

    let restored = Server::embedded(|setup| {
        setup.set("store", "data", text(elsewhere.path()));
    })
    .await;
    assert_eq!(log(&restored, &finished).await, ann.records(&finished));
    let kept = log(&restored, &live).await;
    assert!(kept.len() >= before, "{} of {before}", kept.len());
    assert_eq!(kept, ann.records(&live)[..kept.len()]);
    restored.wait_for_log("this is a copy: the server continues its games").await;
    let hello = json!({"resume": {&live: ann.cursor(&live)}});
    let welcome = Peer::connect(restored.address()).await.hello(hello).await;
    assert_eq!(welcome["games"][0]["resume"], "fork", "it knows nothing of what came since");
    let key = |data: &Path| fs::read(data.join("signing.key")).unwrap();
    assert!(key(&data) == key(elsewhere.path()), "the key is the server's");
}

#[tokio::test]
async fn a_backup_overwrites_nothing_and_lists_what_it_leaves_out() {
    let server = Server::embedded(|_| {}).await;
    let data = server.data();
    let elsewhere = TempDir::new().unwrap();
    let to = text(elsewhere.path());
    let asked = ["backup", "--to", to, "--data", text(&data)];
    let (status, said) = server_command(&asked).await;
    assert_eq!(status, Some(0), "{said}");
    let [name] = &names(elsewhere.path())[..] else { panic!("one file") };
    let day = name.strip_prefix("adamant-20").and_then(|rest| rest.strip_suffix(".db"));
    assert_eq!(day.map(str::len), Some("26-11-22".len()), "{name}");
    assert!(said.contains("0 games with 0 records, no findings\n"), "{said}");
    assert!(said.contains("not included: signing.key, signing.pub and vapid.key"), "{said}");

    let file = elsewhere.path().join(name);
    let content = fs::read(&file).unwrap();
    let again = ["backup", "--to", text(&file), "--data", text(&data)];
    let (status, said) = server_command(&again).await;
    assert_eq!(status, Some(1));
    assert!(said.contains("exists already"), "{said}");
    assert!(fs::read(&file).unwrap() == content, "it is as it was");

    // A backup does not overwrite another server's key either.
    fs::write(elsewhere.path().join("signing.key"), "another").unwrap();
    let with_key = elsewhere.path().join("b.db");
    let asked = ["backup", "--with-key", "--to", text(&with_key), "--data", text(&data)];
    let (status, said) = server_command(&asked).await;
    assert_eq!(status, Some(1));
    assert!(said.contains("signing.key is not this server's key"), "{said}");
    assert_eq!(names(elsewhere.path()), [name, "signing.key"]);

    assert_eq!(server_command(&["backup", "--data", text(&data)]).await.0, Some(2), "without --to");
    let (status, said) = server_command(&["check", "--data", to]).await;
    assert_eq!(status, Some(1));
    assert!(said.contains("there is no database of a server"), "{said}");
    assert_eq!(names(elsewhere.path()), [name, "signing.key"], "none is made");
}

/// Changes one byte of a finished game's stored records.
fn change_a_byte(database: &Path, game: &str) {
    let database = Connection::open(database).unwrap();
    let change = "UPDATE journal SET records =
             CAST(replace(CAST(records AS TEXT), '\"ply\":1', '\"ply\":3') AS BLOB)
         WHERE game = ?1";
    assert_eq!(database.execute(change, [game]).unwrap(), 1);
}

#[tokio::test]
async fn a_check_finds_a_changed_byte_and_names_its_game() {
    let mut server = Server::embedded(|_| {}).await;
    let (ann, bob, finished, live) = two_games(&server).await;
    drop((ann, bob));
    server.stop().await;
    let data = server.data();
    let database: PathBuf = data.join("adamant.db");
    let check = ["check", "--data", text(&data)];
    let (status, said) = server_command(&check).await;
    assert_eq!(status, Some(0), "{said}");
    let ratings = server_command(&["ratings", "--check", "--data", text(&data)]).await;
    assert_eq!(ratings.0, Some(0), "{}", ratings.1);
    change_a_byte(&database, &finished);
    let content = fs::read(&database).unwrap();

    let (status, said) = server_command(&check).await;
    assert_eq!(status, Some(1), "{said}");
    let [finding, counts] = &said.lines().collect::<Vec<_>>()[..] else { panic!("{said}") };
    assert!(finding.starts_with(&format!("game {finished}: record 3 ")), "{said}");
    assert!(counts.starts_with("2 games with ") && counts.ends_with(", 1 finding"), "{said}");
    let (_, said) = server_command(&["check", "--json", "--data", text(&data)]).await;
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["found"], &said["games"]), (&json!(1), &json!(2)));

    // A backup of a damaged database has another name, so that it is not mistaken for a good one.
    let elsewhere = TempDir::new().unwrap();
    let file = elsewhere.path().join("a.db");
    let (status, said) =
        server_command(&["backup", "--to", text(&file), "--data", text(&data)]).await;
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains(&*finished) && !said.contains(&*live), "{said}");
    assert_eq!(names(elsewhere.path()), ["a.db.damaged"]);
    assert!(fs::read(&database).unwrap() == content, "nothing was written");

    // Records that do not fit the list of games.
    let connection = Connection::open(&database).unwrap();
    let change = |sql: &str, game: &str| assert_eq!(connection.execute(sql, [game]).unwrap(), 1);
    change("UPDATE games SET archived_seq = archived_seq - 1 WHERE game = ?1", &finished);
    change("DELETE FROM games WHERE game = ?1", &live);
    let (_, said) = server_command(&check).await;
    let differing = format!("game {finished}: its archived records are not those that ");
    assert!(said.contains(&differing), "{said}");
    let unlisted = format!("game {live}: it has records, and is not listed");
    assert!(said.contains(&unlisted), "{said}");
}
