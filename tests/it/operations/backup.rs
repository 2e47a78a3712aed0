//! `backup`, restore and `check` of a data directory, also while games are played.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use postgres_fixture::Cluster;
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{process::Command, time::timeout};

use crate::{
    admin::govern,
    harness::{PATIENCE, Peer, Server, Setup, binary, game, http, server_command},
};

pub(super) fn text(path: &Path) -> &str {
    path.to_str().expect("paths of tests are text")
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Returns the names of the files in a directory.
pub(super) fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(super) async fn log(server: &Server, game: &str) -> Vec<String> {
    let log = http::ask(server, "GET", &format!("/v1/games/{game}/log")).await.text().await;
    log.lines().map(str::to_owned).collect()
}

/// Starts two players with a finished game and a live one.
pub(super) async fn two_games(server: &Server) -> (Peer, Peer, String, String) {
    let mut ann = Peer::guest(server, "ann").await;
    let mut bob = Peer::guest(server, "bob").await;
    let finished = game::start_and_play(&mut [&mut ann, &mut bob], 4).await;
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

#[tokio::test]
async fn backups_with_keys_go_on_after_a_change_of_keys() {
    let server = Server::embedded(|_| {}).await;
    let data = server.data();
    let elsewhere = TempDir::new().unwrap();
    let to = text(elsewhere.path());
    let asked = ["backup", "--with-key", "--to", to, "--data", text(&data)];
    let back_up = async || {
        let (status, said) = server_command(&asked).await;
        assert_eq!(status, Some(0), "{said}");
    };
    back_up().await;
    for replace in ["replace", "replace-push"] {
        govern(&server, &["keys", replace, "--reason", "a laptop was lost"]).await;
        back_up().await;
        for name in ["signing.key", "signing.pub", "vapid.key"] {
            let (ours, copied) = (fs::read(data.join(name)), fs::read(elsewhere.path().join(name)));
            assert!(ours.unwrap() == copied.unwrap(), "{name} after {replace}");
        }
    }
}

#[tokio::test]
async fn backups_of_a_directory_rotate_and_the_server_knows_of_the_last() {
    let server = Server::embedded(|_| {}).await;
    let data = server.data();
    let elsewhere = TempDir::new().unwrap();
    for name in ["adamant-2020-01-01.db", "adamant-2020-01-01.2.db", "adamant-mine.db", "a.db"] {
        fs::write(elsewhere.path().join(name), "").unwrap();
    }
    let metric = "adamant_last_backup_seconds ";
    let metrics = async || http::ask(&server, "GET", "/metrics").await.text().await;
    assert!(!metrics().await.contains(metric));
    let asked = |to: &Path| {
        let words = ["backup", "--keep", "2", "--json", "--data", text(&data), "--to", text(to)];
        words.map(str::to_owned)
    };
    let mut last = json!(null);
    for removed in [1, 1] {
        let words = asked(elsewhere.path());
        let (status, said) = server_command(&words.each_ref().map(String::as_str)).await;
        assert_eq!(status, Some(0), "{said}");
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["removed"].as_array().map(Vec::len), Some(removed), "{said}");
        assert_ne!(said["backup"], last, "a second one of the day has another name");
        last = said["backup"].clone();
    }
    let left = names(elsewhere.path());
    assert_eq!((left.len(), &*left[0]), (4, "a.db"), "{left:?}");
    assert!(left.iter().any(|name| name.ends_with(".2.db")), "{left:?}");
    assert!(!left.iter().any(|name| name.starts_with("adamant-2020")), "{left:?}");
    assert!(left.contains(&"adamant-mine.db".to_owned()), "{left:?}");
    assert!(metrics().await.contains(metric));

    let words = asked(&elsewhere.path().join("new.db"));
    let (status, said) = server_command(&words.each_ref().map(String::as_str)).await;
    assert_eq!(status, Some(1));
    assert!(said.contains("--keep removes old backups from one"), "{said}");
}

/// Changes one byte of a finished game's stored records.
pub(super) fn change_a_byte(database: &Path, game: &str) {
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

/// Runs a command of the server's binary on a database. Returns its exit status, its standard
/// output and its standard error.
async fn run(url: &str, arguments: &[&str], directory: &Path) -> (Option<i32>, String, String) {
    let mut command = Command::new(binary("adamant-server"));
    command.env("ADAMANT_DATABASE", url).args(arguments).arg(directory).kill_on_drop(true);
    let output = timeout(PATIENCE, command.output()).await.expect("in time").expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[tokio::test]
async fn a_store_moves_to_postgresql_and_back() {
    let mut embedded = Server::embedded(|setup| {
        setup.argument("--no-house");
        setup.set("downloads", "every", "50ms");
    })
    .await;
    let (mut ann, mut bob) =
        (Peer::account(&embedded, "ann").await, Peer::account(&embedded, "Bob").await);
    let rated = json!({"rated": true});
    let ended = game::start(&mut [&mut ann, &mut bob], rated.clone()).await;
    game::play_moves(&mut [&mut ann, &mut bob], &ended, 4).await;
    bob.ask(json!({"type": "resign", "game": ended})).await;
    ann.next_event(&ended, "rated").await;
    let live = game::start(&mut [&mut ann, &mut bob], rated).await;
    game::play_moves(&mut [&mut ann, &mut bob], &live, 5).await;
    let say = json!({"type": "say", "game": live, "room": "players", "text": "good luck"});
    ann.ask(say).await;
    bob.ask(json!({"type": "challenge", "rules": "diam", "seats": ["Bob", "ann"]})).await;
    bob.ask(json!({"type": "seek", "rules": "hexma", "lasting": true})).await;
    let standings = json!({"type": "standings", "rules": "adamas", "players": 2});
    let before = ann.ask(standings.clone()).await["standings"].clone();
    let signed = ann.ask(json!({"type": "signature", "game": ended})).await;
    let downloads = loop {
        let list = http::get(&embedded, "/v1/downloads").await;
        if list["files"][0].is_object() {
            break list;
        }
    };
    let file = format!("/v1/downloads/{}", downloads["files"][0]["file"].as_str().unwrap());
    let downloaded = http::ask(&embedded, "GET", &file).await.text().await;
    ann.disconnect();
    bob.disconnect();
    embedded.stop().await;

    let cluster = Cluster::shared();
    let url = cluster.url(&cluster.create_database());
    let (status, said, error) = run(&url, &["import", "--json", "--from"], &embedded.data()).await;
    let report: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}{error}"));
    assert_eq!((status, &report["found"]), (Some(0), &json!(0)), "{report}{error}");
    assert_eq!(report["games"], 2, "{report}");
    let (status, _, error) = run(&url, &["import", "--from"], &embedded.data()).await;
    assert_eq!(status, Some(1));
    assert!(error.contains("the database is not empty"), "{error}");

    // A node with a data directory and a signing key of its own.
    let mut setup = Setup::default();
    setup.argument("--no-house");
    setup.set("downloads", "every", "50ms");
    let mut node = Server::on_database(1, setup, &url).await;
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &node).await;
    let keys = ann.welcome["keys"].clone();
    assert_eq!(keys.as_array().unwrap()[1..], [signed["key"].clone()], "{keys}");
    assert_eq!(ann.ask(standings.clone()).await["standings"], before);
    let challenges = ann.ask(json!({"type": "challenges"})).await;
    assert_eq!(challenges["challenges"][0]["rules"], "diam@1", "{challenges}");
    let talk = bob.ask(json!({"type": "talk", "game": live, "room": "players"})).await;
    assert_eq!(talk["lines"][0]["text"], "good luck", "{talk}");
    let seeks = ann.ask(json!({"type": "lobby", "watch": false})).await;
    assert_eq!(seeks["add"][0]["rules"], "hexma@1", "{seeks}");
    game::play_moves(&mut [&mut ann, &mut bob], &live, 4).await;
    assert_eq!(http::get(&node, "/v1/downloads").await, downloads, "no game is published twice");
    assert_eq!(http::ask(&node, "GET", &file).await.text().await, downloaded);
    let history = [&ended, &live].map(|game| ann.records(game).to_vec());
    ann.disconnect();
    bob.disconnect();
    node.stop().await;

    let target = tempfile::tempdir().unwrap();
    let data = target.path().join("data");
    let (status, said, error) = run(&url, &["export", "--to"], &data).await;
    assert_eq!(status, Some(0), "{said}{error}");
    assert!(said.contains("2 games"), "{said}");
    let (status, _, error) = run(&url, &["export", "--to"], &data).await;
    assert_eq!(status, Some(1), "the directory has a store by now: {error}");
    let back = Server::embedded(|setup| {
        setup.argument("--no-house");
        setup.set("store", "data", data.display().to_string());
    })
    .await;
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &back).await;
    assert_eq!(ann.welcome["keys"].as_array().unwrap()[1..], *keys.as_array().unwrap());
    assert_eq!(ann.ask(standings).await["standings"], before);
    for (game, records) in [&ended, &live].into_iter().zip(&history) {
        let mut eve = Peer::with_token(&back, &ann.token.clone().unwrap()).await;
        eve.ask(json!({"type": "watch", "game": game, "from": 1})).await;
        eve.read_up_to(game, records.len() as u64).await;
        assert_eq!(eve.records(game), records);
    }
    assert_eq!(http::get(&back, "/v1/downloads").await, downloads);
    assert_eq!(http::ask(&back, "GET", &file).await.text().await, downloaded);
    game::play_moves(&mut [&mut ann, &mut bob], &live, 2).await;
    assert_eq!(ann.records(&live), bob.records(&live));
}

