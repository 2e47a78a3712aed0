//! The lean client: one socket with the minimum of WebSocket that load needs. It searches frames
//! for words instead of parsing them, so that it costs less than the server.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    ops::Range,
    time::Duration,
};

use anyhow::{Context as _, Result, bail, ensure};
use memchr::memmem;
use nix::sys::socket::{setsockopt, sockopt::IpBindAddressNoPort};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

/// Bytes read at once. A thousand sockets share one thread and its cache.
const READ_BYTES: usize = 4 * 1024;

/// Sockets from one source address: the system has about 28,000 ports for each.
const SOCKETS_PER_SOURCE: usize = 20_000;

/// The receive buffer of a socket that will not read; the system may round it up.
const NARROW_BYTES: u32 = 4 * 1024;

/// Builds a client's frame, masked with zeros, which leave the text as it is.
pub fn frame(text: &str) -> Vec<u8> {
    let mut frame = Vec::with_capacity(text.len() + 8);
    frame.push(0x81);
    match u16::try_from(text.len()) {
        Ok(length @ ..126) => frame.push(0x80 | u8::try_from(length).expect("it is below 126")),
        Ok(length) => {
            frame.push(0x80 | 0x7e);
            frame.extend(length.to_be_bytes());
        }
        Err(_) => unreachable!("a request is at most 16 KiB"),
    }
    frame.extend([0; 4]);
    frame.extend(text.as_bytes());
    frame
}

/// One socket.
#[derive(Debug)]
pub struct Peer<Stream = TcpStream> {
    stream: Stream,
    buffer: Vec<u8>,
    /// Where the unparsed bytes begin.
    start: usize,
}

/// A socket on its way to the runtime of another thread.
pub type Detached = Peer<std::net::TcpStream>;

impl Detached {
    /// Attaches the socket to the runtime of this thread.
    pub fn attach(self) -> io::Result<Peer> {
        let Self { stream, buffer, start } = self;
        Ok(Peer { stream: TcpStream::from_std(stream)?, buffer, start })
    }
}

impl Peer {
    /// Detaches the socket from its runtime.
    pub fn detach(self) -> io::Result<Detached> {
        let Self { stream, buffer, start } = self;
        Ok(Detached { stream: stream.into_std()?, buffer, start })
    }

    /// Connects and upgrades. `number` selects the source address among 127.0.0.x.
    pub async fn connect(address: SocketAddr, number: usize) -> Result<Self> {
        Self::connect_by(TcpSocket::new_v4()?, address, number).await
    }

