//! The server without file descriptors or disk space, or with a failing disk.
//!
//! It sends nothing untrue, live games continue as far as possible, rejected clients receive an
//! error, and the server recovers as soon as it can.

use std::{collections::BTreeMap, fs, process::Command};

use adamant_record::Replay;
use adamant_rules::Act;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::harness::{
    Frame, Metrics, PATIENCE, Peer, Server, Setup, binary, game, http,
    raw_socket::{RawResponse, RawSocket},
};

/// So few descriptors that a test can use them up.
const DESCRIPTORS: usize = 96;

/// More descriptors than a server with few clients has open.
const DESCRIPTORS_MAX: usize = 1000;

/// Connection attempts while no slot is free.
const ATTEMPTS: usize = 100;

/// The same while no descriptor is free: the server then takes one connection in 100 ms.
const ATTEMPTS_ON_SPARE: usize = 20;

/// Switches the idle timeout off.
fn without_idle_timeout(setup: &mut Setup) {
    setup.set("limits", "ping_every", "5m");
    setup.set("limits", "idle_close", "10m");
}

/// A client that has sent `hello` and stays connected.
async fn visitor(server: &Server) -> Result<RawSocket, RawResponse> {
    let (mut wire, answer) = RawSocket::upgrade_with(server.address(), "").await;
    if answer.status != 101 {
        return Err(answer);
    }
    wire.text(r#"{"type":"hello","id":"1","proto":[1]}"#).await;
    assert_eq!(wire.next_json().await.expect("a welcome")["type"], "welcome");
    Ok(wire)
}

/// Sets a limit of the running process, as an operator can with `prlimit`.
fn limit(server: &Server, limit: &str) {
    let process = server.process_id().to_string();
    let done = Command::new("prlimit").args(["--pid", &process, limit]).status();
    assert!(done.is_ok_and(|status| status.success()), "prlimit (of util-linux) does not work");
}

/// Returns what each descriptor of the server refers to.
fn descriptors(server: &Server) -> BTreeMap<usize, String> {
    let directory = format!("/proc/{}/fd", server.process_id());
    let entries = fs::read_dir(directory).expect("the server runs").filter_map(Result::ok);
    entries
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.parse().ok()?;
            Some((number, fs::read_link(entry.path()).ok()?.to_str()?.to_owned()))
        })
        .collect()
}

/// Waits for a log line that must not be repeated.
async fn logs_once(server: &Server, text: &str) {
    server.wait_for_log(text).await;
    assert_eq!(logged(server, text), 1, "{text}");
}

fn logged(server: &Server, text: &str) -> usize {
    server.log().iter().filter(|line| line.contains(text)).count()
}

#[tokio::test]
async fn silent_connections_are_closed_for_new_ones() {
    let server = Server::with(|setup| {
        let command = format!("ulimit -n {DESCRIPTORS}; exec \"$@\"");
        setup.run_by(&["sh", "-c", &command, "sh"]);
        setup.set("limits", "handshakes_per_address", 4);
        without_idle_timeout(setup);
    })
    .await;
    let silent = hold_silent(&server).await;
    let newcomer = http::ask(&server, "GET", "/healthz").await;
    assert_eq!(newcomer.status, 200);
    let mut ann = Peer::guest(&server, "ann").await;
    ann.ask(json!({"type": "ping"})).await;
    drop(silent);

    // The same on a full server: no connection waits for the descriptor of one that made room.
    let mut visitors = Vec::new();
    while let Ok(wire) = visitor(&server).await {
        visitors.push(wire);
        assert!(visitors.len() < DESCRIPTORS, "descriptors come from nowhere");
    }
    let _silent = hold_silent(&server).await;
    assert_eq!(http::ask(&server, "GET", "/healthz").await.status, 200);
    assert_eq!(Metrics::fetch(&server).await.value("adamant_accept_failures_total"), 0);
}