/// Runs a command on a database; returns its exit status and its lines.
async fn run_on(url: &str, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let (status, said) = server_command(&[arguments, &["--database", url]].concat()).await;
    (status, said.lines().map(str::to_owned).collect())
}

#[tokio::test]
async fn checks_find_what_was_changed_by_hand_and_a_rebuild_repairs_the_ratings() {
    let cluster = Cluster::shared();
    let database = cluster.create_database();
    let url = &cluster.url(&database);
    let sql = |statements: &str| cluster.primary().sql(&database, statements);
    let (status, said) = run_on(url, &["check"]).await;
    assert_eq!(status, Some(1), "{said:?}");
    assert!(said[0].contains("the database has no tables"), "{said:?}");

    let mut setup = Setup::default();
    setup.argument("--no-house");
    let mut server = Server::on_database(1, setup, url).await;
    let mut ann = Peer::account(&server, "ann").await;
    let mut bob = Peer::account(&server, "Bob").await;
    let rated = json!({"rated": true});
    let mut games = Vec::new();
    for _ in 0..2 {
        let game = game::start(&mut [&mut ann, &mut bob], rated.clone()).await;
        game::play_moves(&mut [&mut ann, &mut bob], &game, 3).await;
        bob.ask(json!({"type": "resign", "game": game})).await;
        ann.next_event(&game, "rated").await;
        games.push(game);
    }
    let live = game::start(&mut [&mut ann, &mut bob], rated).await;
    game::play_moves(&mut [&mut ann, &mut bob], &live, 3).await;

    let records: usize = games.iter().chain([&live]).map(|game| ann.records(game).len()).sum();
    let (status, said) = run_on(url, &["check"]).await;
    assert_eq!(
        (status, said),
        (Some(0), vec![format!("3 games with {records} records, no findings")])
    );
    let (_, said) = run_on(url, &["check", "--json"]).await;
    let said: Value = serde_json::from_str(&said[0]).unwrap();
    assert_eq!(said, json!({"games": 3, "records": records, "found": 0, "findings": []}));
    let agreed = vec!["the ratings agree with the 2 results".to_owned()];
    assert_eq!(run_on(url, &["ratings", "--check"]).await, (Some(0), agreed.clone()));

    sql("UPDATE ratings SET rating = rating + 1000 WHERE user_name = 'ann'");
    sql(&format!("DELETE FROM results WHERE game = '{}'", games[1]));
    let (status, said) = run_on(url, &["ratings", "--check"]).await;
    let [missing, ann_differs, count] = &said[..] else { panic!("{said:?}") };
    assert_eq!((status, &**count), (Some(1), "2 differences in 2 results"));
    assert_eq!(*missing, format!("game {}: it counts, but has no result", games[1]));
    assert!(ann_differs.starts_with("the table ratings: adamas/2 ann: stored "), "{said:?}");
    let (status, said) = run_on(url, &["ratings", "--rebuild"]).await;
    assert_eq!(status, Some(1), "{said:?}");
    assert!(said[0].contains("node n1 uses the database"), "{said:?}");
    drop((ann, bob));
    server.stop().await;
    let (status, said) = run_on(url, &["ratings", "--rebuild"]).await;
    assert_eq!(status, Some(0), "{said:?}");
    assert!(said[2].ends_with("; stored the computed ratings"), "{said:?}");
    assert_eq!(run_on(url, &["ratings", "--check"]).await, (Some(0), agreed));

    sql(&format!(
        "UPDATE journal SET records = convert_to(
             replace(convert_from(records, 'UTF8'), '\"ply\":1', '\"ply\":3'), 'UTF8')
         WHERE game = '{live}'"
    ));
    sql(&format!("UPDATE journal SET events = 3 WHERE game = '{}' AND seq = 1", games[0]));
    let (status, mut said) = run_on(url, &["check"]).await;
    said.sort();
    assert_eq!(status, Some(1), "{said:?}");
    let counts = said.iter().find(|line| line.starts_with("3 games with ")).unwrap();
    assert!(counts.ends_with(", 2 findings"), "{said:?}");
    for finding in [
        format!("game {live}: record 3 "),
        format!("game {}: the row of the journal at record 1 ", games[0]),
    ] {
        assert!(said.iter().any(|line| line.starts_with(&finding)), "{finding}: {said:?}");
    }
}
