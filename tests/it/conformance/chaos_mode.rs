//! What the server's chaos mode accepts, and what it prints.

use std::{fs, process::Stdio};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader},
    process::Command,
    time::timeout,
};

use crate::harness::{PATIENCE, binary, http, server_command};

#[tokio::test]
async fn the_chaos_mode_harms_no_one() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("adamant.db"), "games").unwrap();
    let data = directory.path().display().to_string();
    for (words, complaint) in [
        (vec!["--listen", "0.0.0.0:0"], "loopback addresses only"),
        (vec!["--data", &data, "--listen", "127.0.0.1:0"], "is not empty"),
        (vec!["--no-limits"], "cannot be used with"),
        (vec!["--database", "postgres://localhost/games"], "cannot be used with"),
    ] {
        let words: Vec<&str> = ["--chaos", "1"].into_iter().chain(words).collect();
        let (status, text) = server_command(&words).await;
        assert_eq!(status, Some(2), "{words:?}: {text}");
        assert!(text.contains(complaint), "{words:?}: {text}");
    }
    let (status, text) = server_command(&["--fast"]).await;
    assert_eq!(status, Some(2), "{text}");
    assert_eq!(fs::read_to_string(directory.path().join("adamant.db")).unwrap(), "games");
}

#[tokio::test]
async fn a_run_without_a_client_is_stopped_and_judged() {
    let mut command = Command::new(binary("adamant-server"));
    command.args(["--chaos", "5", "--fast", "--json", "--listen", "127.0.0.1:0"]);
    let mut server =
        command.stdout(Stdio::piped()).kill_on_drop(true).spawn().expect("it can be run");
    let mut said = BufReader::new(server.stdout.take().expect("a pipe"));
    let mut invitation = String::new();
    timeout(PATIENCE, said.read_line(&mut invitation)).await.expect("in time").expect("text");
    let invitation: Value = serde_json::from_str(&invitation).expect("an object");
    assert_eq!((&invitation["seed"], &invitation["games"]), (&5.into(), &4.into()));
    assert!(invitation["token"].as_str().is_some_and(|token| token.starts_with("at_")));

    // Requests by HTTP pass through.
    let url = invitation["url"].as_str().expect("an address");
    let host = url.trim_start_matches("ws://").trim_end_matches("/v1/ws");
    let address = host.parse().expect("an address with a port");
    let version = http::ask_at(address, "GET", "/version").await.text().await;
    assert!(version.contains(r#""name":"adamant""#), "{version}");

    let process = server.id().expect("it runs").to_string();
    let sent = Command::new("kill").args(["-TERM", &process]).status().await;
    assert!(sent.expect("kill runs").success());
    let mut verdict = String::new();
    timeout(PATIENCE, said.read_to_string(&mut verdict)).await.expect("in time").expect("text");
    let verdict: Value = serde_json::from_str(&verdict).expect("an object");
    assert_eq!((&verdict["passed"], &verdict["games"]), (&false.into(), &0.into()));
    assert!(verdict["findings"]["unfinished"]["first"].as_str().unwrap().contains("SIGTERM"));
    assert_eq!(server.wait().await.unwrap().code(), Some(1));
}