    /// The same with a small receive buffer.
    pub async fn connect_narrow(address: SocketAddr, number: usize) -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(NARROW_BYTES)?;
        Self::connect_by(socket, address, number).await
    }

    /// Connects from a loopback address, which the server counts as a client of its own.
    pub async fn connect_from(address: SocketAddr, source: Ipv4Addr) -> Result<Self> {
        Self::connect_with(TcpSocket::new_v4()?, address, source).await
    }

    async fn connect_by(socket: TcpSocket, address: SocketAddr, number: usize) -> Result<Self> {
        let source = u8::try_from(2 + number / SOCKETS_PER_SOURCE).context("too many sockets")?;
        Self::connect_with(socket, address, Ipv4Addr::new(127, 0, 0, source)).await
    }

    async fn connect_with(
        socket: TcpSocket,
        address: SocketAddr,
        source: Ipv4Addr,
    ) -> Result<Self> {
        // The system chooses the port with the connection: among thousands of others that costs far
        // less.
        setsockopt(&socket, IpBindAddressNoPort, &true)?;
        socket.bind(SocketAddr::from((source, 0)))?;
        let mut stream = socket.connect(address).await?;
        stream.set_nodelay(true)?;
        stream
            .write_all(
                b"GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n\
                  Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                  Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                  Sec-WebSocket-Protocol: adamant.v1.json\r\n\r\n",
            )
            .await?;
        let mut peer = Self { stream, buffer: Vec::new(), start: 0 };
        loop {
            ensure!(peer.fill().await? > 0, "closed during the upgrade");
            if let Some(end) = memmem::find(&peer.buffer, b"\r\n\r\n") {
                let head = &peer.buffer[..end];
                let status = String::from_utf8_lossy(head);
                ensure!(status.contains(" 101 "), "no upgrade: {status}");
                peer.start = end + 4;
                return Ok(peer);
            }
        }
    }

    /// Sends a prepared frame.
    pub async fn send_frame(&mut self, frame: &[u8]) -> Result<()> {
        Ok(self.stream.write_all(frame).await?)
    }

    /// Sends a text.
    pub async fn send(&mut self, text: &str) -> Result<()> {
        self.send_frame(&frame(text)).await
    }

    /// Waits for the next text.
    pub async fn text(&mut self) -> Result<&[u8]> {
        let range = self.next_text().await?;
        Ok(&self.buffer[range])
    }

    /// Waits for a text that contains these words, and skips all others.
    pub async fn text_with(&mut self, words: &memmem::Finder<'_>) -> Result<&[u8]> {
        loop {
            let range = self.next_text().await?;
            if words.find(&self.buffer[range.clone()]).is_some() {
                return Ok(&self.buffer[range]);
            }
        }
    }

    /// Sends a request and waits for its reply, which must not be an error.
    pub async fn ask(&mut self, request: &Value) -> Result<Value> {
        let answer = self.ask_any(request).await?;
        ensure!(answer["type"] != "error", "{request} was answered {answer}");
        Ok(answer)
    }

    /// Sends a request and waits for its reply, which may be an error.
    pub async fn ask_any(&mut self, request: &Value) -> Result<Value> {
        let id = request.get("id").and_then(Value::as_str).context("a request has an id")?;
        let re = format!(r#""re":"{id}""#);
        self.send(&request.to_string()).await?;
        Ok(serde_json::from_slice(self.text_with(&memmem::Finder::new(&re)).await?)?)
    }

    /// Discards everything received; returns whether the server closes the connection within
    /// `wait`.
    pub async fn closes_within(&mut self, wait: Duration) -> bool {
        let reading = async {
            while self.fill().await.is_ok_and(|read| read > 0) {
                self.buffer.clear();
                self.start = 0;
            }
        };
        timeout(wait, reading).await.is_ok()
    }

    async fn next_text(&mut self) -> Result<Range<usize>> {
        loop {
            if let Some((opcode, payload)) = self.parse() {
                self.start = payload.end;
                match opcode {
                    0x1 => return Ok(payload),
                    0x8 => bail!("closed: {}", close_code(&self.buffer[payload])),
                    0x9 => {
                        // An empty pong answers as well as one that repeats the ping.
                        self.stream.write_all(&[0x8a, 0x80, 0, 0, 0, 0]).await?;
                    }
                    _ => {}
                }
                continue;
            }
            self.buffer.drain(..self.start);
            self.start = 0;
            ensure!(self.fill().await? > 0, "the server has closed the connection");
        }
    }

    async fn fill(&mut self) -> Result<usize> {
        self.stream.readable().await?;
        self.buffer.reserve(READ_BYTES);
        Ok(self.stream.read_buf(&mut self.buffer).await?)
    }

    /// Returns the opcode of the next complete frame and the range of its payload.
    fn parse(&self) -> Option<(u8, Range<usize>)> {
        let bytes = &self.buffer[self.start..];
        let (&first, &second) = (bytes.first()?, bytes.get(1)?);
        let (length, head) = match second & 0x7f {
            126 => (usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)), 4),
            127 => {
                let length = u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?);
                (usize::try_from(length).ok()?, 10)
            }
            length => (usize::from(length), 2),
        };
        let payload = self.start + head..self.start + head + length;
        (payload.end <= self.buffer.len()).then_some((first & 0x0f, payload))
    }
}

fn close_code(payload: &[u8]) -> u16 {
    payload.first_chunk().map_or(1005, |code| u16::from_be_bytes(*code))
}