/// Opens more connections than the slots for handshakes, which are a quarter of the free
/// descriptors.
async fn hold_silent(server: &Server) -> Vec<tokio::net::TcpStream> {
    let mut silent = Vec::new();
    for address in 0..16 {
        for _ in 0..4 {
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind(([127, 0, 3, address], 0).into()).unwrap();
            let connecting = timeout(PATIENCE, socket.connect(server.address())).await;
            silent.push(connecting.expect("in time").expect("accepted"));
        }
    }
    silent
}

#[tokio::test]
async fn connections_leave_enough_descriptors_for_everything_else() {
    let server = Server::with(|setup| {
        let command = format!("ulimit -n {DESCRIPTORS}; exec \"$@\"");
        setup.run_by(&["sh", "-c", &command, "sh"]);
        without_idle_timeout(setup);
    })
    .await;
    logs_once(&server, "file descriptors limit the connections").await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    assert_eq!(http::readiness(&server).await.0, 200);

    let mut visitors = Vec::new();
    let refusal = loop {
        match visitor(&server).await {
            Ok(wire) => visitors.push(wire),
            Err(answer) => break answer,
        }
        assert!(visitors.len() < DESCRIPTORS, "descriptors come from nowhere");
    };
    assert!(visitors.len() > DESCRIPTORS / 4, "only {} were let in", visitors.len());
    assert_eq!(refusal.status, 503);
    let body = refusal.json();
    assert_eq!((&body["code"], &body["limit"]), (&json!("overloaded"), &json!("connections")));
    assert!(refusal.header("retry-after").is_some(), "{refusal:?}");
    for _ in 0..ATTEMPTS {
        assert_eq!(visitor(&server).await.err().map(|answer| answer.status), Some(503));
    }
    let (status, why) = http::readiness(&server).await;
    assert_eq!((status, &*why), (503, "connection limit reached\n"));
    assert_eq!(http::ask(&server, "GET", "/healthz").await.status, 200);
    logs_once(&server, "connection limit reached").await;
    assert_eq!(
        Metrics::fetch(&server).await.value("adamant_connections"),
        visitors.len() as u64 + 2
    );
    // A load balancer would cut the sessions of this server at any other status.
    let answer = http::ask(&server, "GET", "/lb").await;
    assert_eq!((answer.status, &*answer.text().await), (404, "connection limit reached\n"));
    assert_eq!(
        Metrics::fetch(&server).await.value("adamant_connections_max"),
        visitors.len() as u64 + 2
    );
    let refused =
        Metrics::fetch(&server).await.value("adamant_connections_refused_total{why=\"full\"}");
    assert_eq!(refused, ATTEMPTS as u64 + 1);
    assert_eq!(Metrics::fetch(&server).await.value("adamant_accept_failures_total"), 0);

    // The game continues to its end, and the stored game can be read.
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    let listed = ann.ask(json!({"type": "games", "state": "finished"})).await;
    assert_eq!(listed["games"][0]["game"], game.as_str());
    assert_eq!(http::get(&server, "/v1/games?state=finished").await["games"][0]["game"], *game);

    drop(visitors);
    server.wait_for_log("connections are below the limit again").await;
    assert_eq!(http::readiness(&server).await, (200, "ready\n".to_owned()));
    assert!(visitor(&server).await.is_ok());
}

#[tokio::test]
async fn too_few_descriptors_stop_the_start() {
    let directory = tempfile::tempdir().unwrap();
    let command = "ulimit -n 40; exec \"$@\"";
    let output = tokio::process::Command::new("sh")
        .args(["-c", command, "sh"])
        .arg(binary("adamant-server"))
        .args(["--listen", "127.0.0.1:0", "--data"])
        .arg(directory.path())
        .output();
    let output = timeout(PATIENCE, output).await.expect("it ends").expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("40 file descriptors are too few"), "{said}");
}

