//! The example bot in Python.

use std::{
    path::Path,
    process::{Output, Stdio},
};

use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::Command,
    time::timeout,
};

use crate::harness::{PATIENCE, Peer, Server, python, repository};

/// The command of the example bot, which stores its state in `kept`.
async fn example_bot(server: &Server, kept: &Path) -> Command {
    let mut example = Command::new(python().await);
    example.arg(repository().join("docs/examples/house_game.py"));
    example.arg(format!("ws://{}/v1/ws", server.address())).arg(kept);
    example.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    example
}

#[tokio::test]
async fn the_example_bot_plays_a_whole_game() {
    let server = Server::start().await;
    let directory = tempfile::tempdir().unwrap();
    let example = example_bot(&server, &directory.path().join("kept.json")).await.output();
    let Output { status, stdout, stderr } =
        timeout(PATIENCE, example).await.expect("a game in time").expect("python runs");
    let (said, complaints) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{said}\n{complaints}");
    assert!(said.lines().last().is_some_and(|line| line.contains("winners:")), "{said}");
    let mut anonymous = Peer::anonymous(&server).await;
    let list = anonymous.ask(json!({"type": "games", "state": "finished", "user": "house"})).await;
    assert_eq!(list["games"][0]["ply"], said.lines().count() - 1, "{said}");
}

#[tokio::test]
async fn the_example_bot_continues_its_game_after_bot_and_server_were_killed() {
    let mut server = Server::start().await;
    let directory = tempfile::tempdir().unwrap();
    let kept = directory.path().join("kept.json");
    let mut first = example_bot(&server, &kept).await.spawn().unwrap();
    let mut lines = BufReader::new(first.stdout.take().unwrap()).lines();
    for _ in 0..3 {
        let line = timeout(PATIENCE, lines.next_line()).await.expect("a move in time").unwrap();
        assert!(line.is_some(), "three moves are made");
    }
    server.kill().await;
    first.kill().await.unwrap();
    server.restart().await;
    let again = example_bot(&server, &kept).await.output();
    let Output { status, stdout, stderr } =
        timeout(PATIENCE, again).await.expect("a game in time").expect("python runs");
    let (said, complaints) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{said}\n{complaints}");
    let mut anonymous = Peer::anonymous(&server).await;
    let list = anonymous.ask(json!({"type": "games", "state": "finished"})).await;
    let games = list["games"].as_array().unwrap();
    assert_eq!(games.len(), 1, "one game, and the same: {list}");
    // It requested the whole record again, because it kept its records only in memory.
    assert_eq!(games[0]["ply"], said.lines().count() - 1, "{said}");
}
