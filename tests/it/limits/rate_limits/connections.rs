//! Handshakes, WebSockets and connections, by address and behind proxies.

use std::net::Ipv4Addr;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use super::clients::{ANN, EVE, assert_limited, server_with};
use crate::harness::{PATIENCE, Peer, Server};

const HANDSHAKE: &str = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// Opens a connection from an address and sends nothing.
async fn silent(here: [u8; 4], server: &Server) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::from(here), 0).into()).unwrap();
    timeout(PATIENCE, socket.connect(server.address())).await.expect("in time").expect("accepted")
}

/// Whether the server closes a connection without an answer.
async fn is_dropped(stream: &mut TcpStream) -> bool {
    let read = timeout(PATIENCE, stream.read(&mut [0; 16])).await.expect("an end or an answer");
    matches!(read, Ok(0) | Err(_))
}

/// Sends a plain request and returns the whole response.
async fn response_to(mut stream: TcpStream, path: &str, headers: &str) -> String {
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n{headers}\r\n");
    let mut answer = String::new();
    let exchange = async {
        stream.write_all(request.as_bytes()).await?;
        stream.read_to_string(&mut answer).await
    };
    timeout(PATIENCE, exchange).await.expect("in time").expect("an answer");
    answer
}

/// Opens a WebSocket with a forwarding header.
async fn upgrade(here: [u8; 4], server: &Server, header: (&'static str, &str)) -> Peer {
    let stream = Box::new(silent(here, server).await);
    let url = format!("ws://{}/v1/ws", server.address());
    Peer::over_with(stream, &url, &[header]).await
}

/// Returns the body of a rejected upgrade.
async fn refused_upgrade(here: [u8; 4], server: &Server, header: &str) -> Value {
    let answer =
        response_to(silent(here, server).await, "/v1/ws", &format!("{HANDSHAKE}{header}")).await;
    assert!(answer.starts_with("HTTP/1.1 429"), "{answer}");
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap()
}

#[tokio::test]
async fn new_websockets_of_an_address_are_limited() {
    let server = server_with(&[("upgrades_per_min", 3)]).await;
    for _ in 0..3 {
        Peer::connect_from(EVE, server.address()).await;
    }
    for _ in 0..3 {
        let refusal = refused_upgrade(EVE, &server, "").await;
        assert_eq!(refusal["limit"], "upgrades_per_min");
        assert_eq!(refusal["message"], "at most 3 new WebSockets a minute from one address");
        let wait_ms = refusal["retry_after_ms"].as_u64().unwrap();
        assert!((1..=20_000).contains(&wait_ms), "{refusal}");
    }
    Peer::connect_from(ANN, server.address()).await;
}

#[tokio::test]
async fn handshakes_of_an_address_are_limited() {
    const SHARE: usize = 4;
    let server = server_with(&[("handshakes_per_address", 4)]).await;
    let mut held = Vec::new();
    for _ in 0..SHARE {
        held.push(silent(EVE, &server).await);
    }
    for _ in 0..SHARE {
        assert!(is_dropped(&mut silent(EVE, &server).await).await);
    }
    let answer = response_to(silent(ANN, &server).await, "/healthz", "").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // Held connections are still served, and then make room.
    let answer = response_to(held.pop().unwrap(), "/healthz", "").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let mut retried = 0;
    loop {
        let mut stream = silent(EVE, &server).await;
        // The other connection's task frees the slot shortly after the response.
        let request = b"GET /healthz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
        let written = stream.write_all(request).await;
        if written.is_ok() && !is_dropped(&mut stream).await {
            break;
        }
        retried += 1;
        assert!(retried < 1_000, "the slot is never freed");
    }
}

#[tokio::test]
async fn forwarding_headers_of_an_untrusted_client_are_ignored() {
    let server = Server::with(|setup| {
        setup.set("network", "trusted_proxies", vec!["10.0.0.0/8".to_owned(), "::1".to_owned()]);
        setup.set("limits", "connections_per_address", 2);
        setup.set("limits", "guests_per_hour", 1);
    })
    .await;
    let mut one = upgrade(EVE, &server, ("X-Forwarded-For", "1.1.1.1")).await;
    let mut other = upgrade(EVE, &server, ("Forwarded", "for=2.2.2.2")).await;
    for header in ["X-Forwarded-For: 3.3.3.3", "Forwarded: for=4.4.4.4", "X-Real-IP: 5.5.5.5"] {
        let refusal = refused_upgrade(EVE, &server, &format!("{header}\r\n")).await;
        assert_eq!(refusal["code"], "rate_limited");
        assert_eq!(refusal["limit"], "connections_per_address");
        assert!(refusal["retry_after_ms"].as_u64().unwrap() > 0, "{refusal}");
    }
    one.hello_guest("ann").await;
    let hello = json!({"type": "hello", "proto": [1], "auth": {"guest": "bob"}});
    assert_limited(&other.refused(hello, "rate_limited").await, "guests_per_hour");
}

#[tokio::test]
async fn clients_behind_a_trusted_proxy_are_counted_separately() {
    let server = Server::with(|setup| {
        setup.set("network", "trusted_proxies", vec!["127.0.0.2".to_owned()]);
        setup.set("limits", "connections_per_address", 1);
        setup.set("limits", "handshakes_per_address", 2);
    })
    .await;
    // A proxy may have many handshakes at once.
    let _slow =
        [silent(EVE, &server).await, silent(EVE, &server).await, silent(EVE, &server).await];
    let forwarded = "X-Forwarded-For";
    let _one = upgrade(EVE, &server, (forwarded, "1.1.1.1")).await;
    let _two = upgrade(EVE, &server, (forwarded, "2.2.2.2")).await;
    let _six = upgrade(EVE, &server, ("Forwarded", "for=\"[2001:db8::1]:4711\"")).await;
    // Header values that the client itself put before the proxy's do not count, and an IPv6 /64 is
    // one address.
    for header in [
        "X-Forwarded-For: 9.9.9.9, 1.1.1.1",
        "X-Forwarded-For: 9.9.9.9\r\nX-Forwarded-For: 2.2.2.2",
        "Forwarded: for=9.9.9.9, for=\"[2001:db8::ffff]\"",
    ] {
        let refusal = refused_upgrade(EVE, &server, &format!("{header}\r\n")).await;
        assert_eq!(refusal["limit"], "connections_per_address", "{header}");
    }
    // A direct client counts by its own address.
    let _direct = upgrade(ANN, &server, (forwarded, "3.3.3.3")).await;
    let refusal = refused_upgrade(ANN, &server, "X-Forwarded-For: 4.4.4.4\r\n").await;
    assert_eq!(refusal["limit"], "connections_per_address");
}
