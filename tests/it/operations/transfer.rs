//! `import` and `export`: a whole store moves to PostgreSQL and back.

use std::path::Path;

use postgres_fixture::Cluster;
use serde_json::{Value, json};
use tokio::{process::Command, time::timeout};

use crate::harness::{PATIENCE, Peer, Server, Setup, binary, game, http};

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
    let mut ann = ann.reconnect(&node).await;
    let mut bob = bob.reconnect(&node).await;
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
    let mut ann = ann.reconnect(&back).await;
    let mut bob = bob.reconnect(&back).await;
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
