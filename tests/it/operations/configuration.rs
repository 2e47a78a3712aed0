//! Configuration errors, certificates, reloads, and notifications of the service manager.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use rustls::RootCertStore;
use serde_json::json;
use tempfile::TempDir;
use tokio::{net::UnixDatagram, time::timeout};

use crate::harness::{
    PATIENCE, Peer, Server, binary,
    raw_http::{connect_tls, get},
};

/// A certificate and its key, in files.
struct TestCertificate {
    directory: TempDir,
}

impl TestCertificate {
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

    /// Writes a new certificate, and returns a store that trusts it alone.
    fn renew(&self) -> RootCertStore {
        let issued = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(self.certificate(), issued.cert.pem()).unwrap();
        fs::write(self.key(), issued.signing_key.serialize_pem()).unwrap();
        let mut trusted = RootCertStore::empty();
        trusted.add(issued.cert.der().clone()).unwrap();
        trusted
    }
}

/// Runs `--check-config` on a file with these lines.
fn check(directory: &Path, lines: &str) -> Output {
    let file = directory.join("adamant.toml");
    fs::write(&file, lines).unwrap();
    let mut command = Command::new(binary("adamant-server"));
    command.env_remove("ADAMANT_LISTEN").args(["--check-config", "--config"]).arg(&file);
    command.output().expect("the server can be run")
}

#[test]
fn unusable_certificates_are_configuration_errors() {
    let (issued, other) = (TestCertificate::new(), TestCertificate::new());
    let junk = issued.directory.path().join("junk.pem");
    fs::write(&junk, "junk").unwrap();
    let check = |certificate: &Path, key: &Path| {
        let lines = format!("[network.tls]\ncertificate = {certificate:?}\nkey = {key:?}\n");
        let output = check(issued.directory.path(), &lines);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(check(&issued.certificate(), &issued.key()), (Some(0), String::new()));
    let cases = [
        (&junk, &issued.key(), "junk.pem: has no certificate in PEM format"),
        (&issued.certificate(), &junk, "junk.pem: has no private key in PEM format"),
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
fn all_configuration_errors_are_reported_at_once() {
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

/// Sends SIGHUP, so that the server reads its configuration again.
fn reload(server: &Server) {
    let process = server.process_id().to_string();
    let sent = Command::new("kill").args(["-HUP", &process]).status();
    assert!(sent.is_ok_and(|status| status.success()), "SIGHUP could not be sent");
}

#[tokio::test]
async fn a_renewed_certificate_is_loaded_without_a_restart() {
    let issued = TestCertificate::new();
    let first = issued.renew();
    let server = Server::with(|setup| {
        setup.set("network.tls", "certificate", issued.certificate().display().to_string());
        setup.set("network.tls", "key", issued.key().display().to_string());
    })
    .await;
    let stream = Box::new(connect_tls(&server, &first).await);
    let mut ann = Peer::over(stream, "wss://localhost/v1/ws").await;
    ann.hello_guest("ann").await;

    let second = issued.renew();
    reload(&server);
    server.wait_for_log("configuration reloaded").await;
    let (head, _) = get(connect_tls(&server, &second).await, "/readyz").await;
    assert!(head.starts_with("http/1.1 200"), "{head}");

    // A bad certificate is rejected, and connections keep the old one.
    fs::write(issued.key(), "junk").unwrap();
    reload(&server);
    server.wait_for_log("configuration reload failed").await;
    let (head, _) = get(connect_tls(&server, &second).await, "/readyz").await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    ann.ask(json!({"type": "games"})).await;
}

#[tokio::test]
async fn the_server_notifies_the_service_manager() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    let notification = async || {
        let mut message = [0; 64];
        let length = timeout(PATIENCE, manager.recv(&mut message)).await.expect("in time");
        String::from_utf8_lossy(&message[..length.unwrap()]).into_owned()
    };
    let socket = format!("NOTIFY_SOCKET={}", path.display());
    let mut server = Server::with(|setup| {
        setup.run_by(&["env", &socket, "WATCHDOG_USEC=600000000"]);
    })
    .await;
    assert_eq!(notification().await, "READY=1");
    reload(&server);
    assert_eq!(notification().await, "RELOADING=1");
    assert_eq!(notification().await, "READY=1");
    server.stop().await;
    assert_eq!(notification().await, "STOPPING=1");
}
