//! The server on a PostgreSQL database with two synchronous standbys.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use postgres_fixture::Cluster;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use serde_json::json;
use tokio::{
    process::Command,
    time::{Instant, sleep, timeout},
};

use crate::harness::{Frame, PATIENCE, Peer, Server, Setup, binary, game};

/// Starts a server with these arguments on a database.
async fn server_on(url: &str, arguments: &[&str]) -> Server {
    let mut setup = Setup::default();
    setup.argument("--no-house");
    for argument in arguments {
        setup.argument(argument);
    }
    Server::on_database(1, setup, url).await
}

/// Runs a server that does not start, and returns its error.
pub(super) async fn refusal(url: &str, node: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("adamant.toml");
    std::fs::write(&file, format!("[cluster]\nnode = \"{node}\"\n")).unwrap();
    let mut command = Command::new(binary("adamant-server"));
    command.env("ADAMANT_DATABASE", url).args(["--listen", "127.0.0.1:0", "--config"]).arg(file);
    command.arg("--data").arg(directory.path().join("data"));
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = timeout(PATIENCE, command.output()).await.expect("in time").unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    said.lines().last().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_game_goes_on_after_a_crash_of_the_server() {
    let cluster = Cluster::shared();
    let mut server = server_on(&cluster.url(&cluster.create_database()), &[]).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 6).await;
    server.crash().await;
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &server).await;
    assert_eq!(ann.welcome["durability"], "replicated");
    assert_eq!(ann.welcome["games"][0]["resume"], "tail", "{}", ann.welcome);
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    let mut eve = Peer::anonymous(&server).await;
    eve.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    eve.read_up_to(&game, ann.replay(&game).seq()).await;
    assert_eq!(eve.records(&game), ann.records(&game));
}

#[tokio::test]
async fn no_client_is_sent_away_when_a_standby_takes_over() {
    let cluster = Cluster::start(2);
    let server = server_on(&cluster.url(&cluster.create_database()), &[]).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
    cluster.primary().kill();
    // The move waits until there is a primary again.
    let seat = game::to_move(ann.table(&game)).expect("the game goes on");
    let mover = [&mut ann, &mut bob][seat].name().to_owned();
    let peer = if mover == "ann" { &mut ann } else { &mut bob };
    let mut request = game::move_request(peer, &game, &game::choose_move(peer.table(&game)));
    request["id"] = json!("while there is no primary");
    peer.send(&request).await;
    cluster.fail_over();
    let done = peer.next_matching("the reply", |frame| frame["re"] == request["id"]).await;
    assert_eq!(done["type"], "ok", "{done}");
    let seq = done["seq"].as_u64().unwrap();
    ann.read_up_to(&game, seq).await;
    bob.read_up_to(&game, seq).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
    assert_eq!(ann.records(&game), bob.records(&game));
}

/// How long the players of a test have no primary: long enough to be an outage.
const WITHOUT_PRIMARY: Duration = Duration::from_secs(2);

#[tokio::test]
async fn a_fail_over_costs_no_player_time() {
    let cluster = Cluster::start(2);
    let server = server_on(&cluster.url(&cluster.create_database()), &[]).await;
    let clock = json!({"clock": {"mode": "per_move", "move_ms": 600_000}});
    let (mut ann, mut bob, game) = game::start_two_with(&server, clock).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
    cluster.primary().kill();
    let killed = Instant::now();
    let mut request = game::move_request(&ann, &game, &game::choose_move(ann.table(&game)));
    request["id"] = json!("while there is no primary");
    ann.send(&request).await;
    sleep(WITHOUT_PRIMARY).await;
    cluster.fail_over();
    // Bob's time has run since the server received the move, which it could not show him.
    let shown = bob.replay(&game).seq();
    let is_new = |frame: &Frame| frame["kind"] == "moved" && frame["seq"].as_u64() > Some(shown);
    let moved = bob.next_matching("ann's move", is_new).await;
    let reply = game::choose_move(bob.table(&game));
    game::make_move(&mut bob, &game, &reply).await;
    // On a slow machine part of the outage is ann's.
    let is_bobs = |frame: &Frame| frame["kind"] == "clock_adjusted" && frame["seat"] == 1;
    let adjusted = bob.next_matching("bob's time", is_bobs).await;
    assert_eq!(adjusted["reason"], "outage");
    let by = Duration::from_millis(adjusted["by_ms"].as_u64().unwrap());
    let late = adjusted["at"].as_u64().unwrap() - moved["at"].as_u64().unwrap();
    assert!(by > WITHOUT_PRIMARY.mul_f32(0.8) && by < killed.elapsed(), "{adjusted} {moved}");
    assert_eq!(by.as_millis(), u128::from(late), "{adjusted} {moved}");
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
}

