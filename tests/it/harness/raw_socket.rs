//! A TCP connection on which a test writes whatever bytes it likes, WebSocket frames among them.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use crate::harness::PATIENCE;

/// Opcodes of RFC 6455.
pub(crate) const CONTINUATION: u8 = 0x0;
pub(crate) const TEXT: u8 = 0x1;
const CLOSE: u8 = 0x8;
pub(crate) const PING: u8 = 0x9;

/// The bit that says that a frame is the last of its message.
pub(crate) const FINAL: u8 = 0x80;

/// The receive buffer of one who does not mean to read, in bytes.
const NARROW: u32 = 4 * 1024;

/// In the place of a length: the next two, or eight, bytes are the length.
const LENGTH_FOLLOWS: u8 = 126;
const LONG_LENGTH_FOLLOWS: u8 = 127;

/// An open connection.
pub(crate) struct Wire {
    stream: TcpStream,
    /// What has come and was not looked at yet.
    heard: Vec<u8>,
    /// The code of the server's goodbye, once it has come.
    code: Option<u16>,
}

/// The answer to an HTTP request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    body: String,
}

impl Answer {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The body, read.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A client's frame; its first byte as given, masked with zeros.
pub(crate) fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = header(first, 0x80, payload.len());
    bytes.extend([0; 4]);
    bytes.extend(payload);
    bytes
}

/// A frame as only a server may send it.
pub(crate) fn unmasked(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = header(first, 0, payload.len());
    bytes.extend(payload);
    bytes
}

fn header(first: u8, mask: u8, length: usize) -> Vec<u8> {
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

/// A connection over which little comes unless it is read.
pub(crate) async fn narrow(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("there are sockets");
    socket.set_recv_buffer_size(NARROW).expect("a size that is possible");
    socket.connect(address).await.expect("the server accepts")
}

impl Wire {
    /// Connects and says nothing.
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server accepts");
        stream.set_nodelay(true).expect("the connection is open");
        Self::over(stream)
    }

    /// Uses a connection that is there already.
    pub(crate) const fn over(stream: TcpStream) -> Self {
        Self { stream, heard: Vec::new(), code: None }
    }

    /// Connects and becomes a WebSocket.
    pub(crate) async fn upgraded(address: SocketAddr) -> Self {
        let (wire, answer) = Self::upgrade_with(address, "").await;
        assert_eq!(answer.status, 101, "{answer:?}");
        wire
    }

    /// The same, and says hello as nobody.
    pub(crate) async fn greeted(address: SocketAddr) -> Self {
        let mut wire = Self::upgraded(address).await;
        wire.text(r#"{"type":"hello","id":"1","proto":[1]}"#).await;
        let welcome = wire.next_json().await.expect("a welcome");
        assert_eq!(welcome["type"], "welcome");
        wire
    }

    /// Asks for a WebSocket with more header lines.
    pub(crate) async fn upgrade_with(address: SocketAddr, headers: &str) -> (Self, Answer) {
        let mut wire = Self::connect(address).await;
        let answer = wire.upgrade(address, headers).await;
        (wire, answer)
    }

    /// Asks for a WebSocket on this connection.
    pub(crate) async fn upgrade(&mut self, address: SocketAddr, headers: &str) -> Answer {
        let request = format!(
            "GET /v1/ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
        );
        self.write(request.as_bytes()).await;
        self.answer().await
    }

    /// Reads the answer to a request, up to its end as `Content-Length` tells it.
    pub(crate) async fn answer(&mut self) -> Answer {
        let end = loop {
            if let Some(at) = self.heard.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            assert!(self.read().await, "an answer was cut off");
        };
        let head = String::from_utf8(self.heard.drain(..end).collect()).expect("headers are text");
        let status = head.split(' ').nth(1).expect("a status").parse().expect("a number");
        let mut answer = Answer { status, head, body: String::new() };
        let length = answer.header("content-length").map_or(0, |text| text.parse().unwrap());
        while self.heard.len() < length {
            assert!(self.read().await, "an answer was cut off");
        }
        answer.body = String::from_utf8(self.heard.drain(..length).collect()).expect("text");
        answer
    }

    /// Writes bytes as they are; whether the server still takes them.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> bool {
        let written = timeout(PATIENCE, self.stream.write_all(bytes)).await;
        written.expect("the server reads").is_ok()
    }

    /// Sends a text frame.
    pub(crate) async fn text(&mut self, text: &str) {
        assert!(self.write(&frame(FINAL | TEXT, text.as_bytes())).await, "the server has gone");
    }

    /// The next text frame, read; `None` once the server has said goodbye or gone. Nothing is lost
    /// if the future is dropped.
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

    /// Reads on to the server's goodbye and gives back its code; `None` if there was none. Nothing
    /// is lost if the future is dropped.
    pub(crate) async fn close_code(&mut self) -> Option<u16> {
        while self.next_json().await.is_some() {}
        self.code
    }

    /// The same without looking at what comes before it, which may be much.
    pub(crate) async fn farewell(&mut self) -> Option<u16> {
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

    /// Reads until the server has ended the connection.
    pub(crate) async fn until_the_end(&mut self) {
        while self.read().await {}
    }

    /// Takes the first whole frame off what has come.
    fn take_frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let (&first, rest) = self.heard.split_first()?;
        let (&second, rest) = rest.split_first()?;
        let (length, before) = match second {
            LENGTH_FOLLOWS => (u64::from(u16::from_be_bytes(*rest.first_chunk()?)), 4),
            LONG_LENGTH_FOLLOWS => (u64::from_be_bytes(*rest.first_chunk()?), 10),
            short => (short.into(), 2),
        };
        let end = before + usize::try_from(length).expect("it fits into memory");
        if self.heard.len() < end {
            return None;
        }
        let payload = self.heard.drain(..end).skip(before).collect();
        Some((first & 0x0f, payload))
    }

    /// Reads some bytes; false if the connection has ended.
    async fn read(&mut self) -> bool {
        let read = timeout(PATIENCE, self.stream.read_buf(&mut self.heard)).await;
        let read = read.expect("the server says something, or ends the connection");
        read.is_ok_and(|bytes| bytes > 0)
    }
}
