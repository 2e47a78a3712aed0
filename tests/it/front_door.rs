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

use crate::harness::{PATIENCE, Peer, Server, Stream, game};

/// The status line and headers, and the body of the answer to a GET.
pub(crate) async fn get(mut stream: impl Stream, path: &str) -> (String, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
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

async fn connect(server: &Server) -> TcpStream {
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
    assert_eq!(problem["code"], "not_found", "{body}");
    let (head, _) = ask("/v1/ws").await;
    assert!(head.starts_with("http/1.1 426"), "{head}");
}

async fn encrypted(server: &Server, trusted: &RootCertStore) -> TlsStream<TcpStream> {
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
