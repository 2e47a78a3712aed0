//! Connections without a valid `hello`, with half a handshake, or whose clients do not read.

use std::{cell::Cell, net::SocketAddr, sync::Arc, time::Duration};

use rustls::pki_types::ServerName;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinSet,
    time::{Instant, interval, interval_at, timeout},
};
use tokio_rustls::TlsConnector;

use crate::harness::{
    Frame, Metrics, PATIENCE, Peer, Server, game,
    raw_socket::{FINAL, PING, RawSocket, frame, narrow},
};

/// How long the server waits for `hello`, and the tolerance of the test.
const HELLO_MAX: Duration = Duration::from_secs(5);
const SLACK: Duration = Duration::from_secs(2);

#[tokio::test]
async fn a_session_without_hello_is_closed_after_five_seconds() {
    let server = Server::start().await;
    let silent = async {
        let mut wire = RawSocket::upgraded(server.address()).await;
        wire.close_code().await
    };
    // Pings do not count as `hello`.
    let lively = async {
        let mut wire = RawSocket::upgraded(server.address()).await;
        let mut pace = interval(Duration::from_millis(200));
        loop {
            tokio::select! {
                code = wire.close_code() => return code,
                _ = pace.tick() => {}
            }
            wire.write(&frame(FINAL | PING, b"")).await;
        }
    };
    let begun = Instant::now();
    assert_eq!(tokio::join!(silent, lively), (Some(4001), Some(4001)));
    let took = begun.elapsed();
    assert!(took >= HELLO_MAX && took < HELLO_MAX + SLACK, "{took:?}");
}

#[tokio::test]
async fn the_first_message_must_be_a_valid_hello() {
    let server = Server::start().await;
    let mut ann = Peer::anonymous(&server).await;
    ann.ask(json!({"type": "signup", "user": "ann", "password": "correct horse"})).await;
    let refused = [
        (json!({"type": "ping"}), "unauthorized", 4001),
        (json!({"type": "watch", "game": "abc"}), "unauthorized", 4001),
        (json!({"type": "hello", "proto": [1], "auth": {"token": "at_0"}}), "unauthorized", 4001),
        (json!({"type": "hello", "proto": [1], "auth": {"token": ""}}), "unauthorized", 4001),
        (
            json!({"type": "hello", "proto": [1], "auth": {"user": "ann", "password": "wrong"}}),
            "unauthorized",
            4001,
        ),
        (
            json!({"type": "hello", "proto": [1], "auth": {"user": "zoe", "password": "wrong"}}),
            "unauthorized",
            4001,
        ),
        (json!({"type": "hello", "proto": [99]}), "proto_unsupported", 4002),
        (json!({"type": "hello", "proto": []}), "proto_unsupported", 4002),
    ];
    let mut messages = Vec::new();
    for (first, code, close) in refused {
        let mut eve = Peer::connect(server.address()).await;
        let error = eve.refused(first.clone(), code).await;
        if code == "proto_unsupported" {
            assert_eq!(error["proto"], json!([1]), "{first}");
        }
        assert_eq!(eve.expect_close().await, close, "{first}");
        if first["auth"]["user"].is_string() {
            messages.push(error["message"].clone());
        }
    }
    assert_eq!(messages[0], messages[1], "the error does not reveal whether the name exists");
}

/// The longest that a connection without a session stays open: five seconds, and one of tolerance.
const HELD_MAX: Duration = Duration::from_secs(6);

/// The pause between two bytes of a slow request: the whole request takes far longer than the
/// limit.
const DRIP: Duration = Duration::from_millis(500);

/// When a late client starts its TLS handshake: shortly before the limit.
const LATE: Duration = Duration::from_secs(4);

const HALF_A_LINE: &[u8] = b"GET /v1/";
const HALF_A_HEAD: &[u8] = b"GET /v1/ws HTTP/1.1\r\nHost: here\r\nUpgrade: webs";
const NO_BODY: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\n";
const SATISFIED: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n";
const ASK_FOR_THE_VERSION: &[u8] = b"GET /version HTTP/1.1\r\nHost: here\r\n\r\n";
const HALF_A_CLIENT_HELLO: &[u8] = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";

