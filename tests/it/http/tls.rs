//! A server with a certificate.

use std::fs;

use rustls::RootCertStore;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpSocket,
    time::timeout,
};

use crate::harness::{
    PATIENCE, Peer, Server, Setup, game,
    raw_http::{connect, connect_tls, get},
};

/// Starts a server with a certificate, and returns what trusts it.
async fn encrypting_server(configure: impl FnOnce(&mut Setup)) -> (Server, RootCertStore) {
    let issued = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let files = tempfile::tempdir().unwrap();
    let (certificate, key) = (files.path().join("cert.pem"), files.path().join("key.pem"));
    fs::write(&certificate, issued.cert.pem()).unwrap();
    fs::write(&key, issued.signing_key.serialize_pem()).unwrap();
    let server = Server::with(|setup| {
        setup.set("network.tls", "certificate", certificate.display().to_string());
        setup.set("network.tls", "key", key.display().to_string());
        configure(setup);
    })
    .await;
    server.wait_for_log("listening url=wss://").await;
    let mut trusted = RootCertStore::empty();
    trusted.add(issued.cert.der().clone()).unwrap();
    (server, trusted)
}

#[tokio::test]
async fn an_address_that_begins_encryption_again_and_again_is_refused() {
    let (server, trusted) =
        encrypting_server(|setup| setup.set("limits", "handshakes_per_address", 1_000)).await;
    // More than the burst of one address.
    for _ in 0..300 {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(([127, 0, 0, 9], 0).into()).unwrap();
        drop(timeout(PATIENCE, socket.connect(server.address())).await.expect("in time"));
    }
    server.wait_for_log("why=\"handshake_rate\"").await;
    let (head, _) = get(connect_tls(&server, &trusted).await, "/healthz").await;
    assert!(head.starts_with("http/1.1 200"), "another address: {head}");
}

#[tokio::test]
async fn with_a_certificate_every_connection_uses_tls() {
    let (server, trusted) = encrypting_server(|_| {}).await;

    let (head, body) = get(connect_tls(&server, &trusted).await, "/healthz").await;
    assert!(head.contains("strict-transport-security: max-age="), "{head}");
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert_eq!(body, "ok\n");

    let mut peers = Vec::new();
    for name in ["ann", "bob"] {
        let stream = Box::new(connect_tls(&server, &trusted).await);
        let mut peer = Peer::over(stream, "wss://localhost/v1/ws").await;
        peer.hello_guest(name).await;
        peers.push(peer);
    }
    let [ann, bob] = peers.as_mut_slice() else { panic!("there are two") };
    let game = game::start(&mut [ann, bob], json!({})).await;
    game::play_to_end(&mut [ann, bob], &game).await;

    // A server with TLS does not answer a plain request.
    let mut plain = connect(&server).await;
    let mut answer = Vec::new();
    plain.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let read = timeout(PATIENCE, plain.read_to_end(&mut answer)).await.expect("an end in time");
    assert!(read.is_err() || !answer.starts_with(b"HTTP"), "{answer:?}");
}
