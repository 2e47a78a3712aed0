//! The one port: plain HTTP beside the WebSocket, and both encrypted.

use std::{fs, sync::Arc};

use rustls::{ClientConfig, RootCertStore, pki_types::ServerName};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use crate::harness::{PATIENCE, Peer, Server, Stream, game, schema};

/// The status line and headers, and the body of the answer to a GET.
pub(crate) async fn get(stream: impl Stream, path: &str) -> (String, String) {
    get_by(stream, path, "").await
}

/// The same with more header lines.
pub(crate) async fn get_by(mut stream: impl Stream, path: &str, headers: &str) -> (String, String) {
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n");
    let mut answer = Vec::new();
    let exchange = async {
        stream.write_all(request.as_bytes()).await?;
        stream.read_to_end(&mut answer).await
    };
    timeout(PATIENCE, exchange).await.expect("an answer in time").expect("an answer");
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    (head.to_ascii_lowercase(), body.to_owned())
}

pub(crate) async fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.address()).await.expect("the server accepts")
}

#[tokio::test]
async fn monitors_and_browsers_are_answered_on_the_same_port() {
    let server = Server::start().await;
    let ask = async |path: &str| get(connect(&server).await, path).await;
    let (head, body) = ask("/healthz").await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert_eq!(body, "ok\n");
    let (head, body) = ask("/readyz").await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert_eq!(body, "ready\n");
    let (head, body) = ask("/version").await;
    assert!(head.contains("content-type: application/json"), "{head}");
    let version: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&version["name"], &version["proto"]), (&json!("adamant"), &json!([1])));
    let (head, body) = ask("/schema/v1.json").await;
    assert!(head.contains("content-type: application/schema+json"), "{head}");
    let schema: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(schema, adamant_protocol::schema::document());
    let (head, body) = ask("/").await;
    assert!(head.contains("content-security-policy: default-src 'none'"), "{head}");
    assert!(body.contains("<html"), "{body}");

    let (head, body) = ask("/nowhere").await;
    assert!(head.starts_with("http/1.1 404"), "{head}");
    let problem: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&problem["code"], &problem["retry"]), (&json!("not_found"), &json!("never")));
    assert_eq!(schema::fault_in_message(&problem), None, "problems have one form: {body}");
    let (head, _) = ask("/v1/ws").await;
    assert!(head.starts_with("http/1.1 426"), "{head}");
}

pub(crate) async fn encrypted(server: &Server, trusted: &RootCertStore) -> TlsStream<TcpStream> {
    let config =
        ClientConfig::builder().with_root_certificates(trusted.clone()).with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let handshake = TlsConnector::from(Arc::new(config)).connect(name, connect(server).await);
    timeout(PATIENCE, handshake).await.expect("a handshake in time").expect("a handshake")
}

#[tokio::test]
async fn with_a_certificate_everything_is_encrypted() {
    let issued = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let files = tempfile::tempdir().unwrap();
    let (certificate, key) = (files.path().join("cert.pem"), files.path().join("key.pem"));
    fs::write(&certificate, issued.cert.pem()).unwrap();
    fs::write(&key, issued.signing_key.serialize_pem()).unwrap();
    let server = Server::with(|setup| {
        setup.set("network.tls", "certificate", certificate.display().to_string());
        setup.set("network.tls", "key", key.display().to_string());
    })
    .await;
    server.logs("listening on wss://").await;
    let mut trusted = RootCertStore::empty();
    trusted.add(issued.cert.der().clone()).unwrap();

    let (head, body) = get(encrypted(&server, &trusted).await, "/healthz").await;
    assert!(head.contains("strict-transport-security: max-age="), "{head}");
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert_eq!(body, "ok\n");

    let mut peers = Vec::new();
    for name in ["ann", "bob"] {
        let stream = Box::new(encrypted(&server, &trusted).await);
        let mut peer = Peer::over(stream, "wss://localhost/v1/ws").await;
        peer.hello_guest(name).await;
        peers.push(peer);
    }
    let [ann, bob] = peers.as_mut_slice() else { panic!("there are two") };
    let game = game::begin(&mut [ann, bob], json!({})).await;
    game::play_out(&mut [ann, bob], &game).await;

    // Who does not encrypt is not spoken to.
    let mut plain = connect(&server).await;
    let mut answer = Vec::new();
    plain.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let read = timeout(PATIENCE, plain.read_to_end(&mut answer)).await.expect("an end in time");
    assert!(read.is_err() || !answer.starts_with(b"HTTP"), "{answer:?}");
}

/// The status line and headers, and the bytes of the body, of whatever answers a raw request.
async fn raw(server: &Server, request: &str) -> (String, Vec<u8>) {
    let mut stream = connect(server).await;
    let mut answer = Vec::new();
    let exchange = async {
        stream.write_all(request.as_bytes()).await?;
        stream.read_to_end(&mut answer).await
    };
    timeout(PATIENCE, exchange).await.expect("an answer in time").expect("an answer");
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
    let body = answer.split_off(end + 4);
    (String::from_utf8(answer).expect("text").to_ascii_lowercase(), body)
}