/// Connects, sends these bytes, and returns how long the server keeps the connection open.
async fn held(address: SocketAddr, said: &[u8]) -> Duration {
    let mut wire = RawSocket::connect(address).await;
    let begun = Instant::now();
    wire.write(said).await;
    wire.read_to_end().await;
    begun.elapsed()
}

/// The same for a request sent byte by byte.
async fn held_dripping(address: SocketAddr) -> Duration {
    let mut wire = RawSocket::connect(address).await;
    let begun = Instant::now();
    let mut pace = interval(DRIP);
    for byte in HALF_A_HEAD {
        tokio::select! {
            () = wire.read_to_end() => break,
            _ = pace.tick() => {}
        }
        if !wire.write(&[*byte]).await {
            break;
        }
    }
    begun.elapsed()
}

/// The same for a client that keeps sending requests and never reads the answers.
async fn held_unread(address: SocketAddr) -> Duration {
    let mut wire = RawSocket::over(narrow(address).await);
    let begun = Instant::now();
    let questions = ASK_FOR_THE_VERSION.repeat(100);
    while wire.write(&questions).await {}
    begun.elapsed()
}

/// The same for a client that is slow with TLS and slower with the request.
async fn held_late(address: SocketAddr, tls: TlsConnector) -> Duration {
    let stream = TcpStream::connect(address).await.expect("the server accepts");
    let begun = Instant::now();
    let mut late = interval_at(begun + LATE, LATE);
    late.tick().await;
    let name = ServerName::try_from("localhost").expect("a name");
    let mut stream = tls.connect(name, stream).await.expect("it is not too late yet");
    stream.write_all(HALF_A_LINE).await.expect("the server reads");
    // The connection may end with or without an error.
    drop(timeout(PATIENCE, stream.read_to_end(&mut Vec::new())).await);
    begun.elapsed()
}

