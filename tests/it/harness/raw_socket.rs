//! A TCP connection on which a test writes any bytes, WebSocket frames among them.

use std::{net::SocketAddr, sync::Arc};

use rustls::{ClientConfig, RootCertStore, pki_types::ServerName};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::{PATIENCE, peer::Stream, server::Server};

/// Opcodes of RFC 6455.
pub(crate) const CONTINUATION: u8 = 0x0;
pub(crate) const TEXT: u8 = 0x1;
pub(crate) const CLOSE: u8 = 0x8;
pub(crate) const PING: u8 = 0x9;
const PONG: u8 = 0xa;

/// The bit that marks the last frame of a message.
pub(crate) const FINAL: u8 = 0x80;

/// The receive buffer in bytes of a client that will not read.
const NARROW: u32 = 4 * 1024;

/// Length values that mean: the next two, or eight, bytes are the length.
const LENGTH_FOLLOWS: u8 = 126;
const LONG_LENGTH_FOLLOWS: u8 = 127;

/// An open connection.
pub(crate) struct RawSocket {
    stream: TcpStream,
    /// Bytes received and not parsed yet.
    received: Vec<u8>,
    /// The code of the server's close frame, once received.
    code: Option<u16>,
}

/// The response to an HTTP request.
#[derive(Debug)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    head: String,
    body: String,
}

impl RawResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns the parsed body.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Builds a client's frame with this first byte, masked with zeros.
pub(crate) fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = frame_header(first, 0x80, payload.len());
    bytes.extend([0; 4]);
    bytes.extend(payload);
    bytes
}

/// Builds a frame without a mask, which only a server may send.
pub(crate) fn unmasked(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = frame_header(first, 0, payload.len());
    bytes.extend(payload);
    bytes
}

fn frame_header(first: u8, mask: u8, length: usize) -> Vec<u8> {
    let mut bytes = vec![first];
    match u8::try_from(length) {
        Ok(short) if short < LENGTH_FOLLOWS => bytes.push(mask + short),
        _ => {
            bytes.push(mask + LENGTH_FOLLOWS);
            bytes.extend(u16::try_from(length).expect("no test needs more").to_be_bytes());
        }
    }
    bytes
}

/// Connects with a small receive buffer.
pub(crate) async fn narrow(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("there are sockets");
    socket.set_recv_buffer_size(NARROW).expect("a size that is possible");
    socket.connect(address).await.expect("the server accepts")
}

