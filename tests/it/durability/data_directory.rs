//! Data directories that the server cannot lock or use.

use std::{fs, path::Path, process::Output};

use serde_json::json;
use tokio::{process::Command, time::timeout};

use crate::harness::{PATIENCE, Peer, Server, binary, game};

/// Runs a second server on a directory and waits until it exits.
async fn run_to_exit(data: &Path) -> (Output, String) {
    let mut command = Command::new(binary("adamant-server"));
    command.args(["--listen", "127.0.0.1:0", "--data"]).arg(data).kill_on_drop(true);
    let output = timeout(PATIENCE, command.output()).await;
    let output = output.expect("the server exits at once").expect("the binary runs");
    let said = String::from_utf8(output.stderr.clone()).expect("it speaks in text");
    (output, said)
}

#[tokio::test]
async fn two_servers_cannot_share_a_directory() {
    let server = Server::embedded(|_| {}).await;
    let (output, said) = run_to_exit(&server.data()).await;
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("is in use by another server"), "{said}");
    assert!(said.contains(server.data().to_str().unwrap()), "{said}");
    let mut ann = Peer::guest(&server, "ann").await;
    ann.ask(json!({"type": "ping"})).await;
}

/// The two players of a game, after one move.
async fn game_after_a_move(server: &Server) -> (Peer, Peer, String) {
    let mut ann = Peer::guest(server, "ann").await;
    let mut bob = Peer::guest(server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    (ann, bob, game)
}

#[tokio::test]
async fn a_server_whose_files_are_gone_acknowledges_nothing_until_they_are_back() {
    let server = Server::embedded(|_| {}).await;
    let data = server.data();
    let (mut ann, mut bob, game) = game_after_a_move(&server).await;
    let beside = |path: &Path| path.with_extension("aside");
    // Without the lock file another server may start on the directory.
    let files = ["adamant.lock", "adamant.db", "adamant.db-wal"].map(|name| data.join(name));
    for path in files.into_iter().chain([data.clone()]) {
        fs::rename(&path, beside(&path)).unwrap();
        let offer = json!({"type": "offer", "game": game, "what": "draw"});
        let reply = bob.request(offer.clone()).await;
        assert_eq!(reply["type"], "error", "{} is gone: {reply}", path.display());
        fs::rename(beside(&path), &path).unwrap();
    }
    let stopped = server.log().iter().any(|line| line.contains("was moved, replaced or deleted"));
    assert!(stopped, "{:?}", server.log());
    // Nobody has seen what was not acknowledged, and the game goes on.
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    assert_eq!(ann.records(&game), bob.records(&game));
}

#[tokio::test]
async fn an_unwritable_directory_is_named_in_the_error() {
    let directory = tempfile::tempdir().unwrap();
    // Not even the superuser can make a directory below a file.
    let file = directory.path().join("file");
    fs::write(&file, "in the way").unwrap();
    for data in [file.join("data"), file.clone()] {
        let (output, said) = run_to_exit(&data).await;
        assert_eq!(output.status.code(), Some(1), "{said}");
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("adamant-server: "), "{said}");
        assert!(last.contains(data.to_str().unwrap()), "{said}");
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_stays_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("adamant.db");
    let text = "somebody's notes, not a database at all\n".repeat(200);
    fs::write(&database, &text).unwrap();
    let (output, said) = run_to_exit(directory.path()).await;
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the store cannot be opened"), "{said}");
    assert_eq!(fs::read_to_string(&database).unwrap(), text);
}
