//! The server's command line: what it prints and how it ends without serving anybody.

use std::process::{Command, Output};

fn server(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_adamant-server")).args(args).output().expect("the server runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("it prints text")
}

#[test]
fn the_printed_configuration_is_one_that_it_accepts() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("adamant.toml");
    let printed = server(&["--print-config", "--listen", "127.0.0.1:4321"]);
    assert!(printed.status.success());
    assert!(text(&printed.stdout).contains("listen = \"127.0.0.1:4321\""));
    std::fs::write(&file, &printed.stdout).unwrap();

    let checked = server(&["--check-config", "--config", file.to_str().unwrap()]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    let again = server(&["--print-config", "--config", file.to_str().unwrap()]);
    assert_eq!(text(&again.stdout), text(&printed.stdout));
}

#[test]
fn a_configuration_that_cannot_be_used_is_a_usage_error_with_a_place() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("adamant.toml");
    std::fs::write(&file, "[limits]\nmessages_burst = \"many\"\n").unwrap();
    let checked = server(&["--check-config", "--config", file.to_str().unwrap()]);
    assert_eq!(checked.status.code(), Some(2));
    assert!(text(&checked.stderr).contains("line 2"), "{}", text(&checked.stderr));

    let missing = server(&["--check-config", "--config", "/nowhere/adamant.toml"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("/nowhere/adamant.toml"));

    assert_eq!(server(&["--listen", "nonsense"]).status.code(), Some(2));
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let directory = tempfile::tempdir().unwrap();
    let output = server(&["--listen", &address, "--data", directory.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains(&address), "{}", text(&output.stderr));
}
