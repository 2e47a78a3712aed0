//! `doctor`, `health`, what the server says of a certificate that expires, and the commands that the
//! documents name.

use std::{fs, os::unix::fs::PermissionsExt as _, process::Command, time::Duration};

use serde_json::Value;

use super::{TestCertificate, check, reload};
use crate::harness::{
    Server, binary,
    raw_socket::{connect_tls, get},
    server_command,
};

const DAY: Duration = Duration::from_hours(24);

/// Runs `doctor` with these options, and returns its status and its findings by subject.
async fn doctor(options: &[&str]) -> (Option<i32>, Vec<(String, String, String)>) {
    let (status, said) = server_command(&[options, &["doctor", "--json"]].concat()).await;
    let said: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = said["findings"].as_array().expect("a list").iter();
    let findings = findings.map(|finding| {
        let found = format!("{}: {}", text(&finding["found"]), text(&finding["remedy"]));
        (text(&finding["subject"]), text(&finding["state"]), found)
    });
    (status, findings.collect())
}

#[track_caller]
fn expect(findings: &[(String, String, String)], subject: &str, state: &str, part: &str) {
    let is = |finding: &&(String, String, String)| {
        finding.0 == subject && finding.1 == state && finding.2.contains(part)
    };
    assert!(findings.iter().any(|finding| is(&finding)), "{subject} {state} {part}: {findings:#?}");
}

#[tokio::test]
async fn doctor_finds_nothing_to_do_but_a_backup_and_then_names_what_is_wrong() {
    let mut server = Server::embedded(|_| {}).await;
    let data = server.data().display().to_string();
    let listen = server.address().to_string();
    let options = ["--no-house", "--data", &data, "--listen", &listen];
    let (status, found) = doctor(&options).await;
    assert_eq!(status, Some(0), "{found:#?}");
    expect(&found, "configuration", "ok", "is valid");
    expect(&found, "files", "ok", "and its files belong to");
    expect(&found, "store", "ok", "0 live games");
    expect(&found, "server", "ok", "is ready on");
    expect(&found, "backup", "warning", "adamant-server backup --to");
    assert_eq!(
        server_command(&[&options[..], &["health"]].concat()).await,
        (Some(0), "ready\n".to_owned())
    );

    server.stop().await;
    let key = server.data().join("signing.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    let (status, found) = doctor(&options).await;
    assert_eq!(status, Some(0), "the server would run: {found:#?}");
    expect(&found, "files", "warning", "chmod 600");
    expect(&found, "server", "warning", "no server answers on");
    let (status, said) = server_command(&[&options[..], &["health", "--json"]].concat()).await;
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("no server answers on"), "{said}");

    fs::write(server.data().join("adamant.db"), "not a database").unwrap();
    let (status, found) = doctor(&options).await;
    assert_eq!(status, Some(1));
    expect(&found, "store", "problem", "adamant-server check says what is damaged");
}

#[tokio::test]
async fn a_certificate_that_expires_soon_is_told_until_it_is_renewed() {
    let issued = TestCertificate::new();
    let trusted = issued.renew_for(DAY * 10);
    let (certificate, key) = (issued.certificate(), issued.key());
    let server = Server::one_node(|setup| {
        setup.set("network.tls", "certificate", certificate.display().to_string());
        setup.set("network.tls", "key", key.display().to_string());
    })
    .await;
    server.wait_for_log("the certificate expires soon").await;
    let (_, page) = get(connect_tls(&server, &trusted).await, "/metrics").await;
    assert!(page.contains("adamant_warnings{what=\"certificate_expires\"} 1\n"), "{page}");
    assert!(page.contains("adamant_certificate_expires_seconds 86"), "{page}");

    let listen = server.address();
    let lines = format!(
        "[network]\nlisten = \"{listen}\"\nhosts = [\"localhost\", \"play.example.org\"]\n\
         [network.tls]\ncertificate = {certificate:?}\nkey = {key:?}\n"
    );
    let output = check(issued.path(), &lines);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("adamant-server: certificate: expires on 20"), "{said}");
    assert!(said.contains("certificate: is not for play.example.org"), "{said}");
    let config = issued.path().join("adamant.toml").display().to_string();
    let data = issued.path().display().to_string();
    let options = ["--config", &config, "--data", &data];
    let (_, found) = doctor(&options).await;
    expect(&found, "server", "ok", "is ready on");

    // Whoever renews the certificate and forgets the reload is told.
    issued.renew();
    let (_, found) = doctor(&options).await;
    expect(&found, "server", "warning", "another one: systemctl reload adamant");
    reload(&server);
    server.wait_for_log("configuration reloaded").await;
    let (_, found) = doctor(&options).await;
    expect(&found, "certificate", "ok", "is good until");
    expect(&found, "server", "ok", "is ready on");
}

/// The commands of this server that a document names, in blocks and between backquotes.
fn commands_in(document: &str) -> Vec<&str> {
    let blocks = document.split("```").enumerate();
    let parts = blocks.flat_map(|(block, text)| match block % 2 {
        0 => text.split('`').skip(1).step_by(2).collect::<Vec<_>>(),
        _ => text.lines().collect(),
    });
    let commands =
        parts.filter_map(|part| part.split_once("adamant-server ").map(|(_, rest)| rest));
    commands
        .filter(|rest| rest.starts_with(|first: char| first.is_ascii_lowercase() || first == '-'))
        .collect()
}

#[test]
fn the_commands_of_the_documents_for_operators_exist() {
    let documents = [
        include_str!("../../../docs/operate/install.md"),
        include_str!("../../../docs/operate/night.md"),
        include_str!("../../../docs/OPERATIONS.md"),
    ];
    let commands: Vec<&str> = documents.into_iter().flat_map(commands_in).collect();
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands {
        // An option that does not exist is an error before the help.
        let command = command.replace(" ID", " 1");
        let line = format!("exec \"$0\" {command} --help");
        let output = Command::new("sh").args(["-c", &line]).arg(binary("adamant-server")).output();
        let output = output.expect("a shell");
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
