//! The simulation repeats: a seed has one history, within a process and in another process.

use std::{fs, process::Command};

use super::{fault::Fault, history::first_difference, runner};

/// The seeds that are repeated.
const SEEDS: std::ops::Range<u64> = 0..2;

/// The file to which a child process writes the histories.
const HISTORY_VARIABLE: &str = "ADAMANT_SIM_HISTORY";

/// The histories of the seeds, one after the other. A record ends with its line.
fn histories() -> Vec<String> {
    let lines = SEEDS.flat_map(|seed| runner::history(seed, Fault::None));
    lines.map(|line| line.replace('\n', " ")).collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a child process learns what to do")]
fn a_seed_has_one_history_in_every_process() {
    if let Some(file) = std::env::var_os(HISTORY_VARIABLE) {
        fs::write(file, histories().join("\n")).unwrap();
        return;
    }
    let first = histories();
    assert!(first.len() > 1_000, "{} lines are no history", first.len());
    for kind in ["   log: ", "   disk: ", "   row of ", "<", ">"] {
        let has = first.iter().any(|line| line.contains(kind));
        assert!(has, "the history has no {kind:?}");
    }
    let again = histories();
    if let Some(difference) = first_difference(&first, &again) {
        panic!("the second run in this process differs:\n{difference}");
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("history");
    let this = std::thread::current().name().expect("tests have names").to_owned();
    let child = Command::new(std::env::current_exe().unwrap())
        .args([&this, "--exact", "--test-threads=1"])
        .env(HISTORY_VARIABLE, &file)
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    let other = fs::read_to_string(file).unwrap();
    let other: Vec<String> = other.lines().map(str::to_owned).collect();
    if let Some(difference) = first_difference(&first, &other) {
        panic!("the run in another process differs:\n{difference}");
    }
}
