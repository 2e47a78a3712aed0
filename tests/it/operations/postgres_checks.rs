//! `check` and `ratings` on a PostgreSQL database.

use postgres_fixture::Cluster;
use serde_json::{Value, json};

use crate::harness::{Peer, Server, Setup, game, server_command};

/// Runs a command on a database; returns its exit status and its lines.
async fn run(url: &str, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let (status, said) = server_command(&[arguments, &["--database", url]].concat()).await;
    (status, said.lines().map(str::to_owned).collect())
}

#[tokio::test]
async fn checks_find_what_was_changed_by_hand_and_a_rebuild_repairs_the_ratings() {
    let cluster = Cluster::shared();
    let database = cluster.create_database();
    let url = &cluster.url(&database);
    let sql = |statements: &str| cluster.primary().sql(&database, statements);
    let (status, said) = run(url, &["check"]).await;
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
    let (status, said) = run(url, &["check"]).await;
    assert_eq!(
        (status, said),
        (Some(0), vec![format!("3 games with {records} records, no findings")])
    );
    let (_, said) = run(url, &["check", "--json"]).await;
    let said: Value = serde_json::from_str(&said[0]).unwrap();
    assert_eq!(said, json!({"games": 3, "records": records, "found": 0, "findings": []}));
    let agreed = vec!["the ratings agree with the 2 results".to_owned()];
    assert_eq!(run(url, &["ratings", "--check"]).await, (Some(0), agreed.clone()));

    sql("UPDATE ratings SET rating = rating + 1000 WHERE user_name = 'ann'");
    sql(&format!("DELETE FROM results WHERE game = '{}'", games[1]));
    let (status, said) = run(url, &["ratings", "--check"]).await;
    let [missing, ann_differs, count] = &said[..] else { panic!("{said:?}") };
    assert_eq!((status, &**count), (Some(1), "2 differences in 2 results"));
    assert_eq!(*missing, format!("game {}: it counts, but has no result", games[1]));
    assert!(ann_differs.starts_with("adamas/2 ann: stored "), "{said:?}");
    let (status, said) = run(url, &["ratings", "--rebuild"]).await;
    assert_eq!(status, Some(1), "{said:?}");
    assert!(said[0].contains("node n1 uses the database"), "{said:?}");
    drop((ann, bob));
    server.stop().await;
    let (status, said) = run(url, &["ratings", "--rebuild"]).await;
    assert_eq!(status, Some(0), "{said:?}");
    assert!(said[2].ends_with("; stored the computed ratings"), "{said:?}");
    assert_eq!(run(url, &["ratings", "--check"]).await, (Some(0), agreed));

    sql(&format!(
        "UPDATE journal SET records = convert_to(
             replace(convert_from(records, 'UTF8'), '\"ply\":1', '\"ply\":3'), 'UTF8')
         WHERE game = '{live}'"
    ));
    sql(&format!("UPDATE journal SET events = 3 WHERE game = '{}' AND seq = 1", games[0]));
    let (status, mut said) = run(url, &["check"]).await;
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
