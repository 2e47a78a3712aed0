//! What an operator does with a server beside playing on it: checks its configuration, has it read
//! again, watches it, and looks for who failed to log in.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use rustls::RootCertStore;
use serde_json::json;
use tempfile::TempDir;
use tokio::{net::UnixDatagram, time::timeout};

use crate::{
    harness::{PATIENCE, Peer, Server, binary, http},
    http::tls_and_proxies::{connect, encrypted, get, get_by},
    operations::metrics::Page,
};

/// A certificate, its key and the files of both.
struct Issued {
    directory: TempDir,
}

impl Issued {
    fn new() -> Self {
        let issued = Self { directory: tempfile::tempdir().unwrap() };
        issued.renew();
        issued
    }

    fn certificate(&self) -> PathBuf {
        self.directory.path().join("cert.pem")
    }

    fn key(&self) -> PathBuf {
        self.directory.path().join("key.pem")
    }

    /// Writes another certificate, and gives back who trusts it alone.
    fn renew(&self) -> RootCertStore {
        let issued = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(self.certificate(), issued.cert.pem()).unwrap();
        fs::write(self.key(), issued.signing_key.serialize_pem()).unwrap();
        let mut trusted = RootCertStore::empty();
        trusted.add(issued.cert.der().clone()).unwrap();
        trusted
    }
}

/// Has the server check a configuration file of these lines.
fn check(directory: &Path, lines: &str) -> Output {
    let file = directory.join("adamant.toml");
    fs::write(&file, lines).unwrap();
    let mut command = Command::new(binary("adamant-server"));
    command.env_remove("ADAMANT_LISTEN").args(["--check-config", "--config"]).arg(&file);
    command.output().expect("the server can be run")
}

