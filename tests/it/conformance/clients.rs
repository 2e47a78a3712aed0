//! `adamant conform` with the clients of this repository that need no other tools. The tests of the
//! Python and the TypeScript client run it with theirs.

use std::{collections::BTreeSet, fs, path::PathBuf, process::Stdio};

use serde_json::Value;
use tokio::{process::Command, time::timeout};

use crate::harness::{PATIENCE, binary, python, repository};

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
    let engine = format!("'{}' engine", adamant());
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