/// Leaves no descriptor but the one that the server keeps as a spare, as if other processes had
/// taken all.
async fn exhaust(server: &Server) -> Vec<RawSocket> {
    let mut visitors = Vec::new();
    loop {
        let taken = descriptors(server);
        let spare = taken.iter().filter(|(_, leads_to)| *leads_to == "/dev/null").map(|(at, _)| at);
        let spare = *spare.max().expect("a spare");
        let free =
            (0..DESCRIPTORS_MAX).find(|number| !taken.contains_key(number)).expect("one is free");
        if free > spare {
            limit(server, &format!("--nofile={free}:"));
            return visitors;
        }
        visitors.push(visitor(server).await.expect("there are descriptors"));
    }
}

#[tokio::test]
async fn without_descriptors_games_continue_and_new_clients_receive_an_error() {
    let server = Server::with(without_idle_timeout).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    let _visitors = exhaust(&server).await;

    for _ in 0..ATTEMPTS_ON_SPARE {
        let answer = visitor(&server).await.err().expect("there are no descriptors");
        assert_eq!((answer.status, &answer.json()["code"]), (503, &json!("overloaded")));
    }
    let (status, why) = http::readiness(&server).await;
    assert_eq!(status, 503);
    assert!(why.contains("no descriptors"), "{why}");
    assert_eq!(http::ask(&server, "GET", "/healthz").await.status, 200);
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    ann.ask(json!({"type": "games", "state": "finished"})).await;
    logs_once(&server, "out of file descriptors or memory").await;
    assert_eq!(logged(&server, "commit failed"), 0);
    // At most two failures per client, because `accept` fails before it looks for a waiting client;
    // and none while no client connects.
    let failures = Metrics::fetch(&server).await.value("adamant_accept_failures_total");
    assert!(failures <= 2 * (ATTEMPTS_ON_SPARE as u64 + 3), "{failures} failures");

    limit(&server, "--nofile=1024:");
    assert_eq!(http::readiness(&server).await, (200, "ready\n".to_owned()));
    logs_once(&server, "accepting connections again").await;
    let mut cy = Peer::guest(&server, "cy").await;
    cy.ask(json!({"type": "watch", "game": game})).await;
}

#[tokio::test]
async fn on_a_full_disk_a_move_is_rejected_and_nothing_is_lost_or_sent() {
    let (mut server, mut ann, mut bob, game) = game::server_with_two().await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let before = ann.replay(&game).seq();

    // The WAL is longer than that already.
    limit(&server, "--fsize=4096:");
    let play = game::choose_move(ann.table(&game));
    let play = game::move_request(&ann, &game, &play);
    for _ in 0..5 {
        let refusal = ann.refused(play.clone(), "read_only").await;
        assert_eq!(refusal["retry"], "after");
        assert!(refusal["retry_after_ms"].as_u64() > Some(0), "{refusal}");
    }
    let challenge = json!({"type": "challenge", "rules": "adamas", "seats": ["bob", "ann"]});
    bob.refused(challenge.clone(), "read_only").await;
    let (status, why) = http::readiness(&server).await;
    assert_eq!((status, &*why), (503, "the store failed to commit\n"));
    assert_eq!(http::ask(&server, "GET", "/healthz").await.status, 200);
    logs_once(&server, "commit failed").await;
    assert_eq!(logged(&server, "room terminated"), 0);
    let snapshot = bob.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["seq"], before);
    let told = |frame: &Frame| frame["type"] == "event" && frame["seq"].as_u64() > Some(before);
    assert!(!bob.has_received(told).await, "{}", bob.recent_frames());

    limit(&server, "--fsize=unlimited:");
    let ok = ann.ask(play).await;
    assert_eq!((&ok["seq"], &ok["dup"]), (&json!(before + 1), &Value::Null));
    bob.read_up_to(&game, before + 1).await;
    bob.ask(challenge).await;
    assert_eq!(http::readiness(&server).await.0, 200);
    logs_once(&server, "commits succeed again").await;

    server.crash().await;
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &server).await;
    assert_eq!(bob.replay(&game).seq(), before + 1);
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
}