#[test]
fn certificates_that_cannot_be_used_are_mistakes_of_the_configuration() {
    let (issued, other) = (Issued::new(), Issued::new());
    let junk = issued.directory.path().join("junk.pem");
    fs::write(&junk, "junk").unwrap();
    let check = |certificate: &Path, key: &Path| {
        let lines = format!("[network.tls]\ncertificate = {certificate:?}\nkey = {key:?}\n");
        let output = check(issued.directory.path(), &lines);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(check(&issued.certificate(), &issued.key()), (Some(0), String::new()));
    let cases = [
        (&junk, &issued.key(), "junk.pem: there is no certificate in it"),
        (&issued.certificate(), &junk, "junk.pem: there is no private key in it"),
        (&issued.certificate(), &other.key(), "key.pem is not the key of the certificate in"),
        (&issued.certificate(), &junk.with_extension("x"), "junk.x: No such file"),
    ];
    for (certificate, key, expected) in cases {
        let (status, said) = check(certificate, key);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn all_mistakes_are_told_at_once_and_addresses_are_explained() {
    let directory = tempfile::tempdir().unwrap();
    let lines = "extra = 1\n[network]\nlisten = \":7825\"\n[limits]\nmessages_per_s = \"x\"\n";
    let output = check(directory.path(), lines);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    for expected in [
        "extra: ",
        "network.listen (line 3): ",
        "such as 127.0.0.1:7777",
        "messages_per_s (line 5): ",
    ] {
        assert!(said.contains(expected), "{said}");
    }
}

/// Asks the server to read its configuration again.
fn hang_up(server: &Server) {
    let process = server.process_id().to_string();
    let sent = Command::new("kill").args(["-HUP", &process]).status();
    assert!(sent.is_ok_and(|status| status.success()), "SIGHUP could not be sent");
}

#[tokio::test]
async fn a_renewed_certificate_is_taken_over_while_the_server_runs() {
    let issued = Issued::new();
    let first = issued.renew();
    let server = Server::with(|setup| {
        setup.set("network.tls", "certificate", issued.certificate().display().to_string());
        setup.set("network.tls", "key", issued.key().display().to_string());
    })
    .await;
    let stream = Box::new(encrypted(&server, &first).await);
    let mut ann = Peer::over(stream, "wss://localhost/v1/ws").await;
    ann.hello_guest("ann").await;

    let second = issued.renew();
    hang_up(&server);
    server.logs("the configuration was read again").await;
    let (head, _) = get(encrypted(&server, &second).await, "/readyz").await;
    assert!(head.starts_with("http/1.1 200"), "{head}");

    // A bad one is refused, and nobody notices.
    fs::write(issued.key(), "junk").unwrap();
    hang_up(&server);
    server.logs("the configuration was not read again").await;
    let (head, _) = get(encrypted(&server, &second).await, "/readyz").await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    ann.ask(json!({"type": "games"})).await;
}

#[tokio::test]
async fn the_service_manager_is_told_how_the_server_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    let told = async || {
        let mut message = [0; 64];
        let length = timeout(PATIENCE, manager.recv(&mut message)).await.expect("in time");
        String::from_utf8_lossy(&message[..length.unwrap()]).into_owned()
    };
    let socket = format!("NOTIFY_SOCKET={}", path.display());
    let mut server = Server::with(|setup| {
        setup.run_by(&["env", &socket, "WATCHDOG_USEC=600000000"]);
    })
    .await;
    assert_eq!(told().await, "READY=1");
    hang_up(&server);
    assert_eq!(told().await, "RELOADING=1");
    assert_eq!(told().await, "READY=1");
    server.stop().await;
    assert_eq!(told().await, "STOPPING=1");
}

#[tokio::test]
async fn failed_log_ins_and_new_accounts_are_logged_and_secrets_never() {
    let server = Server::with(|setup| setup.set("log", "filter", "trace")).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let secret = "correct horse battery";
    ann.ask(json!({"type": "signup", "user": "ann", "password": secret})).await;
    server.logs("an account was made client=127.0.0.1 user=ann").await;
    let wrong = "quite another horse";
    let auth = json!({"user": "ann", "password": wrong});
    let mut eve = Peer::connect(server.address()).await;
    eve.refused(json!({"type": "hello", "proto": [1], "auth": auth}), "unauthorized").await;
    server.logs("a log-in failed client=127.0.0.1 user=ann way=\"password\"").await;
    let page = Page::of(&server).await;
    assert_eq!(page.value("adamant_failed_log_ins_total"), 1);
    assert_eq!(page.value("adamant_sign_ups_total"), 1);
    assert!(page.value("adamant_refusals_total{code=\"unauthorized\"}") >= 1);
    for line in server.log() {
        let token = ann.token.as_deref().expect("a token");
        assert!(![secret, wrong, token].iter().any(|secret| line.contains(secret)), "{line}");
    }
}

#[tokio::test]
async fn prometheus_finds_no_fault_with_the_metrics() {
    let server = Server::start().await;
    Peer::nobody(&server).await.request(json!({"type": "watch", "game": "nosuch"})).await;
    let page = http::ask(&server, "GET", "/metrics").await.text().await;
    let mut promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool is missing: cargo xtask setup installs it (Debian: prometheus)");
    promtool.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
    let output = promtool.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap()).concat();
    assert!(output.status.success() && said.is_empty(), "{said}");

    let accept = "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5\r\n";
    let (head, body) = get_by(connect(&server).await, "/metrics", accept).await;
    assert!(head.contains("content-type: application/openmetrics-text"), "{head}");
    assert!(body.contains("# EOF"), "{body}");
    for name in ["adamant_database_bytes", "adamant_disk_free_bytes", "process_start_time_seconds"]
    {
        assert!(page.contains(&format!("\n{name} ")), "{name} is missing:\n{page}");
    }
}

#[tokio::test]
async fn metrics_are_not_for_a_client_whom_proxies_disagree_about() {
    let server = Server::with(|setup| {
        setup.set("network", "trusted_proxies", toml::Value::Array(vec!["127.0.0.1".into()]));
    })
    .await;
    for (headers, status) in [
        ("", "200"),
        ("X-Forwarded-For: 127.0.0.1\r\n", "200"),
        ("X-Forwarded-For: 1.2.3.4\r\n", "403"),
        ("X-Forwarded-For: 1.2.3.4\r\nForwarded: for=6.6.6.6\r\n", "403"),
        ("X-Forwarded-For: 1.2.3.4\r\nForwarded: garbage\r\n", "403"),
        ("Forwarded: garbage\r\n", "403"),
    ] {
        let (head, _) = get_by(connect(&server).await, "/metrics", headers).await;
        assert!(head.starts_with(&format!("http/1.1 {status}")), "{headers}: {head}");
    }
}
