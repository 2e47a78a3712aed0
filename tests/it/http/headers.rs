//! The paths of the one port, and the headers of requests and responses: caching, security, `Host`.

use std::fs;

use rustls::RootCertStore;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpSocket,
    time::timeout,
};

use crate::harness::{
    PATIENCE, Peer, Server, Setup, game,
    raw_socket::{connect, connect_tls, exchange, get, get_from_host, header},
    schema,
};

#[tokio::test]
async fn http_and_websocket_share_a_port() {
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

#[tokio::test]
async fn schema_and_page_are_compressed_and_cached() {
    let server = Server::start().await;
    for path in ["/schema/v1.json", "/", "/page/current/main.js"] {
        let (head, plain) = get_from_host(&server, path, "here", "").await;
        assert_eq!(header(&head, "content-encoding"), None, "{path}");
        let (head, gzip) = get_from_host(&server, path, "here", "Accept-Encoding: gzip\r\n").await;
        assert_eq!(header(&head, "content-encoding"), Some("gzip"), "{path}: {head}");
        assert!(gzip.len() < plain.len(), "{path}: {} of {}", gzip.len(), plain.len());
        let tag = header(&head, "etag").expect("a tag").replace("w/", "W/");
        let (head, body) =
            get_from_host(&server, path, "here", &format!("If-None-Match: {tag}\r\n")).await;
        assert!(head.starts_with("http/1.1 304"), "{path}: {head}");
        assert!(body.is_empty(), "{path}");
    }
}

#[tokio::test]
async fn every_response_has_security_headers() {
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
        let (head, _) = get_from_host(&server, path, "localhost", "").await;
        assert_eq!(header(&head, "x-content-type-options"), Some("nosniff"), "{path}: {head}");
        assert_eq!(header(&head, "cross-origin-resource-policy"), Some(pages), "{path}");
        assert_eq!(header(&head, "strict-transport-security"), None, "{path}");
    }
}

#[tokio::test]
async fn only_documents_carry_the_policy_for_browsers() {
    let server = Server::start().await;
    let policy = async |path: &str| {
        let (head, _) = get_from_host(&server, path, "here", "").await;
        header(&head, "content-security-policy").map(str::to_owned)
    };
    let of_documents = policy("/").await.expect("a policy");
    assert!(of_documents.contains("frame-ancestors 'none'"), "{of_documents}");
    assert_eq!(policy("/rules").await, Some(of_documents));
    assert_eq!(policy("/page/current/main.js").await, None);
    let of_pictures = policy("/page/current/icons/icon.svg").await.expect("a policy");
    assert!(of_pictures.starts_with("default-src 'none'"), "{of_pictures}");
}

#[tokio::test]
async fn the_document_brings_the_catalogue_along() {
    let server = Server::start().await;
    let (head, body) = get_from_host(&server, "/", "here", "Accept-Language: en\r\n").await;
    assert!(head.contains("vary: accept-language"), "{head}");
    let body = String::from_utf8(body).unwrap();
    let block = body.split("id=\"catalogue\">").nth(1).expect("a catalogue");
    let catalogue: Value = serde_json::from_str(block.split("</script>").next().unwrap()).unwrap();
    assert_eq!(schema::fault_in_message(&catalogue), None);
    assert_eq!(catalogue["games"].as_array().unwrap().len(), 4);
    assert!(body.contains("<link rel=\"modulepreload\""), "{body}");
}

#[tokio::test]
async fn a_request_has_exactly_one_host() {
    let server = Server::start().await;
    let status = async |head: &str| {
        let (head, _) = exchange(&server, &format!("{head}Connection: close\r\n\r\n")).await;
        head.split(' ').nth(1).map(str::to_owned)
    };
    let (ok, bad) = (Some("200".to_owned()), Some("400".to_owned()));
    assert_eq!(status("GET /healthz HTTP/1.1\r\nHost: here\r\n").await, ok);
    assert_eq!(status("GET /healthz HTTP/1.0\r\n").await, ok);
    assert_eq!(status("GET /healthz HTTP/1.1\r\n").await, bad);
    assert_eq!(status("GET /healthz HTTP/1.1\r\nHost: here\r\nHost: there\r\n").await, bad);
}

#[tokio::test]
async fn a_server_with_configured_hosts_rejects_others() {
    let server = Server::with(|setup| {
        setup.set("network", "hosts", vec!["play.example.org".to_owned()]);
    })
    .await;
    let upgrade = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                   Origin: http://rebound.example:7777\r\n";
    for path in ["/", "/metrics", "/v1/ws", "/v1/games"] {
        let (head, _) = get_from_host(&server, path, "rebound.example:7777", upgrade).await;
        assert!(head.starts_with("http/1.1 421"), "{path}: {head}");
    }
    for host in ["play.example.org", "play.example.org:443", "127.0.0.1:7777", "localhost"] {
        let (head, _) = get_from_host(&server, "/", host, "").await;
        assert!(head.starts_with("http/1.1 200"), "{host}: {head}");
    }
    let (head, _) = get_from_host(&server, "/readyz", "rebound.example", "").await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
}

#[tokio::test]
async fn a_name_that_leads_to_this_machine_reads_no_metrics() {
    let server = Server::start().await;
    for (host, status) in [
        ("rebound.example:7777", "421"),
        ("127.0.0.1:7777", "200"),
        ("[::1]:7777", "200"),
        ("localhost", "200"),
    ] {
        let (head, _) = get_from_host(&server, "/metrics", host, "").await;
        assert_eq!(head.split(' ').nth(1), Some(status), "{host}: {head}");
    }
}

#[tokio::test]
async fn the_page_is_refused_below_a_path_of_another_site() {
    let server = Server::start().await;
    let below = "X-Forwarded-Prefix: /adamant\r\n";
    for path in ["/", "/game/k7q2mx", "/sw.js"] {
        let (head, body) = get_from_host(&server, path, "club.example", below).await;
        assert!(head.starts_with("http/1.1 421"), "{path}: {head}");
        let problem: Value = serde_json::from_slice(&body).unwrap();
        assert!(problem["message"].as_str().unwrap().contains("the root of a host"), "{problem}");
    }
    for (path, prefix) in [("/v1/games", below), ("/", "X-Forwarded-Prefix: /\r\n")] {
        let (head, _) = get_from_host(&server, path, "club.example", prefix).await;
        assert!(head.starts_with("http/1.1 200"), "{path}: {head}");
    }
    // A proxy that does not say so: the style sheet would hide this.
    let (_, body) = get_from_host(&server, "/", "club.example", "").await;
    let body = String::from_utf8(body).unwrap();
    assert!(body.contains("<p class=\"unstyled\">If this is all that you see"), "{body}");
}

#[tokio::test]
async fn an_invalid_url_is_explained() {
    let server = Server::start().await;
    let (_, body) = get_from_host(&server, "/v1/games?limit=many", "here", "").await;
    let problem: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(problem["message"], "the value of limit in the address cannot be read");
    let (_, body) = get_from_host(&server, "/v1/games/no%20such", "here", "").await;
    let problem: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(problem["message"], "the address cannot be read");
}

#[tokio::test]
async fn an_endless_head_is_rejected() {
    let server = Server::start().await;
    let head = format!("GET / HTTP/1.1\r\nHost: here\r\nX: {}", "x".repeat(20 * 1024));
    let (answer, _) = exchange(&server, &head).await;
    assert!(answer.starts_with("http/1.1 431"), "{answer}");
}

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
