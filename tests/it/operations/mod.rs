//! What an operator does: configuration, monitoring, backups and shutdown.

mod backup; // `backup`, restore and `check`
mod changed_bytes; // `check` of stores in which one byte was changed
mod doctor; // `doctor`, `health`, and certificates that expire
mod monitoring; // the security log, and metrics as Prometheus reads them
mod repair; // `salvage`, and `restore` of a backup or a game
mod shipping; // the second place, and `restore --until`

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, UNIX_EPOCH},
};

use rcgen::{CertificateParams, KeyPair};
use rustls::RootCertStore;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{net::UnixDatagram, time::timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::harness::{
    PATIENCE, Peer, Server, binary, game, now_ms,
    raw_socket::{connect_tls, get},
    with,
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

    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a new certificate, and returns a store that trusts it alone.
    fn renew(&self) -> RootCertStore {
        self.renew_for(Duration::from_hours(1000))
    }

    /// The same for one that expires after a time.
    fn renew_for(&self, time: Duration) -> RootCertStore {
        let key = KeyPair::generate().unwrap();
        let mut wanted = CertificateParams::new(["localhost".to_owned()]).unwrap();
        let now = UNIX_EPOCH + Duration::from_millis(now_ms());
        wanted.not_after = (now + time).into();
        let issued = wanted.self_signed(&key).unwrap();
        fs::write(self.certificate(), issued.pem()).unwrap();
        fs::write(self.key(), key.serialize_pem()).unwrap();
        let mut trusted = RootCertStore::empty();
        trusted.add(issued.der().clone()).unwrap();
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

#[tokio::test]
async fn clients_receive_the_shutdown_and_no_acknowledged_move_is_lost() {
    let (mut server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let mut anonymous = Peer::anonymous(&server).await;
    let game = game::start_and_play(&mut [&mut ann, &mut bob], 4).await;
    // A move is on its way during the shutdown: the server accepts it or not, but never
    // acknowledges and loses it.
    let mut last = game::move_request(&ann, &game, &game::choose_move(ann.table(&game)));
    last["id"] = json!("last");
    ann.send_raw(Message::text(last.to_string())).await;
    server.terminate().await;
    for peer in [&mut ann, &mut bob, &mut anonymous] {
        let notice = peer.next_of("notice").await;
        assert_eq!(notice["what"], "restart");
        assert!(notice["in_ms"].is_u64(), "{notice}");
        assert_eq!(peer.expect_close().await, 1012);
    }
    assert!(server.wait().await.success());
    let acknowledged: Vec<Value> =
        ann.frames().chain(bob.frames()).filter(|frame| frame["type"] == "ok").cloned().collect();

    server.restart().await;
    let (known_by_ann, known_by_bob) = (ann.records(&game).len(), bob.records(&game).len());
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &server).await;
    for (peer, known) in [(&mut ann, known_by_ann), (&mut bob, known_by_bob)] {
        assert_eq!(peer.welcome["games"][0]["resume"], "tail");
        assert_eq!(peer.welcome["games"][0]["from"], known + 1);
    }
    // Repeated, it is made now or was made before.
    let again = ann.ask(last).await;
    let was_acknowledged = acknowledged.iter().any(|ok| ok["re"] == "last");
    assert!(!was_acknowledged || again["dup"] == true, "{again}");
    ann.read_up_to(&game, again["seq"].as_u64().unwrap()).await;
    for ok in acknowledged.iter().filter(|ok| ok["seq"].is_u64()) {
        let seq = usize::try_from(ok["seq"].as_u64().unwrap()).unwrap();
        let record: Value = serde_json::from_str(&ann.records(&game)[seq - 1]).unwrap();
        assert_eq!(record["req"], ok["re"]);
    }
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
}

#[tokio::test]
async fn a_parked_game_is_loaded_unchanged() {
    let mut server = Server::with(|setup| {
        setup.set("games", "park_after", "50ms");
        setup.set("log", "filter", "adamant_server=debug");
    })
    .await;
    let parked = "game parked";
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 3).await;
    let made = ann.frames().find(|frame| frame["type"] == "ok" && frame["turn"] == 1).unwrap();
    let first_move = made["re"].clone();
    let first: Value = serde_json::from_str(&ann.records(&game)[2]).unwrap();
    let offer = json!({"type": "offer", "game": game, "what": "draw"});
    ann.ask(offer).await;
    ann.next_event(&game, "offered").await;
    ann.disconnect();
    bob.disconnect();
    server.wait_for_log(parked).await;

    let mut anonymous = Peer::anonymous(&server).await;
    for fields in [json!({}), json!({"user": "BOB"}), json!({"rules": "adamas", "players": 2})] {
        let live = anonymous.ask(with(json!({"type": "games"}), fields)).await;
        let entry = &live["games"][0];
        assert_eq!((&entry["game"], &entry["ply"]), (&json!(game), &json!(3)));
        assert_eq!(entry["seats"][1]["user"], "bob");
        assert_eq!((&entry["state"], &entry["to_move"]), (&json!("live"), &json!(1)));
    }
    for fields in [json!({"user": "cy"}), json!({"rules": "hexma"}), json!({"players": 3})] {
        let live = anonymous.ask(with(json!({"type": "games"}), fields)).await;
        assert_eq!(live["games"], json!([]));
    }
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &server).await;
    assert_eq!(bob.welcome["games"][0]["resume"], "tail");
    bob.next_of("your_turn").await;
    assert_eq!(bob.table(&game).offers().len(), 1);
    // Request ids are kept, too.
    let again =
        json!({"type": "move", "id": first_move, "game": game, "turn": 0, "move": first["move"]});
    assert_eq!(ann.ask(again).await["dup"], true);
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;

    drop(anonymous);
    ann.disconnect();
    bob.disconnect();
    server.stop().await;
    server.restart().await;
    // Unless it was parked before the stop.
    if !server.log().iter().any(|line| line.contains("parked=1")) {
        server.wait_for_log(parked).await;
    }
    server.crash().await;
    server.wait_for_log("parked=1").await;
    let mut anonymous = Peer::anonymous(&server).await;
    let live = anonymous.ask(json!({"type": "games"})).await;
    assert_eq!((&live["games"][0]["game"], &live["games"][0]["ply"]), (&json!(game), &json!(5)));
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &server).await;
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    assert_eq!(ann.records(&game), bob.records(&game));
}