async fn assert_all_are_closed(mut waiting: JoinSet<(&'static str, Duration)>, count: usize) {
    assert_eq!(waiting.len(), count);
    while let Some(held) = waiting.join_next().await {
        let (what, held) = held.expect("the server ends the connection");
        assert!(held <= HELD_MAX, "{what}: held for {held:?}");
    }
}

#[tokio::test]
async fn three_hundred_half_open_handshakes_are_closed_while_others_play() {
    let server = Server::start().await;
    let address = server.address();
    let mut waiting = JoinSet::new();
    for _ in 0..50 {
        waiting.spawn(async move { ("no bytes", held(address, b"").await) });
        waiting.spawn(async move { ("half a line", held(address, HALF_A_LINE).await) });
        waiting.spawn(async move { ("half a head", held(address, HALF_A_HEAD).await) });
        waiting.spawn(async move { ("a body that never comes", held(address, NO_BODY).await) });
        waiting.spawn(async move { ("nothing more to ask", held(address, SATISFIED).await) });
        waiting.spawn(async move { ("byte by byte", held_dripping(address).await) });
    }
    for _ in 0..4 {
        waiting.spawn(async move {
            ("answers that the client never reads", held_unread(address).await)
        });
    }
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    let mut players = [&mut ann, &mut bob];
    tokio::join!(assert_all_are_closed(waiting, 304), game::play_to_end(&mut players, &game));
}

#[tokio::test]
async fn half_a_tls_handshake_is_closed_too() {
    let directory = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let certificate = directory.path().join("certificate.pem");
    let key = directory.path().join("key.pem");
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let server = Server::with(|setup| {
        setup.set("network.tls", "certificate", certificate.to_str().unwrap());
        setup.set("network.tls", "key", key.to_str().unwrap());
    })
    .await;
    let address = server.address();
    let mut waiting = JoinSet::new();
    for _ in 0..50 {
        waiting.spawn(async move { ("no bytes", held(address, b"").await) });
        waiting.spawn(async move { ("half a hello", held(address, HALF_A_CLIENT_HELLO).await) });
        waiting.spawn(async move { ("not TLS at all", held(address, SATISFIED).await) });
    }
    let mut trusted = rustls::RootCertStore::empty();
    trusted.add(made.cert.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(trusted)
        .with_no_client_auth();
    let tls = TlsConnector::from(Arc::new(config));
    waiting.spawn(async move { ("late TLS", held_late(address, tls).await) });
    assert_all_are_closed(waiting, 151).await;
}

#[tokio::test]
async fn an_invalid_upgrade_is_rejected_with_a_status() {
    let server = Server::start().await;
    let own = format!("Origin: http://{}\r\n", server.address());
    let cases = [
        ("Origin: https://evil.example\r\n", 403, "forbidden"),
        ("Origin: null\r\n", 403, "forbidden"),
        ("Sec-WebSocket-Protocol: chat\r\n", 400, "proto_unsupported"),
        ("Sec-WebSocket-Protocol: adamant.v2.json, mqtt\r\n", 400, "proto_unsupported"),
    ];
    for (headers, status, code) in cases {
        let (_, answer) = RawSocket::upgrade_with(server.address(), headers).await;
        assert_eq!(answer.status, status, "{headers}");
        assert_eq!(answer.json()["code"], code, "{headers}");
    }
    let (_, answer) = RawSocket::upgrade_with(server.address(), &own).await;
    assert_eq!(answer.status, 101, "{own}");
    let offered = "Sec-WebSocket-Protocol: chat, adamant.v1.json\r\n";
    let (_, answer) = RawSocket::upgrade_with(server.address(), offered).await;
    assert_eq!(answer.header("sec-websocket-protocol"), Some("adamant.v1.json"));

    let mut plain = RawSocket::connect(server.address()).await;
    plain.write(b"GET /v1/ws HTTP/1.1\r\nHost: here\r\n\r\n").await;
    assert_eq!(plain.answer().await.status, 426);
}

// Clients that stop reading.
//
// The server waits for none of them. A spectator receives a snapshot once it reads again. A player
// is disconnected and misses nothing after a reconnect.

/// Games that make each list a few kilobytes long, so that a queue reaches its limit of bytes
/// before its limit of frames.
const GAMES: usize = 6;

/// Lists requested and not read: more than the socket buffers and a queue hold.
const LISTS: usize = 1_000;

/// Games that send a player more than a queue holds: about ten frames each.
const FLOOD_GAMES: usize = 80;

/// Starts a server with a game between two players, and enough other games to fill a list.
async fn busy_server() -> (Server, Peer, Peer, String) {
    // A player whose connection is closed counts as away at once.
    let server = Server::with(|setup| setup.set("games", "claim_after_untimed", "1ms")).await;
    let (mut ann, mut bob, game) =
        game::start_two_with(&server, json!({"options": {"size": 5}})).await;
    for _ in 0..GAMES {
        game::start(&mut [&mut ann, &mut bob], json!({})).await;
    }
    (server, ann, bob, game)
}

#[tokio::test]
async fn a_slow_spectator_delays_no_player_and_receives_a_snapshot() {
    let (server, mut ann, mut bob, game) = busy_server().await;
    let url = format!("ws://{}/v1/ws", server.address());
    let mut slow = Peer::over(Box::new(narrow(server.address()).await), &url).await;
    slow.hello(json!({})).await;
    slow.ask(json!({"type": "watch", "game": game})).await;
    slow.ask(json!({"type": "games"})).await;
    for _ in 0..LISTS {
        slow.send(&json!({"type": "games", "id": "list"})).await;
    }
    // The players receive all moves although the spectator reads nothing. One who misses events
    // receives a notice.
    let answered = r#"adamant_request_seconds_count{queue="lists"}"#;
    let mut before = None;
    loop {
        let metrics = Metrics::fetch(&server).await;
        if metrics.value("adamant_spectator_lags_total") > 0 {
            break;
        }
        // While lists are answered, the queue has room for an event.
        let lists = Some(metrics.value(answered));
        if lists == before {
            game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
        }
        before = lists;
    }
    let is_notice = |frame: &Frame| frame["game"] == game.as_str() && frame["reason"] == "lagged";
    let lagged = slow.next_matching("a snapshot instead of events", is_notice).await;
    let at = lagged["seq"].as_u64().unwrap();
    // The remaining lists are read before the game goes on.
    slow.ask(json!({"type": "ping"})).await;
    assert!(at <= ann.replay(&game).seq());
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    slow.next_event(&game, "ended").await;

    let frames: Vec<&Value> =
        slow.frames().filter(|frame| frame["game"] == game.as_str()).collect();
    let snapshot = frames.iter().position(|frame| **frame == lagged).expect("it has come");
    let record = |seq: u64| read(&ann.records(&game)[usize::try_from(seq).unwrap() - 1]);
    assert_eq!(lagged["chain"], record(at)["chain"]);
    // Presence may come in between.
    let events = frames[snapshot + 1..].iter().filter(|frame| frame["type"] == "event");
    let after: Vec<Value> = events.map(|&frame| frame.clone()).collect();
    let missing: Vec<Value> = (at + 1..=ann.replay(&game).seq()).map(record).collect();
    assert_eq!(after, missing, "after the snapshot every event comes once");
}

#[tokio::test]
async fn a_slow_player_is_disconnected_and_misses_nothing() {
    let (server, mut ann, mut bob, game) = busy_server().await;
    let mut games = vec![game.clone()];
    for _ in 0..FLOOD_GAMES {
        games.push(game::start(&mut [&mut ann, &mut bob], json!({})).await);
    }
    let (token, cursor) = (bob.token.clone(), bob.cursor(&game));
    bob.close().await;
    let mut slow = RawSocket::over(narrow(server.address()).await);
    assert_eq!(slow.upgrade(server.address(), "").await.status, 101);
    let auth = json!({"token": token});
    slow.text(&json!({"type": "hello", "id": "h", "proto": [1], "auth": auth}).to_string()).await;
    assert_eq!(slow.next_json().await.expect("a welcome")["type"], "welcome");
    for _ in 0..LISTS {
        slow.text(r#"{"type":"games","id":"list"}"#).await;
    }

    // The close frame is read as soon as it comes, however long the disk takes for an offer.
    let is_away = Cell::new(false);
    let offering = async {
        for game in &games {
            for turn in 0..2 {
                for what in ["draw", "abort"] {
                    let offer = json!({"type": "offer", "game": game, "what": what});
                    let offer = ann.ask(offer).await["offer"].clone();
                    ann.ask(json!({"type": "withdraw", "game": game, "offer": offer})).await;
                }
                if is_away.get() {
                    return;
                }
                if turn == 0 {
                    game::play_moves(&mut [&mut ann], game, 1).await;
                }
            }
        }
        panic!("the slow player is never disconnected");
    };
    let mut eve = Peer::anonymous(&server).await;
    let hearing = async {
        let watch = json!({"type": "watch", "game": game});
        while eve.ask(watch.clone()).await["presence"][1]["online"] != false {}
        is_away.set(true);
        slow.skip_to_close_code().await
    };
    let ((), farewell) = tokio::join!(offering, hearing);
    // Through so small a window the sent frames may take longer than the server waits before its
    // close frame; then the connection just ends.
    assert!(matches!(farewell, Some(4004) | None), "{farewell:?}");
    Metrics::wait_for(&server, "adamant_sessions_ended_total{cause=\"slow consumer\"}", 1).await;

    let mut bob = Peer::connect(server.address()).await;
    let welcome = bob.hello(json!({"auth": auth, "resume": {&game: cursor}})).await;
    let told =
        welcome["games"].as_array().unwrap().iter().find(|told| told["game"] == game.as_str());
    let from = cursor["seq"].as_u64().unwrap() + 1;
    assert_eq!(told.unwrap()["resume"], "tail");
    assert_eq!(told.unwrap()["from"], from);
    let last = ann.replay(&game).seq();
    bob.next_matching("the last event", |frame| {
        frame["type"] == "event" && frame["game"] == game.as_str() && frame["seq"] == last
    })
    .await;
    let of_game = |frame: &&Value| frame["type"] == "event" && frame["game"] == game.as_str();
    let heard: Vec<Value> = bob.frames().filter(of_game).cloned().collect();
    let missed = &ann.records(&game)[usize::try_from(from).unwrap() - 1..];
    assert_eq!(heard, missed.iter().map(|record| read(record)).collect::<Vec<_>>());
}

fn read(record: &str) -> Value {
    serde_json::from_str(record).expect("records are JSON")
}
