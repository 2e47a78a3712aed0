//! Clients against the server in chaos mode: ours pass, a naive one fails.

use std::{collections::BTreeSet, fs, path::PathBuf, process::Stdio};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader},
    process::Command,
    time::timeout,
};

use crate::harness::{PATIENCE, binary, http, python, repository, server_command};

/// Seeds that together have every way in which a session ends.
const SEEDS: &str = "3";

/// Runs `adamant conform` and returns its exit status and report.
async fn conform(words: &[&str]) -> (Option<i32>, Value) {
    let home = tempfile::tempdir().expect("room for files");
    let server = binary("adamant-server").display().to_string();
    let mut command = Command::new(binary("adamant"));
    command
        .args(["--json", "conform", "--server-program", &server])
        .args(words)
        .env("HOME", home.path())
        .env("XDG_CONFIG_HOME", home.path())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = timeout(4 * PATIENCE, command.output()).await.expect("in time").expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let report = serde_json::from_str(&text);
    (output.status.code(), report.unwrap_or_else(|_| panic!("{output:?}")))
}

fn adamant() -> String {
    binary("adamant").display().to_string()
}

fn findings(report: &Value) -> BTreeSet<String> {
    let verdicts = report["verdicts"].as_array().expect("a list");
    let names = verdicts.iter().filter_map(|verdict| verdict["findings"].as_object());
    names.flat_map(|findings| findings.keys().cloned()).collect()
}

#[tokio::test]
async fn our_bot_passes() {
    let words = ["--seeds", SEEDS, "--", &adamant(), "bot", "--accept-any"];
    let (status, report) = conform(&words).await;
    assert_eq!((status, &report["seeds_passed"]), (Some(0), &report["seeds"]), "{report:#}");
}

#[tokio::test]
#[ignore = "long"]
async fn an_engine_passes_by_our_bridge() {
    // At full strength a build for tests thinks for too long.
    let engine = format!("'{}' engine --nodes 500", adamant());
    let bot = [&adamant(), "bot", "--accept-any", "--engine", &engine].map(ToOwned::to_owned);
    let words = ["--seeds", SEEDS, "--"].into_iter().chain(bot.iter().map(String::as_str));
    let (status, report) = conform(&words.collect::<Vec<_>>()).await;
    assert_eq!((status, &report["seeds_passed"]), (Some(0), &report["seeds"]), "{report:#}");
}

#[tokio::test]
#[ignore = "long"]
async fn a_naive_bot_fails() {
    let bot = repository().join("tests/it/conformance/naive_bot.py").display().to_string();
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| -> (PathBuf, String) {
        let path = directory.path().join(name);
        (path.clone(), path.display().to_string())
    };
    let ((report_file, report_name), (badge_file, badge_name)) = (file("report"), file("badge"));
    let python = python().await.display().to_string();
    let words = ["--seeds", SEEDS, "--report", &report_name, "--badge", &badge_name];
    let words: Vec<&str> = words.into_iter().chain(["--", &python, &bot]).collect();
    let (status, report) = conform(&words).await;
    assert_eq!((status, &report["seeds_passed"]), (Some(1), &0.into()), "{report:#}");
    let found = findings(&report);
    for expected in ["act_doubled", "came_back", "resume_missing", "too_early"] {
        assert!(found.contains(expected), "{expected} of {found:?}");
    }
    let text = fs::read_to_string(report_file).unwrap();
    assert!(
        text.contains("FAILED, 0 of 3 seeds") && text.contains("Again: adamant conform"),
        "{text}"
    );
    assert!(fs::read_to_string(badge_file).unwrap().contains("0 of 3"));
}

#[test]
fn the_document_has_the_commands_that_these_tests_run() {
    let text = fs::read_to_string(repository().join("docs/CONFORMANCE.md")).unwrap();
    for command in [
        "adamant conform --seeds 3 -- adamant bot --accept-any\n",
        "adamant conform --seeds 3 -- adamant bot --accept-any --engine \"adamant engine\"\n",
    ] {
        assert!(text.contains(command), "{command}");
    }
}

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
