//! HTTP requests as plain text over TCP or TLS, for tests of connections and headers.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, pki_types::ServerName};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::{peer::Stream, server::Server, timeout::PATIENCE};

/// Sends a GET over an open stream; returns the head in lower case and the body.
pub(crate) async fn get(stream: impl Stream, path: &str) -> (String, String) {
    get_with_headers(stream, path, "").await
}

/// The same with further header lines.
pub(crate) async fn get_with_headers(
    mut stream: impl Stream,
    path: &str,
    headers: &str,
) -> (String, String) {
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n");
    let mut answer = Vec::new();
    let io = async {
        stream.write_all(request.as_bytes()).await?;
        stream.read_to_end(&mut answer).await
    };
    timeout(PATIENCE, io).await.expect("an answer in time").expect("an answer");
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    (head.to_ascii_lowercase(), body.to_owned())
}

/// Connects to a server.
pub(crate) async fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.address()).await.expect("the server accepts")
}

/// Connects to a server with TLS.
pub(crate) async fn connect_tls(server: &Server, trusted: &RootCertStore) -> TlsStream<TcpStream> {
    let config =
        ClientConfig::builder().with_root_certificates(trusted.clone()).with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let handshake = TlsConnector::from(Arc::new(config)).connect(name, connect(server).await);
    timeout(PATIENCE, handshake).await.expect("a handshake in time").expect("a handshake")
}

/// Sends a raw request; returns the head in lower case and the bytes of the body.
pub(crate) async fn exchange(server: &Server, request: &str) -> (String, Vec<u8>) {
    let mut stream = connect(server).await;
    let mut answer = Vec::new();
    let io = async {
        stream.write_all(request.as_bytes()).await?;
        stream.read_to_end(&mut answer).await
    };
    timeout(PATIENCE, io).await.expect("an answer in time").expect("an answer");
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
    let body = answer.split_off(end + 4);
    (String::from_utf8(answer).expect("text").to_ascii_lowercase(), body)
}

/// Sends a GET with further headers.
pub(crate) async fn get_from_host(
    server: &Server,
    path: &str,
    host: &str,
    headers: &str,
) -> (String, Vec<u8>) {
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n");
    exchange(server, &request).await
}

/// Returns the value of a header in a head in lower case.
pub(crate) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}