impl RawSocket {
    /// Connects and sends nothing.
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server accepts");
        stream.set_nodelay(true).expect("the connection is open");
        Self::over(stream)
    }

    /// Wraps an open connection.
    pub(crate) const fn over(stream: TcpStream) -> Self {
        Self { stream, received: Vec::new(), code: None }
    }

    /// Connects and upgrades to a WebSocket.
    pub(crate) async fn upgraded(address: SocketAddr) -> Self {
        let (wire, answer) = Self::upgrade_with(address, "").await;
        assert_eq!(answer.status, 101, "{answer:?}");
        wire
    }

    /// Connects, upgrades, and sends an anonymous `hello`.
    pub(crate) async fn greeted(address: SocketAddr) -> Self {
        let mut wire = Self::upgraded(address).await;
        wire.text(r#"{"type":"hello","id":"1","proto":[1]}"#).await;
        let welcome = wire.next_json().await.expect("a welcome");
        assert_eq!(welcome["type"], "welcome");
        wire
    }

    /// Connects and requests an upgrade with further headers.
    pub(crate) async fn upgrade_with(address: SocketAddr, headers: &str) -> (Self, RawResponse) {
        let mut wire = Self::connect(address).await;
        let answer = wire.upgrade(address, headers).await;
        (wire, answer)
    }

    /// Requests an upgrade on this connection.
    pub(crate) async fn upgrade(&mut self, address: SocketAddr, headers: &str) -> RawResponse {
        let request = format!(
            "GET /v1/ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
        );
        self.write(request.as_bytes()).await;
        self.answer().await
    }

    /// Reads a response up to the end that its `Content-Length` announces.
    pub(crate) async fn answer(&mut self) -> RawResponse {
        let end = loop {
            if let Some(at) = self.received.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            assert!(self.read().await, "an answer was cut off");
        };
        let head =
            String::from_utf8(self.received.drain(..end).collect()).expect("headers are text");
        let status = head.split(' ').nth(1).expect("a status").parse().expect("a number");
        let mut answer = RawResponse { status, head, body: String::new() };
        let length = answer.header("content-length").map_or(0, |text| text.parse().unwrap());
        while self.received.len() < length {
            assert!(self.read().await, "an answer was cut off");
        }
        answer.body = String::from_utf8(self.received.drain(..length).collect()).expect("text");
        answer
    }

    /// Writes bytes; returns whether the server still accepts them.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> bool {
        let written = timeout(PATIENCE, self.stream.write_all(bytes)).await;
        written.expect("the server reads").is_ok()
    }

    pub(crate) async fn text(&mut self, text: &str) {
        assert!(self.write(&frame(FINAL | TEXT, text.as_bytes())).await, "the server has gone");
    }

    /// Returns the next text frame, parsed; `None` once the server has closed the connection.
    /// Cancel-safe.
    pub(crate) async fn next_json(&mut self) -> Option<Value> {
        loop {
            while let Some((opcode, payload)) = self.take_frame() {
                match opcode {
                    TEXT => return Some(serde_json::from_slice(&payload).expect("JSON")),
                    CLOSE => {
                        let code = payload.first_chunk().expect("a goodbye has a code");
                        self.code = Some(u16::from_be_bytes(*code));
                        return None;
                    }
                    _ => {}
                }
            }
            if !self.read().await {
                return None;
            }
        }
    }

    /// Waits for the answer to a ping frame, which must come before any text frame.
    pub(crate) async fn next_pong(&mut self) {
        loop {
            match self.take_frame() {
                Some((PONG, _)) => return,
                Some((TEXT | CLOSE, payload)) => {
                    panic!("before the pong came {}", String::from_utf8_lossy(&payload))
                }
                Some(_) => {}
                None => assert!(self.read().await, "the server has gone"),
            }
        }
    }

    /// Reads on to the server's close frame and returns its code; `None` if the connection ends
    /// without one. Cancel-safe.
    pub(crate) async fn close_code(&mut self) -> Option<u16> {
        while self.next_json().await.is_some() {}
        self.code
    }

    /// The same without parsing the frames before it.
    pub(crate) async fn skip_to_close_code(&mut self) -> Option<u16> {
        loop {
            match self.take_frame() {
                Some((CLOSE, payload)) => {
                    return payload.first_chunk().copied().map(u16::from_be_bytes);
                }
                Some(_) => {}
                None if self.read().await => {}
                None => return None,
            }
        }
    }

    /// Reads until the connection has ended.
    pub(crate) async fn read_to_end(&mut self) {
        while self.read().await {}
    }

    /// Removes the first complete frame from the received bytes.
    fn take_frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let (&first, rest) = self.received.split_first()?;
        let (&second, rest) = rest.split_first()?;
        let (length, before) = match second {
            LENGTH_FOLLOWS => (u64::from(u16::from_be_bytes(*rest.first_chunk()?)), 4),
            LONG_LENGTH_FOLLOWS => (u64::from_be_bytes(*rest.first_chunk()?), 10),
            short => (short.into(), 2),
        };
        let end = before + usize::try_from(length).expect("it fits into memory");
        if self.received.len() < end {
            return None;
        }
        let payload = self.received.drain(..end).skip(before).collect();
        Some((first & 0x0f, payload))
    }

    /// Reads some bytes; false if the connection has ended.
    async fn read(&mut self) -> bool {
        let read = timeout(PATIENCE, self.stream.read_buf(&mut self.received)).await;
        let read = read.expect("the server says something, or ends the connection");
        read.is_ok_and(|bytes| bytes > 0)
    }
}

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

pub(crate) async fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.address()).await.expect("the server accepts")
}

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