/// Limits the size of all files from the start, as on a full disk.
fn with_full_disk(setup: &mut Setup, bytes: usize) {
    let command = format!("prlimit --pid $$ --fsize={bytes}: && exec \"$@\"");
    setup.run_by(&["sh", "-c", &command, "sh"]);
}

/// Waits until the server has restarted on the same port. Connections made before that wait.
async fn wait_for_restart(server: &Server) {
    server.wait_for_log("disk has space again, restarting").await;
    server.wait_for_log("games recovered live=").await;
    assert_eq!(http::readiness(server).await, (200, "ready\n".to_owned()));
}

#[tokio::test]
async fn a_server_started_on_a_full_disk_serves_reads_until_there_is_space() {
    // An empty directory: not even a key fits.
    let mut server = Server::with(|setup| with_full_disk(setup, 16)).await;
    let why = "read-only: the disk is full\n";
    assert_eq!(http::readiness(&server).await, (503, why.to_owned()));
    assert_eq!(http::ask(&server, "GET", "/healthz").await.status, 200);
    assert_eq!(Metrics::fetch(&server).await.value("adamant_reads_only{why=\"no_room\"}"), 1);
    assert_eq!(http::refused(&server, "/v1/key").await.1["code"], "read_only");
    let mut anonymous = Peer::anonymous(&server).await;
    assert_eq!(anonymous.ask(json!({"type": "games"})).await["games"], json!([]));
    let mut newcomer = Peer::connect(server.address()).await;
    let hello = json!({"type": "hello", "proto": [1], "auth": {"guest": "cy"}});
    newcomer.refused(hello, "read_only").await;
    limit(&server, "--fsize=unlimited:");
    wait_for_restart(&server).await;
    assert_eq!(newcomer.expect_close().await, 1012, "told to come again, it may wait");

    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 6).await;
    let before = ann.replay(&game).seq();
    for crashes in [true, false] {
        if crashes {
            server.kill().await;
        } else {
            server.stop().await;
        }
        // The stored games can be read, and their clocks stand still.
        server.configure(|setup| with_full_disk(setup, 4096));
        server.restart().await;
        assert_eq!(http::readiness(&server).await, (503, why.to_owned()));
        let mut reader = Peer::anonymous(&server).await;
        let snapshot = reader.ask(json!({"type": "watch", "game": game})).await;
        assert_eq!(snapshot["seq"].as_u64(), Some(before));
        let mut back = ann.reconnect(&server).await;
        back.refused(json!({"type": "resign", "game": game}), "read_only").await;
        limit(&server, "--fsize=unlimited:");
        wait_for_restart(&server).await;
        assert_eq!(back.expect_close().await, 1012);
        ann = back;
    }
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &server).await;
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
}

/// The failing system calls of the store's writer: their name, their error, and the first and last
/// of them.
const FAILING: [(&str, &str, std::ops::RangeInclusive<u32>); 2] =
    [("pwrite64", "ENOSPC", 240..=250), ("fsync", "EIO", 30..=34)];