#[tokio::test]
async fn a_database_that_could_lose_moves_is_refused() {
    let alone = Cluster::start(0);
    let url = alone.url(&alone.create_database());
    let error = refusal(&url, "n1").await;
    assert!(error.contains("has no synchronous standby"), "{error}");
    assert!(error.contains("--unreplicated"), "{error}");
    let server = server_on(&url, &["--unreplicated"]).await;
    let ann = Peer::guest(&server, "ann").await;
    assert_eq!(ann.welcome["durability"], "fsync");
}

#[tokio::test]
async fn a_second_node_of_the_same_name_and_wrong_credentials_are_refused() {
    let cluster = Cluster::shared();
    let url = cluster.url(&cluster.create_database());
    let server = server_on(&url, &[]).await;
    Peer::guest(&server, "ann").await;
    let error = refusal(&url, "n1").await;
    assert!(error.contains("n1"), "the error names the node that serves: {error}");
    let (user, hosts) = url.rsplit_once('@').unwrap();
    let (user, _) = user.rsplit_once(':').unwrap();
    let error = refusal(&format!("{user}:wrong@{hosts}"), "n1").await;
    assert!(error.contains("does not accept the user"), "{error}");
    let (_, database) = hosts.rsplit_once('/').unwrap();
    let error = refusal(&url.replace(database, "nowhere"), "n1").await;
    assert!(error.contains("CREATE DATABASE nowhere"), "{error}");
    assert!(!error.contains("ss%2Fword"), "{error}");
}

/// A certificate authority, with its certificate in a file.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    file: PathBuf,
}

impl Authority {
    fn new(directory: &Path, name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let file = directory.join(name);
        std::fs::write(&file, params.self_signed(&key).unwrap().pem()).unwrap();
        Self { issuer: Issuer::new(params, key), file }
    }

    /// Issues a certificate to the only server of a cluster.
    fn issue(&self, cluster: &Cluster, name: &str) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let server = cluster.primary();
        server.use_tls(&certificate.pem(), &key.serialize_pem());
        let before = server.sql("postgres", "SELECT pg_conf_load_time()");
        server.reload();
        server.wait_for_sql("postgres", &format!("SELECT pg_conf_load_time() > '{before}'"), "t");
    }
}

/// The number of connections from TCP, and of those with TLS.
const CONNECTIONS: &str = "SELECT count(*) > 0, bool_and(ssl) FROM pg_stat_activity
    JOIN pg_stat_ssl USING (pid) WHERE application_name = 'adamant/n1'";

#[tokio::test]
async fn a_node_checks_the_certificate_and_the_name() {
    let directory = tempfile::tempdir().unwrap();
    let [ours, other] =
        ["ours.pem", "other.pem"].map(|name| Authority::new(directory.path(), name));
    let cluster = Cluster::start(0);
    let url = cluster.url(&cluster.create_database()).replace("127.0.0.1", "localhost");
    let with = |authority: &Authority| {
        format!("{url}?sslmode=verify-full&sslrootcert={}", authority.file.display())
    };

    let error = refusal(&with(&ours), "n1").await;
    assert!(error.contains("does not support TLS"), "{error}");
    ours.issue(&cluster, "db.example");
    let error = refusal(&with(&ours), "n1").await;
    assert!(error.contains("is for another name") && error.contains("db.example"), "{error}");
    ours.issue(&cluster, "localhost");
    let error = refusal(&with(&other), "n1").await;
    assert!(error.contains("is not trusted") && error.contains("sslrootcert"), "{error}");
    let error = refusal(&format!("{url}?sslmode=require"), "n1").await;
    assert!(error.contains("\"require\"") && error.contains("verify-full"), "{error}");

    let server = server_on(&with(&ours), &["--unreplicated"]).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
    assert_eq!(cluster.primary().sql("postgres", CONNECTIONS), "t|t");
}
