//! The server's command line: what it prints, and its exit status when it cannot or need not serve.
#![cfg(test)]

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

fn server(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_adamant-server")).args(args).output().expect("the server runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is text")
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

/// Writes a configuration file into a new directory.
fn config_file(text: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("adamant.toml");
    std::fs::write(&file, text).unwrap();
    (directory, file)
}

#[test]
fn the_printed_configuration_is_accepted_as_a_file() {
    let printed = server(&["--print-config", "--listen", "127.0.0.1:4321"]);
    assert!(printed.status.success());
    assert!(text(&printed.stdout).contains("listen = \"127.0.0.1:4321\""));
    let (_directory, file) = config_file(&printed.stdout);

    let checked = server(&["--check-config", "--config", shown(&file)]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    let again = server(&["--print-config", "--config", shown(&file)]);
    assert_eq!(text(&again.stdout), text(&printed.stdout));
}

#[test]
fn an_invalid_configuration_exits_with_status_2_and_the_line() {
    let (_directory, file) = config_file("[limits]\nmessages_burst = \"many\"\n");
    let checked = server(&["--check-config", "--config", shown(&file)]);
    assert_eq!(checked.status.code(), Some(2));
    assert!(text(&checked.stderr).contains("line 2"), "{}", text(&checked.stderr));

    let missing = server(&["--check-config", "--config", "/nowhere/adamant.toml"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("/nowhere/adamant.toml"));

    assert_eq!(server(&["--listen", "nonsense"]).status.code(), Some(2));
}

#[test]
fn a_port_in_use_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let directory = tempfile::tempdir().unwrap();
    let output = server(&["--listen", &address, "--data", shown(directory.path())]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains(&address), "{}", text(&output.stderr));
}

#[test]
fn a_key_under_its_earlier_name_is_accepted_with_a_warning() {
    let (directory, file) = config_file("[store]\nlog_mib = 7\n");
    let printed = server(&["--print-config", "--config", shown(&file)]);
    assert!(text(&printed.stdout).contains("wal_mib = 7"), "{}", text(&printed.stdout));

    let checked = server(&["--check-config", "--config", shown(&file)]);
    assert!(checked.status.success());
    let warning = "store.log_mib (line 2) has another name now: name it store.wal_mib";
    assert!(text(&checked.stderr).contains(warning), "{}", text(&checked.stderr));

    // The server logs the warning and then fails on the port.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let data = shown(directory.path());
    let output = server(&["--config", shown(&file), "--listen", &address, "--data", data]);
    let warning =
        "WARN configuration key was renamed key=store.log_mib new_key=store.wal_mib line=2";
    assert!(text(&output.stderr).replace('"', "").contains(warning), "{}", text(&output.stderr));
}