#[tokio::test]
async fn acknowledged_moves_survive_a_failing_disk() {
    for (call, error, times) in FAILING {
        let mut server = Server::start().await;
        server.stop().await;
        let (from, to) = (times.start(), times.end());
        let inject = format!("inject={call}:error={error}:when={from}..{to}");
        let strace = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", &inject];
        server.configure(|setup| setup.run_by(&strace));
        server.restart().await;
        let (ann, bob, game) = game::start_two_with(&server, json!({"options": {"size": 5}})).await;
        let mut table = ann.table(&game).clone();
        let mut players = [ann, bob].map(|peer| {
            let auth = json!({"token": peer.token});
            RetryingClient { server: &server, auth, wire: None, refused: 0, lost: 0 }
        });
        let mut acked: Vec<(String, u64)> = Vec::new();
        // Each turn has two offers, which are withdrawn, and a move.
        for turn in 0.. {
            let seat = table.to_move().expect("the disk fails long before such a game is over");
            let player = &mut players[seat.index()];
            for what in ["draw", "abort"] {
                let (offer, withdraw) = (format!("{what}{turn}"), format!("not {what}{turn}"));
                let ask = json!({"type": "offer", "id": offer, "game": game, "what": what});
                let ok = player.retry(&ask).await;
                acked.push((offer, ok["seq"].as_u64().expect("a record")));
                let ask =
                    json!({"type": "withdraw", "id": withdraw, "game": game, "offer": ok["offer"]});
                let ok = player.retry(&ask).await;
                acked.push((withdraw, ok["seq"].as_u64().expect("a record")));
            }
            let (play, id) = (game::choose_move(&table), format!("move{turn}"));
            let ask = json!({"type": "move", "id": id, "game": game, "turn": turn, "move": play});
            let ok = player.retry(&ask).await;
            acked.push((id, ok["seq"].as_u64().expect("a record")));
            let act = Act::Move { seat, turn, notation: &play, lag_ms: 0 };
            for event in table.decide(&act, table.last_at()).expect("the server allowed it") {
                table.apply(&event).expect("it has just been decided");
            }
            let failed: u32 = players.iter().map(|player| player.refused + player.lost).sum();
            if turn > 4 && failed > 0 && http::readiness(&server).await.0 == 200 {
                break;
            }
        }
        let refused: u32 = players.iter().map(|player| player.refused).sum();
        let lost: u32 = players.iter().map(|player| player.lost).sum();
        // A rejected write has stored nothing; a failed sync may have stored anything.
        assert_eq!(
            (refused > 0, lost > 0),
            (call == "pwrite64", call == "fsync"),
            "{call}: {refused}, {lost}"
        );
        server.kill().await;
        server.configure(|setup| setup.run_by(&[]));
        server.restart().await;
        let log = http::ask(&server, "GET", &format!("/v1/games/{game}/log")).await.text().await;
        let mut replay = Replay::new();
        let mut requests = Vec::new();
        for line in log.lines() {
            replay.push(line.as_bytes()).expect("a whole chain");
            let record: Value = serde_json::from_str(line).unwrap();
            let seq = record["seq"].as_u64().expect("a number");
            requests.extend(record["req"].as_str().map(|req| (req.to_owned(), seq)));
        }
        assert_eq!(requests, acked, "{call}");
    }
}

/// A client that repeats a request until it is answered.
struct RetryingClient<'a> {
    server: &'a Server,
    auth: Value,
    wire: Option<RawSocket>,
    /// How often the server replied that it cannot at present.
    refused: u32,
    /// How often the server closed the connection.
    lost: u32,
}

impl RetryingClient<'_> {
    async fn retry(&mut self, ask: &Value) -> Value {
        loop {
            let mut wire = if let Some(wire) = self.wire.take() {
                wire
            } else {
                let mut wire = RawSocket::upgraded(self.server.address()).await;
                let hello =
                    json!({"type": "hello", "id": "hello", "proto": [1], "auth": self.auth});
                wire.text(&hello.to_string()).await;
                wire
            };
            wire.text(&ask.to_string()).await;
            let answer = loop {
                match wire.next_json().await {
                    Some(frame) if frame["re"] == ask["id"] => break Some(frame),
                    Some(_) => {}
                    None => break None,
                }
            };
            let Some(answer) = answer else {
                assert_eq!(wire.close_code().await, Some(1012));
                self.lost += 1;
                continue;
            };
            self.wire = Some(wire);
            if answer["type"] == "ok" {
                return answer;
            }
            assert_eq!(answer["code"], "read_only", "{answer}");
            self.refused += 1;
        }
    }
}
