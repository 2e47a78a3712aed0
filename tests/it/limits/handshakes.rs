//! Handshakes that never complete.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use rustls::pki_types::ServerName;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinSet,
    time::{Instant, interval, interval_at, timeout},
};
use tokio_rustls::TlsConnector;

use crate::harness::raw_socket::{RawSocket, narrow};
use crate::harness::{PATIENCE, Peer, Server, game};

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
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
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