/// A GET with further headers.
async fn get_with(server: &Server, path: &str, host: &str, headers: &str) -> (String, Vec<u8>) {
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n");
    raw(server, &request).await
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[tokio::test]
async fn the_schema_and_the_page_travel_compressed_and_only_when_they_are_new() {
    let server = Server::start().await;
    for path in ["/schema/v1.json", "/", "/page/current/main.js"] {
        let (head, plain) = get_with(&server, path, "here", "").await;
        assert_eq!(header(&head, "content-encoding"), None, "{path}");
        let (head, gzip) = get_with(&server, path, "here", "Accept-Encoding: gzip\r\n").await;
        assert_eq!(header(&head, "content-encoding"), Some("gzip"), "{path}: {head}");
        assert!(gzip.len() < plain.len(), "{path}: {} of {}", gzip.len(), plain.len());
        let tag = header(&head, "etag").expect("a tag").replace("w/", "W/");
        let (head, body) =
            get_with(&server, path, "here", &format!("If-None-Match: {tag}\r\n")).await;
        assert!(head.starts_with("http/1.1 304"), "{path}: {head}");
        assert!(body.is_empty(), "{path}");
    }
}

#[tokio::test]
async fn every_answer_says_how_it_may_be_used() {
    let server = Server::start().await;
    for (path, pages) in [
        ("/", "same-origin"),
        ("/healthz", "same-origin"),
        ("/metrics", "same-origin"),
        ("/nowhere", "same-origin"),
        ("/v1/ws", "same-origin"),
        ("/v1/games", "cross-origin"),
        ("/v1/games/nosuch", "cross-origin"),
        ("/schema/v1.json", "cross-origin"),
    ] {
        let (head, _) = get_with(&server, path, "here", "").await;
        assert_eq!(header(&head, "x-content-type-options"), Some("nosniff"), "{path}: {head}");
        assert_eq!(header(&head, "cross-origin-resource-policy"), Some(pages), "{path}");
        assert_eq!(header(&head, "strict-transport-security"), None, "{path}");
    }
}

#[tokio::test]
async fn a_request_names_its_host_once() {
    let server = Server::start().await;
    let status = async |head: &str| {
        let (head, _) = raw(&server, &format!("{head}Connection: close\r\n\r\n")).await;
        head.split(' ').nth(1).map(str::to_owned)
    };
    let (ok, bad) = (Some("200".to_owned()), Some("400".to_owned()));
    assert_eq!(status("GET /healthz HTTP/1.1\r\nHost: here\r\n").await, ok);
    assert_eq!(status("GET /healthz HTTP/1.0\r\n").await, ok);
    assert_eq!(status("GET /healthz HTTP/1.1\r\n").await, bad);
    assert_eq!(status("GET /healthz HTTP/1.1\r\nHost: here\r\nHost: there\r\n").await, bad);
}

#[tokio::test]
async fn a_server_that_knows_its_names_answers_to_no_other() {
    let server = Server::with(|setup| {
        setup.set("network", "hosts", vec!["play.example.org".to_owned()]);
    })
    .await;
    let upgrade = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                   Origin: http://rebound.example:7777\r\n";
    for path in ["/", "/metrics", "/v1/ws", "/v1/games"] {
        let (head, _) = get_with(&server, path, "rebound.example:7777", upgrade).await;
        assert!(head.starts_with("http/1.1 421"), "{path}: {head}");
    }
    for host in ["play.example.org", "play.example.org:443", "127.0.0.1:7777", "localhost"] {
        let (head, _) = get_with(&server, "/", host, "").await;
        assert!(head.starts_with("http/1.1 200"), "{host}: {head}");
    }
    let (head, _) = get_with(&server, "/readyz", "rebound.example", "").await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
}

#[tokio::test]
async fn what_cannot_be_read_in_an_address_is_named_in_plain_words() {
    let server = Server::start().await;
    let (_, body) = get_with(&server, "/v1/games?limit=many", "here", "").await;
    let problem: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(problem["message"], "the value of limit in the address cannot be read");
    let (_, body) = get_with(&server, "/v1/games/no%20such", "here", "").await;
    let problem: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(problem["message"], "the address cannot be read");
}

#[tokio::test]
async fn a_head_that_does_not_end_is_not_kept() {
    let server = Server::start().await;
    let head = format!("GET / HTTP/1.1\r\nHost: here\r\nX: {}", "x".repeat(20 * 1024));
    let (answer, _) = raw(&server, &head).await;
    assert!(answer.starts_with("http/1.1 431"), "{answer}");
}
